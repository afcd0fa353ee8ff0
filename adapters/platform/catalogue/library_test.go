package catalogue

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// A desk answers from a map of documents, and writes down what it was asked.
type desk struct {
	docs  map[string]string
	fail  error
	asked []string
}

func (d *desk) Fetch(_ context.Context, path string, query url.Values) ([]byte, bool, error) {
	d.asked = append(d.asked, path)
	if path == schemasPath && !strings.Contains(query.Get("fields"), "properties[") {
		return nil, false, errors.New("no fields asked for")
	}
	if doc, there := d.docs[path]; there {
		return []byte(doc), true, nil
	}
	return nil, false, d.fail
}

func library(t *testing.T, d *desk) *Library {
	return &Library{Major: 42, BaseURL: server, RawVersion: "2.42.4", Store: Store{Folder: t.TempDir()}, Fetcher: d}
}

func both() *desk {
	return &desk{docs: map[string]string{
		"/api/schemas":              `{"schemas":[{"klass":"a.DataElement","plural":"dataElements","apiEndpoint":"/api/dataElements","metadata":true,"properties":[{"name":"live","propertyType":"TEXT"}]},{"klass":"a.Interpretation","plural":"interpretations","properties":[]}]}`,
		"/api/openapi/openapi.json": `{"components":{"schemas":{"DataElement":{"properties":{"spec":{"type":"string"}}},"Envelope":{}}}}`,
	}}
}

func (l *Library) found(t *testing.T, name string, source Source, live bool) string {
	t.Helper()
	f, err := l.Lookup(t.Context(), name, source, live)
	if err != nil {
		return err.Error()
	}
	for _, w := range f.Warnings {
		t.Errorf("%s: %v", name, w)
	}
	return f.Type.Name + " " + string(f.Source) + " " + f.From
}

// Platform toolkit, section 4.3: what is kept, what is embedded, the server.
// Rows of docs/platform.md: 4.23, T4.2, T4.3.
func TestLookupOrder(t *testing.T) {
	d := both()
	l := library(t, d)
	for _, step := range []struct {
		name   string
		source Source
		live   bool
		want   string
		asked  string
	}{
		{"dataElements", "", false, "DataElement schemas embedded", ""},
		{"systeminfo", "", false, "SystemInfo oas embedded", ""},
		{"interpretations", Schemas, false, "Interpretation schemas server", "/api/schemas"},
		{"interpretations", Schemas, false, "Interpretation schemas cache", ""},
		{"dataElements", "", false, "DataElement schemas cache", ""},
		{"dataElements", "", true, "DataElement oas server", "/api/openapi/openapi.json"},
		{"dataElements", "", false, "DataElement oas cache", ""},
		{"dataElements", Schemas, true, "DataElement schemas server", "/api/schemas"},
		{"envelope", "", false, "Envelope oas cache", ""},
		{"nobody", "", false, "unknown type 'nobody' for v42", ""},
		{"indicater", "", false, "unknown type 'indicater' for v42. Did you mean: Indicator, IndicatorType, IndicatorGroup, ProgramIndicator, IndicatorGroupSet?", ""},
	} {
		d.asked = nil
		if got := l.found(t, step.name, step.source, step.live); got != step.want {
			t.Errorf("%s of %q, live %v: %s, want %s", step.name, step.source, step.live, got, step.want)
		}
		if got := strings.Join(d.asked, " "); got != step.asked {
			t.Errorf("%s of %q, live %v: asked for %q, want %q", step.name, step.source, step.live, got, step.asked)
		}
	}
	l.RawVersion, d.asked = "2.42.5", nil
	if got := l.found(t, "interpretations", Schemas, false); got != "Interpretation schemas server" || len(d.asked) != 1 {
		t.Errorf("another version: %s, asked for %v", got, d.asked)
	}
}

