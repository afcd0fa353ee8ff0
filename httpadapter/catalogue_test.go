package httpadapter

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/r4"
)

// ids returns the ids of the matches of a search, and the text of its outcome entry.
func ids(t testing.TB, bundle map[string]any) (found []string, outcome string) {
	t.Helper()
	if bundle["resourceType"] != "Bundle" || bundle["type"] != "searchset" {
		t.Fatalf("not a searchset: %v", bundle)
	}
	entries, _ := bundle["entry"].([]any)
	for _, e := range entries {
		if at(e, "search", "mode") == "outcome" {
			outcome, _ = at(e, "resource", "issue", 0, "diagnostics").(string)
			continue
		}
		id, _ := at(e, "resource", "id").(string)
		if full, _ := at(e, "fullUrl").(string); !strings.HasSuffix(full, "/"+id) {
			t.Errorf("fullUrl %s of %s", full, id)
		}
		found = append(found, id)
	}
	return found, outcome
}

func TestSearch(t *testing.T) {
	c := newClient(t)
	for _, tt := range []struct {
		path string
		want []string
	}{
		{"CodeSystem", []string{"animals", "loaded"}},
		{"CodeSystem?_id=animals", []string{"animals"}},
		{"CodeSystem?_id=animals,loaded,nothing", []string{"animals", "loaded"}},
		{"CodeSystem?url=http://t.example/animals", []string{"animals"}},
		{"CodeSystem?url=http://t.example/animals%7C1.0", []string{"animals"}},
		{"CodeSystem?url=http://t.example/animals%7C9", nil},
		{"CodeSystem?url:below=http://t.example", []string{"animals", "loaded"}},
		{"CodeSystem?url:above=http://t.example/animals/deep", []string{"animals"}},
		{"CodeSystem?system=http://t.example/animals", []string{"animals"}},
		{"CodeSystem?version=7", []string{"loaded"}},
		{"CodeSystem?name=ANI", []string{"animals"}},
		{"CodeSystem?name=imals", nil},
		{"CodeSystem?name:contains=IMALS", []string{"animals"}},
		{"CodeSystem?name:exact=Animals", []string{"animals"}},
		{"CodeSystem?name:exact=animals", nil},
		{"CodeSystem?title=tiere+und+ahn", []string{"animals"}},
		{"CodeSystem?title:missing=true", []string{"loaded"}},
		{"CodeSystem?title:missing=false", []string{"animals"}},
		{"CodeSystem?publisher=zoo", []string{"animals"}},
		{"CodeSystem?status=active&version=1.0", []string{"animals"}},
		{"CodeSystem?status=http://hl7.org/fhir/publication-status%7Cactive", []string{"animals", "loaded"}},
		{"CodeSystem?status:not=active", nil},
		{"CodeSystem?status=draft", nil},
		{"CodeSystem?content-mode=complete", []string{"animals", "loaded"}},
		{"CodeSystem?name=", []string{"animals", "loaded"}},
		{"CodeSystem?_sort=-name", []string{"loaded", "animals"}},
		{"CodeSystem?_sort=status,-_id", []string{"loaded", "animals"}},
		{"CodeSystem?_lastUpdated=ge2026-01-02", []string{"animals"}},
		{"CodeSystem?_lastUpdated=2026", []string{"animals"}},
		{"CodeSystem?_lastUpdated=lt2026-01-02", nil},
		{"ValueSet?reference=http://t.example/animals", []string{"everything", "pets"}},
		{"ValueSet?reference=http://t.example/loaded", []string{"numbers"}},
		{"ValueSet?identifier=http://ids%7Cp-1", []string{"pets"}},
		{"ValueSet?identifier=p-1", []string{"pets"}},
		{"ValueSet?identifier=http://ids%7C", []string{"pets"}},
		{"ValueSet?identifier=%7Cp-1", nil},
		{"ValueSet?identifier=P-1", []string{"pets"}},
		{"ValueSet?identifier=http://IDS%7CP-1", nil},
		{"CodeSystem?title=tiere,+und", []string{"animals"}},
		{"CodeSystem?code=dog", []string{"animals"}},
		{"CodeSystem?code=http://t.example/animals%7Cdog,three", []string{"animals", "loaded"}},
		{"CodeSystem?code=http://t.example/loaded%7Cdog", nil},
		{"CodeSystem?language=de", nil},
		{"CodeSystem?_source:missing=true", []string{"animals", "loaded"}},
		{"ValueSet?code=dog", []string{"pets"}},
		{"ValueSet?jurisdiction:missing=false", nil},
		{"ValueSet?_content=good+dog", []string{"pets"}},
		{"ValueSet?_has:ConceptMap:source-uri:source-code=dog", []string{"pets"}},
		{"ValueSet?_has:ConceptMap:source-uri:source-code=cat", nil},
		{"ConceptMap?source-code=dog", []string{"to-numbers"}},
		{"ConceptMap?source-uri=http://t.example/vs/pets&target-code=one", []string{"to-numbers"}},
		{"ConceptMap?source-uri.name=pets", []string{"to-numbers"}},
		{"ConceptMap?dependson=http://t.example/x", nil},
		{"ValueSet?status=draft,retired", []string{"everything"}},
		{"ValueSet?status:not=draft", []string{"numbers", "pets"}},
		{"ConceptMap?url=http://t.example/cm/numbers", []string{"to-numbers"}},
	} {
		for _, prefix := range paths() {
			doc := c.get(prefix+"/"+tt.path).want(t, 200)
			got, outcome := ids(t, doc)
			if diff := cmp.Diff(tt.want, got); diff != "" || outcome != "" {
				t.Errorf("%s: %s %s", tt.path, diff, outcome)
			}
			if doc["total"] != float64(len(tt.want)) {
				t.Errorf("%s: total %v", tt.path, doc["total"])
			}
			if len(tt.want) == 0 && doc["entry"] != nil {
				t.Errorf("%s: empty entry", tt.path)
			}
			typ, query, _ := strings.Cut(tt.path, "?")
			posted, _ := ids(t, c.do("POST", prefix+"/"+typ+"/_search", query, "Content-Type", "application/x-www-form-urlencoded").want(t, 200))
			if diff := cmp.Diff(got, posted); diff != "" {
				t.Errorf("%s: _search differs: %s", tt.path, diff)
			}
		}
	}
}

