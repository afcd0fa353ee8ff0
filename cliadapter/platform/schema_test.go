package platform_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// A described type is the JSON of the command schema.
type described struct {
	Name, Source, Version string
	FieldCount            int `json:"field_count"`
	Fields                []struct {
		Name, Type, Description string
		Required                bool
	}
}

func (p *onPlatform) schema(t *testing.T, args ...string) described {
	t.Helper()
	var d described
	if err := json.Unmarshal([]byte(p.must(t, append([]string{"--json", "schema"}, args...)...)), &d); err != nil {
		t.Fatal(err)
	}
	if d.Version != fmt.Sprintf("v%d", p.major) || d.FieldCount != len(d.Fields) || len(d.Fields) == 0 {
		t.Errorf("%v: %+v", args, d)
	}
	return d
}

// asked returns the paths of the API requested since the last call, except those of connecting.
func (p *onPlatform) asked() string {
	var paths []string
	for _, r := range p.Requests() {
		if strings.HasPrefix(r.Path, "/api/") && r.Path != "/api/system/info" {
			paths = append(paths, r.Path)
		}
	}
	p.Forget()
	return strings.Join(paths, " ")
}

// openAPIPaths are those that are asked for the OpenAPI document of a major.
func (p *onPlatform) openAPIPaths() string {
	if p.major == 41 {
		return "/api/openapi/openapi.json /api/openapi.json"
	}
	return "/api/openapi/openapi.json"
}

// Platform client, section 4: schema describes fields (name, type, required, description)
// of a type, in any case and of its plural; the version is detected from the server; --source
// selects the view. Platform toolkit, section 4.1: nothing else is read in the default mode.
// Rows of docs/platform.md: 4.23, T3.1, T4.1, T4.2.
func TestSchema(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		for _, name := range []string{"DataElement", "dataelement", "DATAELEMENTS"} {
			d := p.schema(t, name)
			i := slices.IndexFunc(d.Fields, func(f struct {
				Name, Type, Description string
				Required                bool
			},
			) bool {
				return f.Name == "valueType"
			})
			if d.Name != "DataElement" || d.Source != "schemas" || i < 0 {
				t.Fatalf("%s: %+v", name, d)
			}
			if f := d.Fields[i]; !f.Required || f.Description == "" || !strings.HasPrefix(f.Type, "ValueType (TEXT, ") {
				t.Errorf("%s: %+v", name, f)
			}
		}
		if asked := p.asked(); asked != "" {
			t.Errorf("asked for %s", asked)
		}
		if out := p.must(t, "schema", "dataElements"); !strings.HasPrefix(out, fmt.Sprintf("DataElement (schemas, v%d): ", p.major)) ||
			!strings.Contains(out, "NAME ") || !strings.Contains(out, " more) ") || !strings.Contains(out, "yes") {
			t.Errorf("for people:\n%s", out)
		}
		// What only the server knows is asked for once.
		for _, step := range []struct{ source, kind, asked string }{
			{"schemas", "InterpretationComment", "/api/schemas"},
			{"schemas", "InterpretationComment", ""},
			{"oas", "InterpretationComment | None", p.openAPIPaths()},
			{"oas", "InterpretationComment | None", ""},
		} {
			p.asked()
			d := p.schema(t, "interpretations", "--source", step.source)
			want := strings.Replace("list["+step.kind, "InterpretationComment", "InterpretationComment]", 1)
			found := false
			for _, f := range d.Fields {
				found = found || f.Name == "comments" && f.Type == want
			}
			if asked := p.asked(); d.Source != step.source || !found || asked != step.asked {
				t.Errorf("%s: asked for %q, got %+v", step.source, asked, d)
			}
		}
		if d := p.schema(t, "dataElements"); d.Source != "oas" {
			t.Errorf("auto with both views kept: %s", d.Source)
		}
		p.asked()
		if p.schema(t, "dataElements", "--live", "--source", "schemas"); p.asked() != "/api/schemas" {
			t.Error("--live does not ask the server")
		}
	})
}

