package uiadapter_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/httpadapter"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/uiadapter"
)

// stored returns the pages of a server that stores resources about a few patients, who grow plants.
func stored(t testing.TB) http.Handler {
	t.Helper()
	e := world(t)
	h, err := httpadapter.New(httpadapter.Config{
		Engine: e, Resources: resources.NewService(memory.New(), e, resources.WithTerminology(e)),
		Pages: func(s httpadapter.PageServices) (http.Handler, error) {
			pages, err := uiadapter.New(uiadapter.Config{Engine: e, FHIR: s.FHIR, Address: s.Address, Explain: s.Explain, Stored: true})
			if err == nil {
				pages.SetTimeForCounts(time.Hour) // however busy the machine is
			}
			return pages, err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	condition := func(id, patient, codings string) {
		put(t, h, "Condition/"+id, `{"resourceType":"Condition","id":"`+id+`","clinicalStatus":{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/condition-clinical","code":"active"}]},
			"subject":{"reference":"Patient/`+patient+`"},"onsetDateTime":"2021-03-04","encounter":{"reference":"Encounter/visit"},"code":{"coding":[`+codings+`]}}`)
	}
	plant := func(code string) string { return `{"system":"` + plants + `","code":"` + code + `"}` }
	put(t, h, "Patient/anna", `{"resourceType":"Patient","id":"anna","name":[{"family":"Grün","given":["Anna"]}],"gender":"female","birthDate":"1970-02-03"}`)
	put(t, h, "Patient/ben", `{"resourceType":"Patient","id":"ben","name":[{"text":"Ben"}]}`)
	put(t, h, "Encounter/visit", `{"resourceType":"Encounter","id":"visit","status":"finished","class":{"system":"http://terminology.hl7.org/CodeSystem/v3-ActCode","code":"AMB"},
		"subject":{"reference":"Patient/anna"},"period":{"start":"2021-03-04T08:00:00Z","end":"2021-03-04T09:00:00Z"}}`)
	condition("c1", "anna", plant("apple"))
	condition("c2", "anna", plant("dwarf"))
	condition("c3", "ben", plant("pear"))
	condition("c4", "ben", plant("mint")+","+plant("pear"))
	condition("c5", "ben", plant("nowhere"))
	condition("c6", "ben", `{"system":"http://example.org/absent","code":"x","display":"Something"}`)
	for i := range 60 {
		put(t, h, fmt.Sprintf("Observation/o%02d", i), fmt.Sprintf(`{"resourceType":"Observation","id":"o%02d","status":"final","subject":{"reference":"Patient/anna"},"effectiveDateTime":"20%02d-05-06",
			"code":{"coding":[{"system":%q,"code":"apple"}]},"valueQuantity":{"value":%d.5,"unit":"cm"},"referenceRange":[{"low":{"value":10},"high":{"value":40}}],
			"component":[{"code":{"text":"Leaves"},"valueQuantity":{"value":%d,"unit":"1"}}]}`, i, i%25, plants, i, 2*i))
	}
	text := strings.ReplaceAll(attack, `"`, `\"`)
	put(t, h, "Patient/evil", `{"resourceType":"Patient","id":"evil","name":[{"text":"`+text+"\u202eesrever"+`","family":"`+strings.Repeat("long ", 20_000)+`"}],"contact":[{"name":{"text":"`+text+`"}}]}`)
	put(t, h, "Condition/evil", `{"resourceType":"Condition","id":"evil","subject":{"reference":"Patient/evil","display":"`+text+`"},"onsetDateTime":"2020",
		"code":{"coding":[{"system":"javascript:alert(1)","code":"javascript:alert(2)","display":"`+text+`"}],"text":"`+strings.Repeat("long ", 20_000)+`"},"note":[{"text":"`+text+`"}]}`)
	put(t, h, "Observation/evil", `{"resourceType":"Observation","id":"evil","status":"final","subject":{"reference":"Patient/evil"},"effectiveDateTime":"2020-01-01",
		"code":{"text":"`+text+`"},"valueQuantity":{"value":1e9,"unit":"`+text+`"}}`)
	return h
}

// put stores a resource.
func put(t testing.TB, h http.Handler, path, body string) {
	t.Helper()
	r := httptest.NewRequestWithContext(context.Background(), http.MethodPut, "/"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/fhir+json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code >= http.StatusBadRequest {
		t.Fatalf("PUT %s: %d: %s", path, w.Code, w.Body)
	}
}

// tableRows returns the texts of the cells of a table by row, without its head.
func tableRows(root *html.Node) [][]string {
	var list [][]string
	for _, body := range all(root, "tbody") {
		for _, tr := range all(body, "tr") {
			list = append(list, texts(all(tr, "td")))
		}
	}
	return list
}

// followed returns the page that a link of a page leads to.
func followed(t testing.TB, h http.Handler, a *html.Node) *html.Node {
	t.Helper()
	href, _ := attr(a, "href")
	return opened(t, h, "/ui/"+href)
}

func TestDataTypes(t *testing.T) {
	root := opened(t, stored(t), "/ui/data")
	got := texts(all(one(t, root, "ul", "class", "types"), "li"))
	want := []string{"Patient 3", "Condition 7", "Encounter 1", "Observation 61", "CodeSystem 6", "ConceptMap 1", "ValueSet 1"}
	if !slices.Equal(got, want) {
		t.Errorf("types %q, want %q", got, want)
	}
}

func TestDataSearch(t *testing.T) {
	h := stored(t)
	for _, tt := range []struct {
		query []string
		want  []string // ids
		asked string
	}{
		{[]string{"type", "Condition", "p.code", plants + "|apple"}, []string{"c1"}, "/Condition?code=http%3A%2F%2Fexample.org%2Fplants%7Capple"},
		{[]string{"type", "Condition", "p.code", plants + "|tree", "how.code", "below"}, []string{"c4", "c3", "c2", "c1"}, "/Condition?code:below=http%3A%2F%2Fexample.org%2Fplants%7Ctree"},
		{[]string{"type", "Condition", "p.clinical-status", "active", "p.patient", "Patient/anna"}, []string{"c2", "c1"}, ""},
		{[]string{"type", "Condition", "ge.onset-date", "2020-06", "le.onset-date", "2021-03-04", "p.patient", "Patient/anna", "sort", "onset-date"}, nil, "/Condition?patient=Patient%2Fanna&onset-date=ge2020-06&onset-date=le2021-03-04&_sort=onset-date"},
		{[]string{"type", "Observation", "ge.value-quantity", "57", "u.value-quantity", "cm"}, []string{"evil", "o59", "o58", "o57"}[1:], "/Observation?value-quantity=ge57%7C%7Ccm"},
		{[]string{"type", "Patient", "p.name", "gr", "how.name", ""}, []string{"anna"}, "/Patient?name=gr"},
		{[]string{"type", "Patient", "p.name", "a,b|c$d"}, []string{}, `/Patient?name=a%5C%2Cb%5C%7Cc%5C%24d`},
		{[]string{"type", "Patient", "how.birthdate", "missing"}, []string{"evil", "ben"}, "/Patient?birthdate:missing=true"},
	} {
		root := opened(t, h, address("data", tt.query...))
		sound(t, fmt.Sprint(tt.query), root)
		var ids []string
		for _, row := range tableRows(root) {
			ids = append(ids, row[0])
		}
		if tt.want != nil && !slices.Equal(ids, tt.want) && len(ids)+len(tt.want) > 0 {
			t.Errorf("%v: %q, want %q", tt.query, ids, tt.want)
		}
		if got := text(one(t, root, "span", "id", "address")); !strings.HasSuffix(got, tt.asked) {
			t.Errorf("%v: request %s, want %s", tt.query, got, tt.asked)
		}
	}
	row := tableRows(opened(t, h, address("data", "type", "Condition", "p.code", plants+"|apple")))[0]
	if want := []string{"c1", "Apple tree", "active", "2021-03-04", "Patient/anna"}; !slices.Equal(row, want) {
		t.Errorf("row %q, want %q", row, want)
	}
	for _, query := range []string{"type=Nothing", "type=Patient&cursor=nonsense"} {
		if status, root := open(t, h, "/ui/data?"+query, false); status != http.StatusBadRequest {
			t.Errorf("%s: status %d: %s", query, status, text(root))
		}
	}
}

// Words in a field for codes lead to concepts, with a script and without one.
func TestDataWords(t *testing.T) {
	h := stored(t)
	root := opened(t, h, address("data", "type", "Condition", "p.code", "pear", "how.code", "below"))
	meant := all(one(t, root, "div", "class", "meant"), "a")
	if len(meant) == 0 || text(meant[0]) != "Pear tree" {
		t.Fatalf("meant %q", texts(meant))
	}
	if got := text(one(t, followed(t, h, meant[0]), "h2", "id", "found")); got != "2 resources" {
		t.Errorf("with the first concept: %s", got)
	}
	for _, tt := range []struct{ typ, param, words, first string }{
		{"Condition", "code", "pear tree", plants + "|pear"},
		{"Condition", "code", "Femur", sct + "|100"},
		{"Condition", "onset-date", "pear", ""},
		{"Condition", "code", "zzzz", ""},
	} {
		_, root := open(t, h, address("pick", "type", tt.typ, "param", tt.param, "p."+tt.param, tt.words), true)
		first := ""
		if options := all(root, "li", "role", "option"); len(options) > 0 {
			first, _ = attr(options[0], "data-value")
		}
		if first != tt.first {
			t.Errorf("%s of %s: the first for %q is %q, want %q", tt.param, tt.typ, tt.words, first, tt.first)
		}
	}
}

// The pages of a search show everything once.
func TestDataPages(t *testing.T) {
	h := stored(t)
	root := opened(t, h, address("data", "type", "Observation", "sort", "date"))
	var ids []string
	for range 5 {
		for _, row := range tableRows(root) {
			ids = append(ids, row[0])
		}
		next := all(root, "a", "rel", "next")
		if len(next) == 0 {
			break
		}
		root = followed(t, h, next[0])
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(ids)))
	if len(ids) != 61 || len(distinct) != 61 {
		t.Errorf("%d resources, %d different ones, want 61", len(ids), len(distinct))
	}
	if got := len(tableRows(followed(t, h, one(t, root, "a", "rel", "prev")))); got != 50 {
		t.Errorf("the page before has %d rows", got)
	}
}

func TestDataResource(t *testing.T) {
	h := stored(t)
	put(t, h, "Patient/ben", `{"resourceType":"Patient","id":"ben","name":[{"text":"Benjamin"}]}`)
	root := opened(t, h, address("resource", "type", "Patient", "id", "ben"))
	if got := text(one(t, root, "h1")); got != "Benjamin" {
		t.Errorf("heading %q", got)
	}
	var former *html.Node
	for _, a := range all(root, "a") {
		if text(a) == "Version 1" {
			former = a
		}
	}
	if former == nil {
		t.Fatal("the first version is not listed")
	}
	old := followed(t, h, former)
	if got := text(one(t, old, "h1")); got != "Ben" || !strings.Contains(text(old), "This is a former version.") {
		t.Errorf("the first version has the heading %q: %s", got, text(old))
	}
	var links []string
	for _, a := range all(opened(t, h, address("resource", "type", "Condition", "id", "c1")), "a", "href", "") {
		href, _ := attr(a, "href")
		links = append(links, href)
	}
	for _, want := range []string{"concept?system=http%3A%2F%2Fexample.org%2Fplants&code=apple", "resource?type=Patient&id=anna", "resource?type=Encounter&id=visit", "../Condition/c1"} {
		if !slices.Contains(links, want) {
			t.Errorf("there is no link to %s: %q", want, links)
		}
	}
	for query, want := range map[string]int{"type=Patient&id=nobody": http.StatusNotFound, "type=Patient": http.StatusNotFound, "type=x&id=y": http.StatusBadRequest, "type=Patient&id=..%2Fmetadata": http.StatusNotFound} {
		if status, _ := open(t, h, "/ui/resource?"+query, false); status != want && (status < 400 || status > 404) {
			t.Errorf("%s: status %d, want %d", query, status, want)
		}
	}
}

func TestDataTimeline(t *testing.T) {
	h := stored(t)
	root := opened(t, h, address("timeline", "patient", "anna"))
	visit := one(t, root, "ol", "class", "within")
	if got := texts(all(visit, "a")); !slices.Equal(got, []string{"Apple tree", "Dwarf apple tree"}) {
		t.Errorf("within the encounter: %q", got)
	}
	if jumps := texts(all(one(t, root, "nav", "class", "jumps"), "a")); len(jumps) != 25 || jumps[0] != "2024 2" || jumps[3] != "2021 5" {
		t.Errorf("%d years: %q", len(jumps), jumps)
	}
	next := followed(t, h, one(t, root, "a", "rel", "next"))
	if first, rest := len(all(root, "ol", "class", "events")), len(all(next, "ol", "class", "events")); first != 22 || rest != 4 {
		t.Errorf("%d and %d years on the pages", first, rest)
	}
	only := opened(t, h, address("timeline", "patient", "anna", "only", "Condition"))
	if got := len(all(one(t, only, "ol", "class", "events"), "li")); got != 2 {
		t.Errorf("%d conditions, want 2", got)
	}
	if status, _ := open(t, h, address("timeline", "patient", "nobody"), false); status != http.StatusNotFound {
		t.Errorf("of nobody: status %d", status)
	}
}

func TestDataCharts(t *testing.T) {
	h := stored(t)
	root := opened(t, h, address("charts", "patient", "anna"))
	if got := texts(all(root, "h2")); !slices.Equal(got, []string{"Apple tree", "Leaves"}) {
		t.Fatalf("charts %q", got)
	}
	if n := len(all(root, "circle")); n != 120 {
		t.Errorf("%d points, want 120", n)
	}
	large := followed(t, h, all(all(root, "h2")[0], "a")[0])
	values := tableRows(large)
	if len(values) != 60 || !strings.HasSuffix(values[0][1], ".5 cm") || !strings.HasPrefix(values[0][0], "2024-05-06") {
		t.Errorf("%d values, the first %q", len(values), values[0])
	}
	one(t, large, "rect", "class", "normal")
}

// A concept counts the resources with its code or one below it once, and so does each of its parents.
func TestDataCounts(t *testing.T) {
	h := stored(t)
	root := opened(t, h, address("counts", "type", "Condition", "system", plants))
	got := map[string]string{}
	for _, row := range tableRows(root) {
		got[row[0]] = strings.Join(row[1:4], " ")
	}
	want := map[string]string{
		"Plant plant": "4 2 0", "Tree tree": "4 2 0", "Fruit plant fruit": "4 2 0", "Herb herb": "1 1 0",
		"Apple tree apple": "2 1 1", "Pear tree pear": "2 1 2", "Mint mint": "1 1 1", "Dwarf apple tree dwarf": "1 1 1",
	}
	for concept, numbers := range want {
		if got[concept] != numbers {
			t.Errorf("%s: %q, want %q", concept, got[concept], numbers)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d concepts, want %d: %v", len(got), len(want), got)
	}
	if said := text(one(t, root, "p", "role", "status")); !strings.Contains(said, "7 resources are counted.") || !strings.Contains(said, "1 have only codes that the loaded version lacks.") {
		t.Errorf("said %q", said)
	}
	zoomed := opened(t, h, address("counts", "type", "Condition", "system", plants, "code", "tree"))
	if got := texts(all(one(t, zoomed, "nav", "class", "zoomed"), "a")); !slices.Equal(got, []string{"Plant"}) {
		t.Errorf("path %q", got)
	}
	for _, a := range all(one(t, zoomed, "svg"), "a") {
		if href, _ := attr(a, "href"); !strings.HasPrefix(href, "counts?") && !strings.HasPrefix(href, "concept?") {
			t.Errorf("the picture leads to %s", href)
		}
	}
	for _, tt := range []struct {
		query string
		want  int
	}{{"type=Nothing", 400}, {"type=Condition&param=onset-date", 400}, {"type=Condition&system=" + url.QueryEscape(plants) + "&code=zzz", 404}, {"type=Binary", 400}} {
		if status, root := open(t, h, "/ui/counts?"+tt.query, false); status != tt.want {
			t.Errorf("%s: status %d, want %d: %s", tt.query, status, tt.want, text(root))
		}
	}
	absent := tableRows(opened(t, h, address("counts", "type", "Condition", "system", "http://example.org/absent")))
	if len(absent) != 1 || absent[0][0] != "Something x" {
		t.Errorf("codes of an absent code system: %q", absent)
	}
}

// Resources that want to be more than texts are texts, and pages about them are sound.
func TestDataHostile(t *testing.T) {
	h := stored(t)
	for _, page := range []string{
		address("data", "type", "Patient"), address("data", "type", "Condition"), address("data", "type", "Condition", "p.code", attack, "how.code", "text"), address("data", "type", "Observation", "p.patient", "Patient/evil"),
		address("resource", "type", "Patient", "id", "evil"), address("resource", "type", "Condition", "id", "evil"), address("resource", "type", "Observation", "id", "evil"),
		address("timeline", "patient", "evil"), address("charts", "patient", "evil"), address("counts", "type", "Condition", "system", "javascript:alert(1)"), address("counts", "type", "Observation"), address("data", "type", "Encounter", "p.type", attack),
		address("timeline", "patient", "anna"), address("charts", "patient", "anna"), address("counts", "type", "Condition", "by", "patients"),
	} {
		root := opened(t, h, page)
		sound(t, page, root)
		if size := len(text(root)); size > 500_000 {
			t.Errorf("%s has %d bytes of text", page, size)
		}
		for _, a := range all(root, "a", "href", "") {
			if href, _ := attr(a, "href"); strings.HasPrefix(href, "javascript:") || strings.HasPrefix(href, "http") {
				t.Errorf("%s: link %q", page, href)
			}
		}
	}
	if got := text(opened(t, h, address("resource", "type", "Condition", "id", "evil"))); !strings.Contains(got, attack) || strings.Count(got, "long ") < 20_000 {
		t.Error("the texts of a resource cannot be read in full")
	}
}
