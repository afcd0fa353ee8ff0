package uiadapter_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// mapsWorld is the world with more maps.
func mapsWorld(t testing.TB) *engine.Engine {
	t.Helper()
	e := setsWorld(t)
	var many strings.Builder
	for i := range 120 {
		if i > 0 {
			many.WriteByte(',')
		}
		many.WriteString(`{"code":"n` + strings.Repeat("0", 5-len(strconv.Itoa(i))) + strconv.Itoa(i) + `","target":[{"code":"apple","equivalence":"wider"}]}`)
	}
	for _, text := range []string{
		`{"resourceType":"ConceptMap","url":"http://example.org/map/many","title":"Numbers to plants","status":"active","sourceCanonical":"` + numbers + `","group":[
			{"source":"` + wide + `","target":"` + plants + `","element":[` + many.String() + `]},
			{"source":"` + basic + `","target":"` + plants + `","unmapped":{"mode":"fixed","code":"plant"},"element":[{"code":"ripe","target":[
				{"code":"pear","equivalence":"equal","dependsOn":[{"property":"http://example.org/p/colour","value":"green"}],"product":[{"property":"http://example.org/p/advice","value":"ALWAYS"}]}]},{"code":"raw"}]}]}`,
		`{"resourceType":"ConceptMap","url":"http://example.org/map/hostile","title":"<script>alert(1)</script>","status":"active","group":[
			{"source":"` + hostile + `","target":"javascript:alert(2)","element":[{"code":"a\"><b>","display":"<img src=x>","target":[{"code":"javascript:alert(3)","display":"<i>x</i>","equivalence":"equal","comment":"<script>","product":[{"property":"<b>","value":"<b>"}]}]}]}]}`,
	} {
		m, err := r4.DecodeConceptMap([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Publish(engine.ConceptMapEntry(m, "test")); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

// The page of a map has its mappings, page by page and filtered by codes and displays.
func TestMap(t *testing.T) {
	h := serve(t, mapsWorld(t))
	const many = "http://example.org/map/many"
	for _, test := range []struct{ filter, offset, want string }{
		{"", "", "Mappings: 122 (1 to 50)"},
		{"", "100", "Mappings: 122 (101 to 122)"},
		{"n00007", "", "Mappings: 1 (1 to 1)"},
		{"number 00011", "", "Mappings: 1 (1 to 1)"},
		{"pear tree", "", "Mappings: 1 (1 to 1)"},
		{"nothing at all", "", "Mappings: 0"},
	} {
		for _, part := range []bool{false, true} {
			status, root := open(t, h, address("map", "url", many, "filter", test.filter, "offset", test.offset), part)
			if got := text(one(t, root, "p", "class", "summary")); status != http.StatusOK || got != test.want {
				t.Errorf("%+v: status %d, %q", test, status, got)
			}
		}
	}
	root := opened(t, h, address("map", "url", many, "offset", "100"))
	for _, want := range []string{"if colour: green", "advice: ALWAYS", "group[1].element[0].target[0]", "group[1].element[1]", "Other codes become plant"} {
		if !strings.Contains(text(root), want) {
			t.Errorf("%q is not there", want)
		}
	}
}

// A code is translated in both directions, with what decided.
func TestTranslate(t *testing.T) {
	h := serve(t, mapsWorld(t))
	const many = "http://example.org/map/many"
	for _, test := range []struct{ code, system, reverse, verdict, want string }{
		{"n00003", "", "", "translated n00003", "group[0].element[3].target[0]"},
		{"pear", "", "1", "translated pear", "group[1].element[0].target[0]"},
		{"other", basic, "", "translated other", "no element names the code: the fixed code of the group"},
		{"none", "", "", "no translation none", "No translations found"},
	} {
		for _, part := range []bool{true, false} {
			page := "map"
			if part {
				page = "translate"
			}
			status, root := open(t, h, address(page, "url", many, "code", test.code, "system", test.system, "reverse", test.reverse), part)
			if got := text(one(t, root, "p", "class", "verdict")); status != http.StatusOK || got != test.verdict || !strings.Contains(text(root), test.want) {
				t.Errorf("%+v: status %d, %q: %.600s", test, status, got, text(root))
			}
		}
	}
	if status, _ := open(t, h, address("map", "url", "http://example.org/map/none"), false); status < 400 {
		t.Errorf("an unknown map has status %d", status)
	}
}

// Lists of maps and hostile ones are sound.
func TestMapsSound(t *testing.T) {
	h := serve(t, mapsWorld(t))
	for _, page := range []string{"/ui/maps", address("maps", "q", attack), address("map", "url", "http://example.org/map/hostile"), address("map", "url", "http://example.org/map/hostile", "code", `a"><b>`), address("map", "url", "http://example.org/map")} {
		sound(t, page, opened(t, h, page))
	}
}