// Platform client, section 7: unknown schema type: exit 2 with suggestions. Section 4:
// unknown name prints suggestions and exits 2.
// Rows of docs/platform.md: 4.23, 7.11, T4.1.
func TestSchemaUnknown(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		said := p.fails(t, 2, "schema", "dataelemnt")
		if !strings.Contains(said, fmt.Sprintf("unknown type 'dataelemnt' for v%d. Did you mean: DataElement, ", p.major)) {
			t.Errorf("said %s", said)
		}
		if said := p.fails(t, 2, "--json", "schema", "Q"+strings.Repeat("x", 30)); strings.Contains(said, "Did you mean") {
			t.Errorf("said %s", said)
		}
		p.fails(t, 2, "schema")
		p.fails(t, 2, "schema", "DataElement", "--source", "swagger")
	})
}

// A type that is known by name only is not suggested to itself: the message says what is
// missing and how to get it.
// Rows of docs/platform.md: T4.1.
func TestSchemaWithoutFields(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		p.home = t.TempDir() // without a profile
		for _, name := range []string{"Interpretation", "interpretations"} {
			said := p.fails(t, 1, "schema", name)
			if !strings.Contains(said, "are not built in") || !strings.Contains(said, "hint: select a profile") || strings.Contains(said, "Did you mean") {
				t.Errorf("%s: %s", name, said)
			}
		}
	})
}

// Platform toolkit, section 0.2, D9: without a server the version is that of the profile,
// else that of PLATFORM_VERSION, else v42.
func TestSchemaOffline(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		version := fmt.Sprintf("v%d", p.major)
		p.env["PLATFORM_NO_CACHE"] = "1" // else the version is known
		p.schema(t, "interpretations", "--source", "schemas")
		p.asked()
		p.transport = refusing{}
		if said := p.fails(t, 1, "schema", "DataElement"); !strings.Contains(said, "cannot reach") {
			t.Errorf("out of reach, and no version is said: %s", said)
		}
		p.env["PLATFORM_VERSION"] = version
		for _, name := range []string{"DataElement", "interpretations"} { // embedded, and kept
			p.schema(t, name)
		}
		if said := p.fails(t, 1, "schema", "DataElement", "--live"); !strings.Contains(said, "no connection to a platform") {
			t.Errorf("--live out of reach: %s", said)
		}
		p.home = t.TempDir() // without a profile
		d := p.schema(t, "oauth2clients")
		if want := map[bool]string{true: "OAuth2Client", false: "Dhis2OAuth2Client"}[p.major == 41]; d.Name != want {
			t.Errorf("without a profile: %+v", d)
		}
		delete(p.env, "PLATFORM_VERSION")
		code, out, errs := p.run(t, "schema", "Me")
		if code != 0 || !strings.HasPrefix(out, "Me (oas, v42): ") || !strings.Contains(errs, "no profile is selected") {
			t.Errorf("no version: %d %s%s", code, out, errs)
		}
		p.fails(t, 1, "schema", "Me", "--profile", "nobody")
		if asked := p.asked(); asked != "" {
			t.Errorf("asked for %s", asked)
		}
	})
}

// A refusing transport reaches no server.
type refusing struct{}

func (refusing) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("no route to host")
}

// Rows of docs/platform.md: T4.2.
func TestSchemaOfAServerWithFaults(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		p.Fault("/api/openapi*", platformtest.Fault{Status: 500})
		code, out, errs := p.run(t, "schema", "interpretation")
		if code != 0 || !strings.HasPrefix(out, "Interpretation (schemas, ") || !strings.Contains(errs, "warning: API error (500)") {
			t.Errorf("one view fails: %d %s%s", code, out, errs)
		}
		if said := p.fails(t, 1, "schema", "interpretation", "--source", "oas"); !strings.Contains(said, "API error (500)") {
			t.Errorf("the view asked for fails: %s", said)
		}
		if said := p.fails(t, 1, "schema", "nobody"); !strings.Contains(said, "API error (500)") {
			t.Errorf("a type that the view may have: %s", said)
		}
		p.Heal()
		p.Fault("/api/openapi*", platformtest.Fault{Status: 404})
		if said := p.fails(t, 1, "schema", "interpretation", "--source", "oas"); !strings.Contains(said, "no description of its types") {
			t.Errorf("the view asked for is not there: %s", said)
		}
		p.fails(t, 2, "schema", "nobody")
		p.Heal()
		p.Fault("/api/openapi*", platformtest.Fault{HTML: true})
		if said := p.fails(t, 1, "schema", "interpretation", "--source", "oas"); said == "" {
			t.Error("a page is taken for a document")
		}
	})
}

