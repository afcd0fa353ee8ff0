package catalog

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

// TestReadCodeSystem reads a document with one code system and nothing else, in any order.
func TestReadCodeSystem(t *testing.T) {
	const system, other = `{"resourceType":"CodeSystem","url":"http://s","status":"active","content":"complete"}`, `{"resourceType":"ValueSet","url":"http://v","status":"active"}`
	bundle := func(list ...string) string {
		return `{"resourceType":"Bundle","type":"collection","entry":[{"resource":` + strings.Join(list, `},{"resource":`) + `}]}`
	}
	for doc, want := range map[string]bool{
		system: true, other: false, `{`: false, bundle(system): true, bundle(system, other): false, bundle(other, system): false, bundle(system, system): false, bundle(other): false,
	} {
		x, err := ReadCodeSystem(t.Context(), "doc", []byte(doc))
		if (err == nil) != want || want && x.URL() != "http://s" || !want && !errors.Is(err, issue.ErrInvalidResource) {
			t.Errorf("%s: %v", doc, err)
		}
	}
}

// TestDocuments: what is refused when it is stored is refused when it came with a request and is used.
func TestDocuments(t *testing.T) {
	for doc, want := range map[string]bool{
		`{"resourceType":"ValueSet","url":"http://v","compose":{"include":[{"system":"http://s"}]}}`:                                           true,
		`{"resourceType":"ValueSet","url":"http://v","compose":{"include":[]}}`:                                                                false,
		`{"resourceType":"ValueSet","url":"http://v","compose":7}`:                                                                             false,
		`{"resourceType":"ConceptMap","url":"http://m","group":[{"element":[{"code":"a","target":[{"code":"b","equivalence":"equal"}]}]}]}`:    true,
		`{"resourceType":"ConceptMap","url":"http://m","group":[{"element":[{"code":"a","target":[{"code":"b","equivalence":"the same"}]}]}]}`: false,
		`{"resourceType":"CodeSystem","url":"http://s","content":"complete","concept":[{"code":"a"}]}`:                                         true,
		`{"resourceType":"CodeSystem","url":"http://s","content":"complete","concept":[{"code":"a"},{"code":"a"}]}`:                            false,
	} {
		typ, err := DocumentType("tx-resource", []byte(doc))
		k, ok := KindOf(typ)
		if err != nil || !ok {
			t.Fatal(typ, err, ok)
		}
		if _, err := Prepare(t.Context(), k, "doc", []byte(doc)); (err == nil) != want || !want && !errors.Is(err, issue.ErrInvalidResource) {
			t.Errorf("%s is stored: %v", doc, err)
		}
		e, err := DocumentEntry("tx-resource", typ, []byte(doc))
		for range 2 { // the second use has the first answer
			if err == nil {
				switch k {
				case KindCodeSystem:
					_, err = e.CodeSystem()
				case KindValueSet:
					_, err = e.ValueSet()
				default:
					_, err = e.ConceptMap()
				}
			}
			if (err == nil) != want || !want && !errors.Is(err, issue.ErrInvalidParameter) {
				t.Errorf("%s with a request: %v", doc, err)
			}
		}
	}
}

// published returns the entry of a code system without concepts.
func published(t testing.TB, id, url, version, supplements string) *Entry {
	h := &r4.CodeSystem{Header: r4.Header{ResourceType: "CodeSystem", ID: id, URL: url, Version: version}, Content: "complete"}
	if supplements != "" {
		h.Content, h.Supplements = "supplement", supplements
	}
	x, err := codesystem.NewBuilder(h).Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return CodeSystemEntry(x, "made here")
}

// TestState: a state finds code systems by id, version and supplement, and does not change when others are
// made of it.
func TestState(t *testing.T) {
	const edition = SNOMED + "/1/version/20260101"
	supplement := published(t, "p", "http://p", "1", "http://s")
	first := NewState().Publish([]*Entry{published(t, "a", "http://s", "1", "")})
	stored := published(t, "c", "http://s", "2", "")
	stored.Stored = true
	second := first.Publish([]*Entry{published(t, "b", "http://s", "2", ""), stored, published(t, "n", "http://s", "", ""), supplement, published(t, "e", SNOMED, edition, "")})
	third := second.Publish([]*Entry{published(t, "f", SNOMED, SNOMED+"/2/version/20260101", "")})
	with, err := second.With([]*Entry{published(t, "g", "http://s", "1.5", "")})
	if err != nil {
		t.Fatal(err)
	}
	gone := second.Withdraw(KindCodeSystem, "c")
	for _, tt := range []struct {
		st                 *State
		url, version, want string
		versions           string
		supplements        bool
	}{
		{first, "http://s", "", "1", "1", false},
		{second, "http://s", "", "2", "1 2", true},
		{second, "http://s", "1", "1", "1 2", true},
		{second, "http://s", "3", "-", "1 2", true},
		{with, "http://s", "", "1.5", "1 1.5 2", true},
		{gone, "http://s", "", "2", "1 2", true},
		{second, SNOMED, "20260101", edition, edition, true},
		{third, SNOMED, "20260101", "-", edition + " " + SNOMED + "/2/version/20260101", true},
		{second, "http://p", "", "-", "", true},
	} {
		got := "-"
		if x, err := tt.st.System(tt.url, tt.version); err == nil {
			got = x.Version()
		}
		if versions := strings.Join(tt.st.Versions(tt.url), " "); got != tt.want || versions != tt.versions || tt.st.HasSupplements() != tt.supplements {
			t.Errorf("%s|%s: %s of %s, %v; want %s of %s", tt.url, tt.version, got, versions, tt.st.HasSupplements(), tt.want, tt.versions)
		}
	}
	if list := []uint64{first.Generation, second.Generation, third.Generation, with.Generation, gone.Generation}; !slices.IsSorted(list) || len(slices.Compact(list)) != 5 {
		t.Errorf("generations %d", list)
	}
	for _, tt := range []struct {
		id, url, version string
		ok               bool
	}{
		{"a", "", "", true},
		{"a", "http://s", "1", true},
		{"a", "http://s|1", "", true},
		{"a", "", "2", false},
		{"a", "http://t", "", false},
		{"p", "", "", false},
		{"z", "", "", false},
		{"c", "", "2", true},
		{"", "", "", false},
		{"", "http://s|1", "1", true},
		{"", "http://s|1", "2", false},
	} {
		if x, err := second.CodeSystem(tt.id, "url", tt.url, tt.version); (err == nil) != tt.ok || tt.ok && x.URL() != "http://s" {
			t.Errorf("%+v: %v", tt, err)
		}
	}
	x, err := second.System("http://s", "")
	if err != nil {
		t.Fatal(err)
	}
	for want, names := range map[string][]string{"": {"http://p", "http://p|1"}, "http://q": {"http://p", "http://q"}, "http://p|2": {"http://p|2", "http://q"}} {
		err := second.CheckSupplements(names, []*codesystem.Index{nil, x})
		if (err == nil) != (want == "") || err != nil && (!errors.Is(err, issue.ErrUnknownSupplement) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", names, err)
		}
	}
}
