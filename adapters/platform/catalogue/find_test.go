package catalogue

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func view(source Source, types ...Type) *Catalogue {
	return &Catalogue{Version: "v42", RawVersion: "2.42.4", Source: source, Types: types}
}

// Platform toolkit, section 4.6.
// Rows of docs/platform.md: 4.23, T4.6.
func TestFind(t *testing.T) {
	oas := view(OpenAPI, Type{Name: "Category"}, Type{Name: "DataElement"}, Type{Name: "Me"})
	schemas := view(Schemas, Type{Name: "Box"}, Type{Name: "DataElement", Plural: "dataElements"},
		Type{Name: "Dhis2OAuth2Client", Plural: "oAuth2Clients", Singular: "oAuth2Client"}, Type{Name: "Series"}, Type{Name: "User", Plural: "users"})
	for _, c := range []struct {
		query, name string
		source      Source
	}{
		{"DataElement", "DataElement", OpenAPI},
		{"dataelement", "DataElement", OpenAPI},
		{"DATAELEMENTS", "DataElement", OpenAPI}, // the earlier view, though only the later knows the plural
		{"categories", "Category", OpenAPI},
		{"boxes", "Box", Schemas},
		{"series", "Series", Schemas},
		{"oauth2clients", "Dhis2OAuth2Client", Schemas},
		{"OAuth2Client", "Dhis2OAuth2Client", Schemas},
		{"users", "User", Schemas},
		{"mes", "Me", OpenAPI},
		{"userz", "", ""},
		{"", "", ""},
		{"s", "", ""},
		{"es", "", ""},
		{"ies", "", ""},
	} {
		from, typ := Find(c.query, oas, nil, schemas)
		switch {
		case typ == nil && c.name != "":
			t.Errorf("%q is not found", c.query)
		case typ != nil && (typ.Name != c.name || from.Source != c.source):
			t.Errorf("%q is %s of %s, not %s of %s", c.query, typ.Name, from.Source, c.name, c.source)
		}
	}
}

// Platform toolkit, section 4.6: those that contain the query, then those like it.
// Rows of docs/platform.md: 4.23, T4.6.
func TestSuggest(t *testing.T) {
	oas := view(OpenAPI, Type{Name: "DataElement"}, Type{Name: "DataElementGroup"}, Type{Name: "User"})
	schemas := view(Schemas, Type{Name: "DataElement"}, Type{Name: "DataSetElement"}, Type{Name: "UserRole"}, Type{Name: "Usher"})
	for query, want := range map[string]string{
		"element":    "DataElement,DataElementGroup,DataSetElement",
		"user":       "User,UserRole,Usher",
		"dataelemnt": "DataElement,DataSetElement,DataElementGroup",
		"xyz":        "",
		"":           "",
	} {
		for range 3 {
			if got := strings.Join(Suggest(query, oas, schemas, nil), ","); got != want {
				t.Errorf("%q: %s, want %s", query, got, want)
			}
		}
	}
	many := view(OpenAPI)
	for _, end := range "abcdefghijkl" {
		many.Types = append(many.Types, Type{Name: "Type" + string(end)})
	}
	if got := Suggest("type", many); !slices.Equal(got, []string{"Typea", "Typeb", "Typec", "Typed", "Typee", "Typef", "Typeg", "Typeh"}) {
		t.Errorf("the first of many: %v", got)
	}
	if got := Suggest(strings.Repeat("a", 10_000), many); got != nil {
		t.Errorf("a name of 10,000 letters is like %v", got)
	}
}

// Rows of docs/platform.md: T4.6.
func TestRatio(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want float64
	}{
		{"", "", 1},
		{"a", "", 0},
		{"abcd", "bcde", 0.75},
		{"wikimedia", "wikimania", 14.0 / 18},
		{"abxcd", "abcd", 8.0 / 9},
		{"private", "privates", 14.0 / 15},
		{"tide", "diet", 0.25}, // the first of the longest common parts is "t", and nothing follows it in "diet"
		{"diet", "tide", 0.5},  // the other way round it is "d", then "e"
	} {
		if got := ratio(c.a, c.b); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%q and %q: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