// Names of types are completed without asking the server: those embedded, and those kept.
func TestCompletionOfTypes(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		for words, want := range map[string]string{
			"schema Data":                  "DataElement",
			"schema SystemI":               "SystemInfo",
			"schema DataElement --source ": "oas",
			"metadata list dataEl":         "dataElements",
			"metadata get users":           "users",
			"metadata list --fields id u":  "userRoles",
			"-p prod metadata list opt":    "optionSets",
			"metadata type l":              "list",
			"metadata list dataElements ":  "",
		} {
			out := p.must(t, append([]string{"__complete"}, strings.Split(words, " ")...)...)
			found := slices.ContainsFunc(strings.Split(out, "\n"), func(line string) bool { return strings.HasPrefix(line, want) })
			if want == "" && strings.Contains(out, "data") || !found {
				t.Errorf("%s: %s", words, out)
			}
		}
		if n := len(p.Requests()); n != 0 {
			t.Errorf("%d requests", n)
		}
		p.schema(t, "interpretations", "--source", "schemas")
		p.Forget()
		if out := p.must(t, "__complete", "metadata", "list", ""); !strings.Contains(out, "visualizations\n") || strings.Contains(out, "predictors\n") {
			t.Errorf("what is kept of the server: %s", out)
		}
		if n := len(p.Requests()); n != 0 {
			t.Errorf("%d requests", n)
		}
	})
}

// Platform toolkit, section 4.3: dev codegen writes catalogues of a live server.
// Rows of docs/platform.md: T3.4, T4.3.
func TestDevCodegen(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		folder := t.TempDir()
		var rows []struct {
			Source, Version, Path string
			RawVersion            string `json:"raw_version"`
			Types                 int
		}
		if err := json.Unmarshal([]byte(p.must(t, "dev", "codegen", "--json", "--url", p.URL+"/", "--output-dir", folder)), &rows); err != nil {
			t.Fatal(err)
		}
		if len(rows) != 2 || rows[0].Source != "oas" || rows[1].Source != "schemas" {
			t.Fatalf("rows %+v", rows)
		}
		for _, row := range rows {
			want := filepath.Join(folder, fmt.Sprintf("v%d-%s.json.gz", p.major, row.Source))
			if info, err := os.Stat(row.Path); row.Path != want || err != nil || info.Size() == 0 || row.Types < 10 || !strings.HasPrefix(row.RawVersion, fmt.Sprintf("2.%d.", p.major)) {
				t.Errorf("%+v: %v", row, err)
			}
		}
		p.asked()
		if p.schema(t, "interpretation"); p.asked() != "" {
			t.Error("what was written is not kept")
		}
		// Credentials of the profile stay with its server.
		other := newOnPlatform(t, p.major)
		if said := p.fails(t, 1, "dev", "codegen", "--url", other.URL, "--output-dir", folder); !strings.Contains(said, "no credentials for") || len(other.Requests()) != 0 {
			t.Errorf("another server: %s", said)
		}
		p.env["PLATFORM_PAT"] = platformtest.PAT
		p.must(t, "dev", "codegen", "--url", other.URL, "--source", "schemas", "--output-dir", folder)
		p.env["PLATFORM_URL"] = p.URL
		other.Forget()
		if said := p.fails(t, 1, "dev", "codegen", "--url", other.URL); !strings.Contains(said, "PLATFORM_URL") || len(other.Requests()) != 0 {
			t.Errorf("credentials of another server: %s", said)
		}
		p.fails(t, 2, "dev", "codegen", "--url", "nowhere")
	})
}
