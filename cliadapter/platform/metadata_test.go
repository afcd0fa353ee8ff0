package platform_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// last returns the query of the last request of a path, and how many there were.
func (p *onPlatform) last(path string) (query url.Values, n int) {
	for _, r := range p.Requests() {
		if r.Path == path {
			query = r.Query
			n++
		}
	}
	p.Forget()
	return query, n
}

// Platform client, section 4: an unknown --fields name gives a warning only; the query still
// runs. Platform toolkit, section 3.1: which names are looked at.
// Rows of docs/platform.md: 4.24, 4.28, T3.1.
func TestMetadataWarnings(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		for _, c := range []struct {
			typ, fields string
			warned      []string
		}{
			{"dataElements", "id,valuType", []string{`dataElements has no field "valuType"`}},
			{"dataElements", "nope,id,never", []string{`"nope"`, `"never"`}},
			{"dataElement", "ID, Name", nil},
			{"dataElements", "id,nope[id]", nil},
			{"dataElements", "id,nope,userRoles::size", nil},
			{"dataElements", "nope,*", nil},
			{"dataElements", "nope,!id", nil},
			{"dataElements", "nope,user.id", nil},
			{"dataElements", "nope,users~size", nil},
			{"interpretations", "id,nope", nil}, // only its name is known
		} {
			p.Forget()
			code, out, errs := p.run(t, "metadata", "list", c.typ, "--fields", c.fields)
			if strings.Count(errs, "warning: ") != len(c.warned) || strings.Count(errs, "\n") != len(c.warned) {
				t.Errorf("%s of %s: %s", c.fields, c.typ, errs)
			}
			for _, want := range c.warned {
				if !strings.Contains(errs, want) || !strings.Contains(errs, fmt.Sprintf("v%d", p.major)) {
					t.Errorf("%s of %s: %s lacks %s", c.fields, c.typ, errs, want)
				}
			}
			if len(c.warned) > 0 && (code != 0 || !strings.Contains(out, "Del00000001") || p.asked() != "/api/dataElements") {
				t.Errorf("%s of %s: the query does not run: %d %s", c.fields, c.typ, code, out)
			}
		}
		if _, _, errs := p.run(t, "metadata", "list", "dataElements", "--fields", "valuType"); !strings.Contains(errs, "did you mean valueType?") {
			t.Errorf("no suggestion: %s", errs)
		}
		if _, _, errs := p.run(t, "metadata", "list", "dataElements", "--fields", "nope", "--count"); errs != "" {
			t.Errorf("a count has no fields: %s", errs)
		}
		// What is kept of the server counts as known.
		p.schema(t, "indicators", "--source", "schemas")
		code, _, errs := p.run(t, "metadata", "list", "indicators", "--fields", "id,numerator,nope")
		if code != 0 || strings.Count(errs, "warning: ") != 1 || !strings.Contains(errs, `"nope"`) {
			t.Errorf("with what is kept: %d %s", code, errs)
		}
	})
}

// Rows of docs/platform.md: T3.4.
func TestMetadataGet(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		if out := p.must(t, "metadata", "get", "dataElement", "Del00000003", "--fields", "name,optionSet[id,name],id"); out !=
			"name       Laboratory result\noptionSet  Results (Ops00000001)\nid         Del00000003\n" {
			t.Errorf("for people:\n%s", out)
		}
		if out := p.must(t, "metadata", "get", "dataElements", "Del00000001"); !strings.Contains(out, "\nzeroIsSignificant ") || !strings.Contains(out, "Malaria cases\n") {
			t.Errorf("all fields:\n%s", out)
		}
		p.Put("apiToken", platformtest.Object{"id": "Tok00000001", "name": "ci"}) // a path that is no plural
		if out := p.must(t, "metadata", "get", "ApiTokens", "Tok00000001", "--fields", "name"); out != "name  ci\n" {
			t.Errorf("a token:\n%s", out)
		}
		var object map[string]any
		if err := json.Unmarshal([]byte(p.must(t, "--json", "metadata", "get", "users", platformtest.UserID)), &object); err != nil || object["username"] != platformtest.Username {
			t.Errorf("JSON: %v, %v", object, err)
		}
		if said := p.fails(t, 1, "metadata", "get", "dataElements", "Del99999999"); !strings.Contains(said, "API error (404): Not Found: ") {
			t.Errorf("no such object: %s", said)
		}
	})
}

// Platform client, section 4: metadata type list returns the type names.
// Rows of docs/platform.md: 4.24.
func TestMetadataTypeList(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		want := "categories dashboards dataElements dataSets indicators interpretations optionSets organisationUnits programs routes userGroups userRoles users visualizations"
		if out := p.must(t, "metadata", "type", "list"); strings.Join(strings.Fields(out), " ") != want {
			t.Errorf("types:\n%s", out)
		}
		if asked := p.asked(); asked != "/api/schemas" {
			t.Errorf("asked for %s", asked)
		}
		var names []string
		if err := json.Unmarshal([]byte(p.must(t, "metadata", "type", "ls", "--json")), &names); err != nil || strings.Join(names, " ") != want {
			t.Errorf("JSON: %v, %v", names, err)
		}
		p.home = t.TempDir()
		code, out, errs := p.run(t, "metadata", "type", "list")
		if code != 0 || !strings.Contains(out, "\npushAnalysis\n") || !strings.Contains(errs, "no profile is selected") {
			t.Errorf("without a profile: %d %s%s", code, out, errs)
		}
	})
}

// An unknown type is a lookup error with suggestions: platform toolkit, section 2.11.
func TestMetadataRefused(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		for _, args := range []string{"list dataElemnts", "list dataElemnts --count", "list dataElemnts --all", "get dataElemnts Del00000001"} {
			if said := p.fails(t, 1, append([]string{"metadata"}, strings.Fields(args)...)...); !strings.Contains(said, `"dataElemnts"`) || !strings.Contains(said, "did you mean dataElements") {
				t.Errorf("%s: %s", args, said)
			}
		}
		for args, say := range map[string]string{
			"list dataElements --count --all":             "--count and --all cannot be used together",
			"list dataElements --count --output x":        "--count and --output cannot be used together",
			"list dataElements --output -":                "use --all --json",
			"list dataElements --all --page 1":            "--all and --page cannot be used together",
			"list dataElements --page 0":                  "--page must be a whole number of at least 1",
			"list dataElements --filter name":             "property:operator:value",
			"list dataElements --order name":              "property:asc",
			"list dataElements --root-junction XOR":       "--root-junction must be one of",
			"list":                                        "TYPE is missing",
			"get users":                                   "UID is missing",
			"get users Usr00000001 Usr00000002":           "unexpected argument",
			"list dataElements --page-size -1 --fields x": "--page-size",
		} {
			p.Forget()
			if said := p.fails(t, 2, append([]string{"metadata"}, strings.Fields(args)...)...); !strings.Contains(said, say) || len(p.Requests()) != 0 {
				t.Errorf("%s: %s", args, said)
			}
		}
	})
}
