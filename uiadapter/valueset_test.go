package uiadapter_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

const (
	trees    = "http://example.org/vs/trees"
	woody    = "http://example.org/vs/woody"
	numbers  = "http://example.org/vs/numbers"
	attacked = "http://example.org/vs/attacked"
	broken   = "http://example.org/vs/broken"
)

// setsWorld is the world with more value sets.
func setsWorld(t testing.TB) *engine.Engine {
	t.Helper()
	e := world(t)
	for _, text := range []string{
		`{"resourceType":"ValueSet","url":"` + woody + `","title":"Woody plants","status":"active","compose":{
			"include":[{"valueSet":["` + trees + `"]},{"system":"` + plants + `","concept":[{"code":"mint"}]}],
			"exclude":[{"system":"` + plants + `","concept":[{"code":"dwarf"}]}]}}`,
		`{"resourceType":"ValueSet","url":"` + numbers + `","status":"active","compose":{"include":[{"system":"` + wide + `"}]}}`,
		`{"resourceType":"ValueSet","url":"` + attacked + `","title":"<script>alert(1)</script>","description":"<img src=x onerror=alert(2)>","status":"active","compose":{
			"include":[{"system":"` + hostile + `"},{"system":"javascript:alert(1)","concept":[{"code":"\"><script>","display":"<b>x</b>"}]}]}}`,
		`{"resourceType":"ValueSet","id":"broken","url":"` + broken + `","title":"Broken","status":"active","compose":{"include":[{"system":"http://example.org/absent"}]}}`,
	} {
		vs, err := r4.DecodeValueSet([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Publish(engine.ValueSetEntry(vs, "test")); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

// The page of a value set has its codes with the exact total, page by page, and its definition.
func TestValueSet(t *testing.T) {
	h := serve(t, setsWorld(t))
	root := opened(t, h, address("valueset", "url", numbers, "count", "100", "offset", "1150"))
	if got := text(one(t, root, "p", "class", "summary")); got != "1202 codes (1151 to 1202)" {
		t.Errorf("summary %q", got)
	}
	if rows := all(one(t, root, "table", "class", "codes"), "tr"); len(rows) != 53 {
		t.Errorf("%d rows, want the head and 52", len(rows))
	}
	if got, _ := attr(one(t, root, "a", "rel", "prev"), "href"); got != "valueset?url="+url.QueryEscape(numbers)+"&count=100&offset=1050" {
		t.Errorf("the page before is %q", got)
	}
	root = opened(t, h, address("valueset", "url", numbers, "filter", "number 00007"))
	if got := text(one(t, root, "p", "class", "summary")); got != "1 code (1 to 1)" {
		t.Errorf("summary of the filter %q", got)
	}
	root = opened(t, h, address("valueset", "url", woody))
	parts := texts(all(root, "li", "class", "part"))
	if len(parts) != 3 || !strings.Contains(parts[0], "the codes of Trees") || !strings.Contains(parts[1], "1 listed codes of Plants of the garden") || !strings.HasPrefix(parts[2], "without") {
		t.Errorf("definition %q", parts)
	}
	if status, _ := open(t, h, address("valueset", "url", "http://example.org/vs/none"), false); status < 400 {
		t.Errorf("an unknown value set has status %d", status)
	}
}

// A part that htmx asks for has the codes only.
func TestExpansionPart(t *testing.T) {
	h := serve(t, setsWorld(t))
	status, root := open(t, h, address("valueset", "url", trees, "filter", "apple"), true)
	if status != http.StatusOK || len(all(root, "h1")) != 0 || text(one(t, root, "p", "class", "summary")) != "2 codes (1 to 2)" {
		t.Errorf("status %d: %s", status, text(root))
	}
}

// The explanation of a code says which parts select it and which remove it.
func TestWhy(t *testing.T) {
	h := serve(t, setsWorld(t))
	for code, want := range map[string][]string{
		"apple": {"in the value set", "selected by include[0]"},
		"mint":  {"in the value set", "selected by include[1]"},
		"dwarf": {"not in the value set", "removed by exclude[0]", "removes it:"},
		"herb":  {"not in the value set", "no include selects it", "does not remove it:"},
	} {
		for _, part := range []bool{true, false} {
			page := "valueset"
			if part {
				page = "why"
			}
			status, root := open(t, h, address(page, "url", woody, "system", plants, "code", code), part)
			if status != http.StatusOK {
				t.Fatalf("%s: status %d", code, status)
			}
			shown := text(one(t, root, "ul", "class", "why"))
			verdict := text(one(t, root, "p", "class", "verdict"))
			if !strings.HasPrefix(verdict, want[0]) {
				t.Errorf("%s: verdict %q", code, verdict)
			}
			for _, w := range want[1:] {
				if !strings.Contains(shown, w) {
					t.Errorf("%s: %q is not in %q", code, w, shown)
				}
			}
		}
	}
	status, _ := open(t, h, address("why", "url", woody, "code", "apple"), false)
	if status != http.StatusSeeOther {
		t.Errorf("a part that is opened as a page has status %d", status)
	}
}

// A value set that is known but cannot be expanded has a page that says why, with the status.
func TestUnlisted(t *testing.T) {
	h := serve(t, setsWorld(t))
	status, root := open(t, h, address("valueset", "url", broken), false)
	if status < 400 || text(one(t, root, "h1")) != "Broken" || !strings.Contains(text(one(t, root, "div", "class", "problem")), "http://example.org/absent") {
		t.Errorf("status %d: %s", status, text(root))
	}
	sound(t, "broken", root)
}

// Lists find value sets by their names, and hostile ones do nothing but show.
func TestValueSets(t *testing.T) {
	h := serve(t, setsWorld(t))
	root := opened(t, h, address("valuesets", "q", "woody"))
	if got := texts(all(one(t, root, "ul", "class", "resources"), "li")); len(got) != 1 || !strings.HasPrefix(got[0], "Woody plants") {
		t.Errorf("found %q", got)
	}
	for _, page := range []string{
		"/ui/valuesets", address("valueset", "url", attacked), address("valueset", "url", attacked, "code", `"><script>`, "system", `javascript:alert(1)`),
		address("valueset", "url", trees, "filter", attack), address("valuesets", "q", attack), address("valueset", "url", woody, "code", "apple"),
	} {
		sound(t, page, opened(t, h, page))
	}
}
