package cliadapter

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/resources/index"
)

func TestResourceSearch(t *testing.T) {
	for text, want := range map[string]string{
		"Patient?gender=male":          "Patient <nil> gender=male",
		"Patient?":                     "Patient <nil> ",
		"/Patient?a=b?c":               "Patient <nil> a=b?c",
		"?_type=Patient,Group":         " <nil> _type=Patient,Group",
		"Patient/1/Observation?code=x": "Observation &{Patient 1} code=x",
		"Patient/1/*?_count=1":         " &{Patient 1} _count=1",
		"Patient":                      "",
		"what is it?":                  "",
		"fever?":                       "",
		"?":                            "",
		"Patient/1?x=y":                "",
		"Nothing?x=y":                  "",
	} {
		q, ok := resourceSearch(text)
		got := ""
		if ok {
			got = fmt.Sprint(q.typ, " ", q.compartment, " ", q.query)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestExplainedSearch(t *testing.T) {
	for format, want := range map[string]string{"table": "records", "json": `"step":"records",`} {
		if code, out, errs := run(t, &absent{}, nil, "search", "Patient?family=x", "--explain", "-o", format); code != 0 || !strings.Contains(out, want) {
			t.Errorf("%s: %d %s%s", format, code, out, errs)
		}
	}
}

func TestAddress(t *testing.T) {
	for text, want := range map[string]string{
		"Patient/1": "Patient 1 0", "/Patient/1/": "Patient 1 0", "Patient/1/_history/2": "Patient 1 2",
		"Patient": "", "Patient/1/_history/x": "", "Patient/1/_history/0": "", "a/b/c": "",
	} {
		typ, id, version, err := address(text)
		got := ""
		if err == nil {
			got = fmt.Sprint(typ, " ", id, " ", version)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestFoundCells(t *testing.T) {
	when := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	for body, want := range map[string][]string{
		`{"status":"final","code":{"coding":[{"code":"c","display":"Weight"}]},"valueQuantity":{"value":70.50,"unit":"kg"},"subject":{"reference":"Patient/1"}}`: {"final", "Weight 70.50 kg", "Patient/1"},
		`{"name":[{"given":["A","B"],"family":"C"}]}`: {"", "A B C", ""},
		`{"name":"Clinic"}`:                           {"", "Clinic", ""},
		`{"clinicalStatus":{"coding":[{"code":"active","display":"Active"}]},"code":{"text":"Flu"},"patient":{"display":"Doe"}}`: {"active", "Flu", "Doe"},
		`{"medicationReference":{"reference":"#m"},"class":{"code":"AMB"}}`:                                                      {"", "#m", ""},
		`{"class":{"code":"AMB"}}`: {"", "AMB", ""},
		`{"code":1,"name":{}}`:     {"", "", ""},
		`{`:                        {"", "", ""},
	} {
		got := foundCells(&index.Record{Type: "T", ID: "1", LastUpdated: when, Body: []byte(body)})
		if !slices.Equal(got, append([]string{"T/1", "2024-05-06T07:08:09Z"}, want...)) {
			t.Errorf("%s: %q", body, got)
		}
	}
}

func TestCaret(t *testing.T) {
	long := strings.Repeat("<< 404684003 OR ", 20)
	for _, tt := range []struct {
		expression string
		offset     int
		want       string
	}{
		{"<< 1 AND", 8, "  << 1 AND\n          ^\n"},
		{"", 0, "  \n  ^\n"},
		{"ä\t^", 3, "  ä ^\n    ^\n"},
		{long, 160, "  …" + long[110:160] + long[160:210] + "…\n" + strings.Repeat(" ", 53) + "^\n"},
	} {
		if got := caret(tt.expression, tt.offset); got != tt.want {
			t.Errorf("%q at %d:\n%s", tt.expression, tt.offset, got)
		}
	}
}

func TestClosureCommand(t *testing.T) {
	b := &absent{}
	code, out, errs := run(t, b, nil, "closure", "problems", "--data", "here", "--store", "sqlite:there", "-o", "json")
	if code != 0 || !strings.Contains(out, `"id":"problems","version":"1"`) || errs != "" {
		t.Errorf("exit code %d, output %q, errors %q", code, out, errs)
	}
	if want := (StoreOptions{Data: "here", Store: "sqlite:there", Write: true, Terminology: true}); b.store.Data != want.Data || b.store.Store != want.Store || !b.store.Write || !b.store.Terminology {
		t.Errorf("%+v", b.store)
	}
	for _, tt := range []struct {
		line []string
		code int
		want string
	}{
		{[]string{"closure", "problems", "http://snomed.info/sct|22298006"}, 3, "not initialized"},
		{[]string{"closure", "a b"}, 2, "invalid closure name"},
		{[]string{"closure"}, 2, "name"},
		{[]string{"closure", "problems", "x|y", "--version", "1"}, 2, "not both"},
		{[]string{"closure", "problems", "--version", ""}, 2, "version: it has no value"}, // as from "$VERSION"
		{[]string{"closure", "problems", ""}, 2, "concept: it has no value"},
	} {
		code, _, errs := run(t, &absent{}, nil, tt.line...)
		if code != tt.code || !strings.Contains(strings.ToLower(errs), tt.want) {
			t.Errorf("%q: exit code %d, errors %q", tt.line, code, errs)
		}
	}
}