// TestSearchOther searches terminology by what only documents have, and includes resources.
func TestSearchOther(t *testing.T) {
	c := newClient(t)
	c.do("PUT", "/ValueSet/swiss", `{"resourceType":"ValueSet","id":"swiss","meta":{"source":"http://t.example/ours"},"url":"http://t.example/vs/swiss","status":"active",`+
		`"jurisdiction":[{"coding":[{"system":"urn:iso:std:iso:3166","code":"CH"}]}],`+
		`"useContext":[{"code":{"code":"focus"},"valueCodeableConcept":{"coding":[{"code":"cows"}]}}]}`).want(t, 201)
	for query, want := range map[string]string{
		"jurisdiction=CH":                            "swiss",
		"jurisdiction=urn:iso:std:iso:3166%7CCH":     "swiss",
		"context=cows":                               "swiss",
		"context-type-value=focus$cows":              "swiss",
		"context-type-value=focus$dogs":              "",
		"_source=http://t.example/ours":              "swiss",
		"status:not=draft&jurisdiction:not=CH":       "numbers pets",
		"_id=pets&_revinclude=ConceptMap:source-uri": "pets +to-numbers",
	} {
		if got := modes(t, c.get("/ValueSet?"+query, "Prefer", "handling=strict").want(t, 200), "http://example.com"); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	c.get("/ValueSet?reference=x").want(t, 200) // swiss refers to nothing
	c.do("PUT", "/CodeSystem/colours", strings.Replace(colours, `"status"`, `"title":"Red, | no","status"`, 1)).want(t, 201)
	for query, want := range map[string]string{"code=red": "colours", "code=x%7Cred": "", `title:exact=x,Red%5C,%20%5C%7C%20no`: "colours"} {
		if got := modes(t, c.get("/CodeSystem?"+query).want(t, 200), "http://example.com"); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	if got := modes(t, c.get("/ConceptMap?_include=ConceptMap:source-uri").want(t, 200), "http://example.com"); got != "to-numbers +pets" {
		t.Errorf("include: %q", got)
	}
	c.do("PUT", "/ValueSet/swiss", `{"resourceType":"ValueSet","id":"swiss","url":"http://t.example/vs/swiss","status":"active"}`).want(t, 200)
	if got := modes(t, c.get("/ValueSet?jurisdiction=CH").want(t, 200), "http://example.com"); got != "" {
		t.Errorf("after the update: %q", got)
	}
	c.get("/ValueSet?jurisdiction:above=CH", "Prefer", "handling=strict").wantIssue(t, 400, "value")
}

func TestSearchUnknownParameter(t *testing.T) {
	c := newClient(t)
	doc := c.get("/CodeSystem?colour=red&name=ani&_include=CodeSystem:x").want(t, 200)
	got, outcome := ids(t, doc)
	if len(got) != 1 || !strings.Contains(outcome, "colour") || !strings.Contains(outcome, "_include") {
		t.Errorf("%v %q", got, outcome)
	}
	self, _ := at(doc, "link", 0, "url").(string)
	if at(doc, "link", 0, "relation") != "self" || strings.Contains(self, "colour") || !strings.Contains(self, "name=ani") {
		t.Errorf("self %s", self)
	}
	if doc["total"] != 1.0 {
		t.Errorf("total %v", doc["total"])
	}
	c.get("/CodeSystem?colour=red", "Prefer", "handling=strict").wantIssue(t, 400, "not-supported")
}

// links returns the links of a bundle by relation.
func links(doc map[string]any) map[string]string {
	all := map[string]string{}
	list, _ := doc["link"].([]any)
	for i := range list {
		all[at(list[i], "relation").(string)] = at(list[i], "url").(string)
	}
	return all
}

func TestPaging(t *testing.T) {
	c := newClient(t, func(config *Config) { config.Limits.MaxCount = 5 })
	for i := range 12 {
		id := fmt.Sprintf("p%02d", i)
		body := `{"resourceType":"ValueSet","id":"` + id + `","url":"http://p.example/` + id + `","name":"Page","status":"active","compose":{"include":[{"system":"http://t.example/animals"}]}}`
		c.do("PUT", "/ValueSet/"+id, body).want(t, 201)
	}
	next := "/baseR4/ValueSet?name=Page&_count=50" // more than the limit
	var all []string
	pages := 0
	for next != "" {
		pages++
		doc := c.get(next).want(t, 200)
		got, _ := ids(t, doc)
		all = append(all, got...)
		rel := links(doc)
		if doc["total"] != 12.0 || !strings.HasPrefix(rel["self"], "http://example.com/baseR4/ValueSet?") {
			t.Fatalf("%v", doc)
		}
		if (pages == 1) == (rel["previous"] != "") {
			t.Errorf("page %d: previous %q", pages, rel["previous"])
		}
		if !strings.Contains(rel["last"], "_offset=10") || strings.Contains(rel["first"], "_offset") {
			t.Errorf("first %s last %s", rel["first"], rel["last"])
		}
		next = ""
		if rel["next"] != "" {
			u, err := url.Parse(rel["next"])
			if err != nil {
				t.Fatal(err)
			}
			next = u.RequestURI()
		}
	}
	if pages != 3 || len(all) != 12 || all[11] != "p11" {
		t.Errorf("%d pages, %v", pages, all)
	}
	if rel := links(c.get("/ValueSet?name=Page&_count=1&_offset=11").want(t, 200)); rel["next"] != "" || rel["last"] != rel["self"] {
		t.Errorf("the last page: %v", rel)
	}
	doc := c.get("/ValueSet?name=Page&_count=0").want(t, 200)
	if doc["total"] != 12.0 || doc["entry"] != nil || len(links(doc)) != 1 {
		t.Errorf("_count=0: %v", doc)
	}
	doc = c.get("/ValueSet?_count=3&name=Page&_summary=count").want(t, 200)
	if doc["total"] != 12.0 || doc["entry"] != nil {
		t.Errorf("_summary=count: %v", doc)
	}
	if doc = c.get("/ValueSet?_summary=count&_count=3").want(t, 200); doc["entry"] != nil {
		t.Errorf("_summary=count first: %v", doc)
	}
	doc = c.get("/ValueSet?name=Page&_total=none").want(t, 200)
	if _, there := doc["total"]; there {
		t.Errorf("_total=none: %v", doc["total"])
	}
	if got, _ := ids(t, c.get("/ValueSet?name=Page&_offset=99").want(t, 200)); got != nil {
		t.Errorf("beyond the end: %v", got)
	}
}

func TestSearchSubsets(t *testing.T) {
	c := newClient(t)
	doc := c.get("/CodeSystem?_summary=true").want(t, 200)
	for i := range 2 {
		r := at(doc, "entry", i, "resource")
		if at(r, "concept") != nil || at(r, "url") == nil || at(r, "meta", "tag", 0, "code") != "SUBSETTED" {
			t.Errorf("summary: %v", r)
		}
	}
	doc = c.get("/ValueSet?_elements=ValueSet.name,compose.include&_id=pets").want(t, 200)
	r := at(doc, "entry", 0, "resource")
	if at(r, "url") != nil || at(r, "name") != "Pets" || at(r, "compose") == nil {
		t.Errorf("elements: %v", r)
	}
	doc = c.get("/ValueSet/pets?_summary=data").want(t, 200)
	if doc["compose"] == nil {
		t.Errorf("data: %v", doc)
	}
	doc = c.get("/ValueSet/pets?_summary=text").want(t, 200)
	if doc["compose"] != nil || doc["status"] == nil || doc["resourceType"] != "ValueSet" {
		t.Errorf("text: %v", doc)
	}
	for doc, want := range map[string]string{
		`{"resourceType":"Provenance","id":"s","target":[{"display":"x"}],"recorded":"2026-01-01T00:00:00Z","agent":[{"who":{"display":"w"}}]}`:            `"agent":[`,
		`{"resourceType":"Observation","id":"s","status":"final","code":{"text":"x"},"component":[{"code":{"text":"y"},"interpretation":[{"text":"z"}]}]}`: `"component":[{"code":{"text":"y"}}]`,
	} {
		typ, _ := named(doc)
		c.do("PUT", "/"+typ+"/s", doc).want(t, 201)
		if r := c.get("/" + typ + "/s?_summary=true"); !strings.Contains(r.body, want) {
			t.Errorf("%s, want %s", r.body, want)
		}
	}
}

// TestLoadedValidators: entries that differ have different tags.
func TestLoadedValidators(t *testing.T) {
	var e engine.Entry
	h, seen := &e.Header, map[string]bool{}
	for _, field := range []*string{&h.URL, &h.Version, &h.Date, &h.Name, &h.Status, &e.Content, &e.Origin} {
		for *field = range map[string]bool{"a": true, "b": true} {
			seen[loadedValidators(&e).etag] = true
		}
	}
	h.Meta = &r4.Meta{VersionID: "7", LastUpdated: "1970-01-01T00:00:07Z"}
	if v := loadedValidators(&e); len(seen) != 14 || !strings.HasSuffix(v.etag, `-7"`) || v.modified.Unix() != 7 {
		t.Errorf("%d tags, %+v", len(seen), v)
	}
}

func TestDateSpans(t *testing.T) {
	for _, tt := range []struct {
		want, value string
		match       bool
	}{
		{"2026", "2026-05-01", true},
		{"2026-05", "2026", false},
		{"eq2026-05-01", "2026-05-01T23:59:59Z", true},
		{"ne2026", "2025-12-31", true},
		{"ne2026", "2026-01-01", false},
		{"gt2026", "2027-01-01", true},
		{"gt2026", "2026-12-31", false},
		{"ge2026-06", "2026-06-01", true},
		{"lt2026", "2025-12-31", true},
		{"le2026", "2026-12-31", true},
		{"sa2026-01", "2026-02-01", true},
		{"sa2026-01", "2026-01-31", false},
		{"eb2026-01", "2025-12-31", true},
		{"ap2026-01-10", "2026-01-11", true},
		{"ap2026-01-10", "2026-01-20", false},
		{"2026-01-02T03:04:05Z", "2026-01-02T03:04:05.250Z", true},
		{"2026-01-02T05:04:05+02:00", "2026-01-02T03:04:05Z", true},
	} {
		test, err := dateTest("date", tt.want)
		if err != nil {
			t.Fatal(err)
		}
		if test(tt.value) != tt.match {
			t.Errorf("%s against %s: %v", tt.want, tt.value, !tt.match)
		}
	}
}

// FuzzSearch checks that the response to any search is FHIR.
func FuzzSearch(f *testing.F) {
	for _, seed := range []string{
		"name=a", "name:contains=%C3%A4&_sort=-name,url", "_lastUpdated=ge2026-01&_count=3&_offset=1", "identifier=a%7Cb,c%5C,d",
		"_summary=true&_elements=a.b,,", "url:above=x&url:missing=true", "%zz=1", "_total=none&_format=json&_pretty=true", "date=ap2024",
	} {
		f.Add(seed, false)
	}
	c := newClient(f)
	f.Fuzz(func(t *testing.T, query string, strict bool) {
		h := c.handler.(*Handler)
		params, err := resources.ParseQuery(query)
		if err != nil {
			return
		}
		q, err := h.newCatalogueQuery("ValueSet", params, strict, nil)
		if err != nil {
			return
		}
		entries := c.engine.Entries("ValueSet")
		got := q.find(entries)
		if len(got) > len(entries) || q.offset < 0 || q.count < 0 || q.count > DefaultLimits().MaxCount {
			t.Fatalf("%d of %d found, offset %d, count %d", len(got), len(entries), q.offset, q.count)
		}
		// The self link repeats the same search.
		_, query, _ = strings.Cut(q.link("", q.offset), "?")
		if params, err = resources.ParseQuery(query); err != nil {
			t.Fatalf("the link %q: %v", query, err)
		}
		again, err := h.newCatalogueQuery("ValueSet", params, true, nil)
		if err != nil {
			t.Fatalf("the link of %q: %v", query, err)
		}
		if len(again.find(entries)) != len(got) || again.offset != q.offset || again.count != q.count {
			t.Fatalf("the link of %q gives another page", query)
		}
	})
}
