package catalogue

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestPacked requires that the packed file is that of embedded.txt.
func TestPacked(t *testing.T) {
	text, err := os.ReadFile("embedded.txt")
	if err != nil || string(text) != embedded() {
		t.Errorf("%v; go generate ./adapters/platform/catalogue packs embedded.txt again", err)
	}
}

// Rows of docs/platform.md: T4.3.
func TestEmbedded(t *testing.T) {
	for _, major := range []int{41, 42, 43} {
		for source, least := range map[Source]int{Schemas: 75, OpenAPI: 3} {
			c := Embedded(major, source)
			if len(c.Types) < least {
				t.Errorf("%d %s: %d types", major, source, len(c.Types))
			}
			if detailed := len(c.detailed().Types); source == Schemas && detailed < 75 {
				t.Errorf("%d: the fields of %d types are known", major, detailed)
			}
			for _, typ := range c.Types {
				if !strings.HasPrefix(typ.Endpoint, "/api/") || source == Schemas && (typ.Plural == "" || !typ.Metadata) {
					t.Errorf("%d %s: %+v", major, source, typ)
				}
				seen := map[string]bool{}
				for _, f := range typ.Fields {
					if f.Type == "" || strings.ContainsAny(f.Name, "!@*# ") || seen[f.Name] {
						t.Errorf("%d %s: %+v", major, typ.Name, f)
					}
					seen[f.Name] = true
				}
			}
		}
	}
	again := Embedded(42, Schemas)
	if first := Embedded(42, Schemas); !slices.EqualFunc(first.Types, again.Types, sameType) {
		t.Error("the embedded catalogue differs from itself")
	}
}

// Platform toolkit, section 7.2: what differs between the majors.
func TestEmbeddedMajors(t *testing.T) {
	for _, c := range []struct {
		typ, field string
		source     Source
		majors     [3]bool
	}{
		{"oAuth2Clients", "cid", Schemas, [3]bool{true, false, false}},
		{"oAuth2Clients", "clientId", Schemas, [3]bool{false, true, true}},
		{"user", "twoFactorEnabled", Schemas, [3]bool{true, false, false}},
		{"user", "twoFactorType", Schemas, [3]bool{false, true, true}},
		{"app", "displayName", OpenAPI, [3]bool{false, true, true}},
		{"app", "name", OpenAPI, [3]bool{true, true, true}},
	} {
		for i, has := range c.majors {
			_, typ := Find(c.typ, Embedded(41+i, c.source))
			if typ == nil {
				t.Fatalf("%s is not embedded for %d", c.typ, 41+i)
			}
			if got := typ.Field(c.field) != nil; got != has {
				t.Errorf("%d: %s.%s is there: %v", 41+i, c.typ, c.field, got)
			}
		}
	}
	_, route := Find("routes", Embedded(41, Schemas))
	if auth := route.Field("auth"); auth == nil || strings.Contains(auth.Type, "oauth2") {
		t.Errorf("auth of a route of 41: %+v", auth)
	}
}

func sameType(a, b Type) bool {
	return a.Name == b.Name && a.Plural == b.Plural && a.Singular == b.Singular && a.Endpoint == b.Endpoint &&
		a.Metadata == b.Metadata && (a.Fields == nil) == (b.Fields == nil) && slices.EqualFunc(a.Fields, b.Fields, sameField)
}

func sameField(a, b Field) bool {
	return a.Name == b.Name && a.Type == b.Type && a.Required == b.Required && a.Text() == b.Text()
}