// Rows of docs/platform.md: T4.3.
func TestLookupOffline(t *testing.T) {
	l := library(t, nil)
	l.Fetcher, l.RawVersion = nil, ""
	for name, want := range map[string]string{
		"users":          "User schemas embedded",
		"me":             "Me oas embedded",
		"interpretation": "the fields of Interpretation are not built in for v42, and no server was asked",
		"indicatr":       "unknown type 'indicatr' for v42. Did you mean: Indicator, IndicatorType, IndicatorGroup, ProgramIndicator, IndicatorGroupSet?",
	} {
		if got := l.found(t, name, "", false); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if err := l.Store.Put(server, view(Schemas, Type{Name: "Interpretation", Fields: []Field{}})); err != nil {
		t.Fatal(err)
	}
	l = &Library{Major: 42, BaseURL: server, Store: l.Store}
	if got := l.found(t, "interpretation", "", false); got != "Interpretation schemas cache" {
		t.Errorf("what was kept of a server that is out of reach: %s", got)
	}
	if _, err := l.Lookup(t.Context(), "users", "", true); err == nil || errors.Is(err, ErrUnknownType) {
		t.Errorf("live without a server: %v", err)
	}
}

func TestLookupFailures(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		why      string
		docs     []string
		fail     error
		source   Source
		name     string
		want     error // nil: found
		warnings int
	}{
		{"no OpenAPI document, but schemas", []string{"/api/schemas"}, nil, "", "interpretation", nil, 0},
		{"no OpenAPI document, and no such schema", []string{"/api/schemas"}, nil, "", "nobody", ErrUnknownType, 0},
		{"no OpenAPI document where it is asked for", []string{"/api/schemas"}, nil, OpenAPI, "interpretation", ErrNoDocument, 0},
		{"no document", nil, nil, "", "interpretation", ErrNoDocument, 0},
		{"a view that fails, and one that has the type", []string{"/api/schemas"}, broken, "", "interpretation", nil, 1},
		{"a view that fails, and one without the type", []string{"/api/schemas"}, broken, "", "nobody", broken, 0},
	} {
		d := &desk{docs: map[string]string{}, fail: c.fail}
		for _, path := range c.docs {
			d.docs[path] = both().docs[path]
		}
		f, err := library(t, d).Lookup(t.Context(), c.name, c.source, false)
		if !errors.Is(err, c.want) || err == nil && len(f.Warnings) != c.warnings {
			t.Errorf("%s: %+v, %v", c.why, f, err)
		}
	}
	second := &desk{docs: map[string]string{"/api/openapi.json": `{"components":{"schemas":{"Only":{}}}}`}}
	if got := library(t, second).found(t, "only", OpenAPI, false); got != "Only oas server" {
		t.Errorf("the document's other place: %s", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := library(t, both()).Lookup(ctx, "nobody", "", false); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	unkept := library(t, both())
	unkept.Store.Folder = "/dev/null/below"
	if f, err := unkept.Lookup(t.Context(), "interpretation", Schemas, false); err != nil || len(f.Warnings) != 1 {
		t.Errorf("a cache that cannot be written: %+v, %v", f, err)
	}
	var unknown *UnknownTypeError
	if _, err := library(t, both()).Lookup(t.Context(), "dataelemen", "", false); !errors.As(err, &unknown) || !slices.Contains(unknown.Suggestions, "DataElement") {
		t.Errorf("suggestions: %v", err)
	}
}

func TestNames(t *testing.T) {
	l := library(t, both())
	names := l.Names()
	if !slices.IsSorted(names) || !slices.Contains(names, "pushAnalysis") || !slices.Contains(names, "categories") || slices.Contains(names, "apps") {
		t.Errorf("embedded names %v", names)
	}
	if types := l.TypeNames(); !slices.Contains(types, "SystemInfo") || !slices.Contains(types, "Interpretation") {
		t.Errorf("embedded types %v", types)
	}
	if _, err := l.Refresh(t.Context(), Schemas); err != nil {
		t.Fatal(err)
	}
	if names := l.Names(); !slices.Equal(names, []string{"dataElements"}) {
		t.Errorf("names of the server %v", names)
	}
}

// Platform toolkit, section 3.1: the union of what the views declare, in any case.
// Rows of docs/platform.md: 4.24.
func TestUnknownFields(t *testing.T) {
	l := library(t, both())
	for _, c := range []struct {
		typ, fields, want string
	}{
		{"dataElements", "id,NAME,valuetype,live,nope", "live,nope"},
		{"DataElement", "id", ""},
		{"interpretations", "id,anything", ""}, // only its name is known
		{"nobody", "id,anything", ""},
	} {
		if got := strings.Join(l.UnknownFields(c.typ, strings.Split(c.fields, ",")), ","); got != c.want {
			t.Errorf("%s of %s: %q", c.fields, c.typ, got)
		}
	}
	if _, err := l.Refresh(t.Context(), Schemas); err != nil {
		t.Fatal(err)
	}
	if got := l.UnknownFields("dataElements", []string{"live", "valueType", "nope"}); !slices.Equal(got, []string{"nope"}) {
		t.Errorf("with what is kept: %v", got)
	}
}
