package httpadapter

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/engine/operation"
)

// openAPIDocument is what these tests read of an OpenAPI document.
type openAPIDocument struct {
	Servers    []openAPIServer
	Security   []map[string][]string
	Paths      map[string]openAPIPath
	Components struct {
		Schemas         map[string]map[string]any
		Responses       map[string]map[string]any
		Parameters      map[string]openAPIParameter
		RequestBodies   map[string]map[string]any
		SecuritySchemes map[string]map[string]any
	}
	raw []byte
}

type (
	openAPIServer struct{ URL string }
	openAPIPath   struct {
		Servers                       []openAPIServer
		Get, Put, Post, Patch, Delete *openAPIOperation
	}
	openAPIOperation struct {
		OperationID string
		Parameters  []openAPIParameter
		RequestBody map[string]any
		Responses   map[string]map[string]any
		Security    *[]map[string][]string
	}
	openAPIParameter struct {
		Ref     string `json:"$ref"`
		Name    string
		Schema  map[string]any
		Example any
	}
)

// openAPIOf returns the OpenAPI document of a base.
func openAPIOf(t testing.TB, c *client, base string) *openAPIDocument {
	t.Helper()
	r := c.get(base + openapiPath)
	if r.status != 200 || r.header.Get("Content-Type") != mediaJSON {
		t.Fatalf("%d %s %s", r.status, r.header.Get("Content-Type"), cut(r.body))
	}
	return parsedOpenAPI(t, r.body)
}

func parsedOpenAPI(t testing.TB, text string) *openAPIDocument {
	t.Helper()
	if strings.Contains(text, anyAddress) {
		t.Error("the address of the server is not set everywhere")
	}
	doc := &openAPIDocument{raw: []byte(text)}
	if err := json.Unmarshal(doc.raw, doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// operations returns the operations as METHOD path.
func (d *openAPIDocument) operations() map[string]*openAPIOperation {
	all := map[string]*openAPIOperation{}
	for path, item := range d.Paths {
		for method, op := range map[string]*openAPIOperation{"GET": item.Get, "PUT": item.Put, "POST": item.Post, "PATCH": item.Patch, "DELETE": item.Delete} {
			if op != nil {
				all[method+" "+path] = op
			}
		}
	}
	return all
}

// parameter follows the reference to a parameter.
func (d *openAPIDocument) parameter(p openAPIParameter) openAPIParameter {
	if name, is := strings.CutPrefix(p.Ref, "#/components/parameters/"); is {
		return d.Components.Parameters[name]
	}
	return p
}

// TestOpenAPIIsValid lets a library of others judge documents of several kinds. It follows each
// reference as often as it meets it, for which the schemas of FHIR refer to each other too much, so it
// resolves the references of the whole document, and judges a document whose schemas have none.
func TestOpenAPIIsValid(t *testing.T) {
	for name, c := range map[string]*client{
		"everything": newClient(t, generating, exporting(t), func(c *Config) { c.Metrics = true }),
		"nothing":    newClient(t, withoutStore, severalSchemes),
	} {
		for _, base := range []string{"", "/r5"} {
			doc := openAPIOf(t, c, base)
			if _, err := openapi3.NewLoader().LoadFromData(doc.raw); err != nil {
				t.Errorf("%s %s: %v", name, base, err)
			}
			var flat map[string]any
			if err := json.Unmarshal(doc.raw, &flat); err != nil {
				t.Fatal(err)
			}
			for _, schema := range at(flat, "components", "schemas").(map[string]any) {
				withoutReferences(schema)
			}
			text, err := json.Marshal(flat)
			if err != nil {
				t.Fatal(err)
			}
			judged, err := openapi3.NewLoader().LoadFromData(text)
			if err == nil {
				err = judged.Validate(context.Background())
			}
			if err != nil || !judged.IsOpenAPI31OrLater() {
				t.Errorf("%s %s: %v", name, base, err)
			}
		}
	}
}

// withoutReferences removes the references in a schema.
func withoutReferences(schema any) {
	switch part := schema.(type) {
	case map[string]any:
		delete(part, "$ref")
		delete(part, "discriminator") // of references
		for _, inner := range part {
			withoutReferences(inner)
		}
	case []any:
		for _, inner := range part {
			withoutReferences(inner)
		}
	}
}

// withoutStore makes a server that stores nothing.
func withoutStore(c *Config) { c.Resources, c.Closures = nil, nil }

// certificates is an Authenticator that states a service and no scheme, and passwords one that states both.
type (
	certificates struct{ badges }
	passwords    struct{ badges }
	silent       struct{ badges }
)

func (certificates) Scheme() string                  { return "" }
func (certificates) Service() (code, display string) { return "Certificates", "Certificates" }
func (passwords) Scheme() string                     { return "Basic" }
func (passwords) Service() (code, display string)    { return "Basic", "Basic" }
func (silent) Scheme() string                        { return "" }
func smartOf(s SMARTConfiguration) func(config *Config) {
	return func(c *Config) { c.SMART = s.always }
}

func (s SMARTConfiguration) always(context.Context) (*SMARTConfiguration, error) { return &s, nil }

// TestOpenAPIFollowsConfiguration checks that documents are valid for servers of all kinds, and what the
// settings change.
func TestOpenAPIFollowsConfiguration(t *testing.T) {
	metrics := func(c *Config) { c.Metrics = true }
	for _, row := range []struct {
		name     string
		change   []func(*Config)
		has, not string // operations, separated by commas
		schemes  string
	}{
		{"everything", nil, "GET /, POST /, GET /Patient, PUT /Patient/{id}, PATCH /Patient, GET /_history, GET /Patient/{id}/{type}, GET /ValueSet/$expand, POST /$closure", "GET /$closure, GET /_export/{job}, GET /metrics, POST /Patient/$generate", ""},
		{"nothing stored", []func(*Config){withoutStore}, "GET /ValueSet, GET /CodeSystem/{id}, GET /OperationDefinition, POST /, GET /terminology/memberOf", "GET /, GET /Patient, PUT /ValueSet/{id}, GET /_history, GET /CodeSystem/{id}/_history, POST /$closure", ""},
		{"no operations", []func(*Config){func(c *Config) { c.Operations = []*operation.Operation{} }}, "GET /Patient, POST /Patient/$validate", "GET /ValueSet/$expand, GET /terminology/memberOf, POST /CodeSystem/$lookup", ""},
		{"generating", []func(*Config){generating, metrics}, "POST /Patient/$generate, POST /$generate, GET /metrics", "GET /Patient/$generate", ""},
		{"exporting", []func(*Config){exporting(t)}, "GET /$export, GET /_export/{job}, DELETE /_export/{job}, GET /_export/{job}/{file}", "POST /_export/{job}", ""},
		{"metrics apart", []func(*Config){metrics, func(c *Config) { c.MetricsApart = true }}, "GET /healthz", "GET /metrics", ""},
		{"tokens", []func(*Config){guard}, "GET /Patient", "GET /.well-known/smart-configuration", "bearer"},
		{"what is not known", []func(*Config){guardedBy(silent{})}, "GET /Patient", "", "bearer"},
		{"several", []func(*Config){severalSchemes}, "GET /.well-known/smart-configuration", "", "bearer,basic,certificate,oauth2,"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := newClient(t, row.change...)
			doc := openAPIOf(t, c, "")
			all := doc.operations()
			for what := range strings.SplitSeq(row.has, ", ") {
				if all[what] == nil {
					t.Errorf("%s is missing", what)
				}
			}
			for what := range strings.SplitSeq(row.not, ", ") {
				if all[what] != nil {
					t.Errorf("%s is described", what)
				}
			}
			var schemes []string
			for _, requirement := range doc.Security {
				schemes = append(schemes, strings.Join(slices.Collect(maps.Keys(requirement)), "+"))
			}
			if got := strings.Join(schemes, ","); got != row.schemes {
				t.Errorf("schemes %q, want %q", got, row.schemes)
			}
			for _, path := range []string{"/metadata", openapiPath, "/healthz", "/readyz"} {
				if open := all["GET "+path].Security; open == nil || len(*open) > 0 {
					t.Errorf("%s: %v", path, open)
				}
			}
			statuses := all["GET /CodeSystem/{id}"].Responses
			if (statuses["401"] != nil) != (row.schemes != "") || (statuses["429"] != nil) != strings.Contains(row.schemes, "oauth2") {
				t.Errorf("statuses %v", slices.Sorted(maps.Keys(statuses)))
			}
			for _, name := range []string{"ServiceUnavailable", "TooManyRequests"} {
				if response := doc.Components.Responses[name]; response != nil && at(response, "headers", "Retry-After") == nil {
					t.Errorf("%s has no Retry-After", name)
				}
			}
		})
	}
}

// severalSchemes makes a server that accepts credentials of several kinds and bounds requests.
func severalSchemes(c *Config) {
	c.Authenticators = []Authenticator{badges{}, badges{}, passwords{}, certificates{}}
	c.Authorizer = ownRules{}
	c.Rates.Requests, c.Rates.Burst = 1000, 1000
	smartOf(SMARTConfiguration{
		AuthorizationEndpoint: "https://id.example/auth", TokenEndpoint: "https://id.example/token",
		GrantTypes: []string{"client_credentials"}, Scopes: []string{"openid", "user/*.rs"},
	})(c)
}

// ownRules is an Authorizer that permits nothing.
type ownRules struct{}

func (ownRules) Authorize(context.Context, *access.Principal) (*access.Grant, error) { return nil, nil }

// TestOpenAPIFlows checks the flows of OAuth 2.0.
func TestOpenAPIFlows(t *testing.T) {
	c := newClient(t, guard, smartOf(SMARTConfiguration{
		Issuer: "https://id.example", AuthorizationEndpoint: "https://id.example/auth", TokenEndpoint: "https://id.example/token",
		GrantTypes: []string{"authorization_code"}, Scopes: []string{"user/*.rs"},
	}))
	got := openAPIOf(t, c, "").Components.SecuritySchemes["oauth2"]["flows"]
	want := map[string]any{"authorizationCode": map[string]any{
		"authorizationUrl": "https://id.example/auth", "tokenUrl": "https://id.example/token",
		"scopes": map[string]any{"user/*.rs": "A scope of the authorization server."},
	}}
	if diff := cmp.Diff(any(want), got); diff != "" {
		t.Error(diff)
	}
}

// resourcesInAddresses are operations that can be asked by GET with a resource in the address, which is
// not described.
var resourcesInAddresses = []string{
	"/QuestionnaireResponse/$score", "/CodeSystem/$batch-validate-code", "/ValueSet/$batch-validate-code", "/$viewdefinition-run",
}

// TestOpenAPIAgreesWithRoutes checks, under every base, that what is described is served, and that every
// action and operation on every type is described.
func TestOpenAPIAgreesWithRoutes(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*Config)
	}{{"stored", generating}, {"nothing stored", withoutStore}} {
		t.Run(row.name, func(t *testing.T) {
			c := newClient(t, row.change)
			h := c.handler.(*Handler)
			for i := range bases {
				at := &bases[i]
				all := openAPIOf(t, c, at.path).operations()
				for what := range all {
					c.isServed(t, at, what)
				}
				for _, what := range h.actionsAt(at) {
					if all[what] == nil {
						t.Errorf("%s%s is not described", at.path, what)
					}
				}
			}
		})
	}
}

// isServed checks that a described operation has a route.
func (c *client) isServed(t *testing.T, at *base, what string) {
	method, path, _ := strings.Cut(what, " ")
	switch path {
	case "/healthz", "/readyz":
	default:
		path = at.path + path
	}
	path = strings.NewReplacer("{id}", "nothing", "{version}", "1", "{type}", "Observation").Replace(path)
	if path == "/" || path == at.path+"/" && method == "GET" {
		path += "?_id=1"
	}
	r := c.do(method, path, "")
	if r.status == 405 || r.status == 404 && (strings.Contains(r.body, "not-supported") || strings.Contains(r.body, "there is nothing at")) {
		t.Errorf("%s is described, but answers %d %s", what, r.status, r.body)
	}
}

// actionsAt returns the actions of the table, and the operations, that a base has, as METHOD path.
func (h *Handler) actionsAt(at *base) []string {
	paths := map[route]string{
		atBase: "/", atSystemSearch: "/_search", atSystemHistory: "/_history",
		atType: "", atTypeSearch: "/_search", atTypeHistory: "/_history", atInstance: "/{id}",
		atInstanceHistory: "/{id}/_history", atVersion: "/{id}/_history/{version}",
		atCompartment: "/{id}/{type}", atCompartmentSearch: "/{id}/{type}/_search",
	}
	var list []string
	add := func(typ string, where route) {
		c := &call{h: h, at: at, label: label{typ: typ}, target: target{route: where}}
		for k := range h.actions[where] {
			a := &h.actions[where][k]
			path := paths[where]
			if typ != "" {
				path = "/" + typ + path
			}
			if c.allows(a) && !h.alwaysMissing(where, typ, a.method) {
				list = append(list, a.method+" "+path)
			}
		}
		for _, instance := range []bool{false, true} {
			level := map[bool]string{true: "/{id}/"}[instance]
			if where != atType && where != atBase || instance && where == atBase {
				continue
			}
			if level == "" {
				level = "/"
			}
			for _, name := range h.operationNames(typ, instance) {
				path := level + name
				if typ != "" {
					path = "/" + typ + path
				}
				op := h.operationsByType[typ].named(instance)[name[1:]]
				if stored := h.resourceOperation(typ, name[1:], instance); stored != nil {
					op = &stored.Operation
				}
				list = append(list, "POST "+path)
				lone := slices.Contains(resourcesInAddresses, path) || name == "$validate" && !instance
				if (op == nil || !op.AffectsState || op.AllowsGet) && !lone {
					list = append(list, "GET "+path)
				}
			}
		}
	}
	for where := range routes {
		switch {
		case where == atNothing, where == atSystemOperation, where == atTypeOperation, where == atInstanceOperation:
		case where == atSystemSearch && at.isR5(), where == atSystemHistory && at.isR5():
		case where <= atSystemOperation:
			add("", where)
		default:
			for _, typ := range h.types {
				compartment := where == atCompartment || where == atCompartmentSearch
				if at.serves(typ) && (!compartment || h.stored[typ] && h.tables.Compartment(typ) != nil) {
					add(typ, where)
				}
			}
		}
	}
	list = append(list, "GET /metadata", "GET "+openapiPath, "GET /healthz", "GET /readyz")
	for _, op := range h.Operations {
		if op.Path != "" {
			list = append(list, "GET "+op.Path, "POST "+op.Path)
		}
	}
	return list
}

// alwaysMissing reports whether a route has an action only to say what is missing: histories of types
// that are not stored, and searches of all types where nothing is stored or in R5.
func (h *Handler) alwaysMissing(where route, typ, method string) bool {
	switch where {
	case atInstanceHistory, atVersion:
		return !h.stored[typ]
	case atSystemSearch, atSystemHistory:
		return len(h.stored) == 0
	case atBase:
		return method == "GET"
	}
	return false
}

// TestOpenAPISystemSearch checks what alwaysMissing leaves out: a search of all types.
func TestOpenAPISystemSearch(t *testing.T) {
	c := newClient(t)
	for base, want := range map[string]bool{"": true, "/r4": true, "/r5": false} {
		if got := openAPIOf(t, c, base).operations()["GET /"] != nil; got != want || strings.Contains(c.get(base+"/metadata").body, `"search-system"`) != want {
			t.Errorf("%s: %v", base, got)
		}
	}
}

// TestOpenAPIServers checks the addresses in documents.
func TestOpenAPIServers(t *testing.T) {
	proxies := func(c *Config) { c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")} }
	for _, row := range []struct {
		target  string
		change  func(*Config)
		headers []string
		want    []string
	}{
		{"/openapi.json", func(*Config) {}, nil, []string{"http://example.com", "http://example.com/baseR4", "http://example.com/r4"}},
		{"/r4/openapi.json", func(*Config) {}, nil, []string{"http://example.com/r4", "http://example.com", "http://example.com/baseR4"}},
		{"/r5/openapi.json", func(*Config) {}, nil, []string{"http://example.com/r5"}},
		{"/baseR4/openapi.json", func(c *Config) { c.BaseURL = "https://host.example/fhir" }, nil, []string{"https://host.example/fhir/baseR4", "https://host.example/fhir", "https://host.example/fhir/r4"}},
		{"/fhir/openapi.json", func(c *Config) { c.BaseURL = "https://host.example/fhir" }, nil, []string{"https://host.example/fhir", "https://host.example/fhir/baseR4", "https://host.example/fhir/r4"}},
		{
			"/openapi.json", proxies,
			[]string{"X-Forwarded-Proto", "https", "X-Forwarded-Host", "out.example", "X-Forwarded-Prefix", "/x"},
			[]string{"https://out.example/x", "https://out.example/x/baseR4", "https://out.example/x/r4"},
		},
		{"/openapi.json", func(*Config) {}, []string{"X-Forwarded-Host", "out.example"}, []string{"http://example.com", "http://example.com/baseR4", "http://example.com/r4"}},
	} {
		r := newClient(t, row.change).get(row.target, row.headers...)
		doc := parsedOpenAPI(t, r.body)
		var got []string
		for _, s := range doc.Servers {
			got = append(got, s.URL)
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s %v: %s", row.target, row.headers, diff)
		}
		root := strings.TrimSuffix(strings.TrimSuffix(slices.MinFunc(got, func(a, b string) int { return len(a) - len(b) }), "/r5"), "/")
		if health := doc.Paths["/healthz"].Servers; len(health) != 1 || health[0].URL != root {
			t.Errorf("%s: /healthz at %v, want %s", row.target, health, root)
		}
	}
}

// TestOpenAPICaching checks entity tags and compression, and that equal servers have equal documents.
func TestOpenAPICaching(t *testing.T) {
	c := newClient(t)
	first := c.get(openapiPath)
	tag := first.header.Get("ETag")
	if r := c.get(openapiPath, "If-None-Match", tag); r.status != 304 || r.body != "" || tag == "" {
		t.Errorf("%d %q of %s", r.status, cut(r.body), tag)
	}
	if r := newClient(t).get(openapiPath, "Accept", mediaXML); r.body != first.body || r.header.Get("ETag") != tag {
		t.Error("another server of the same kind has another document")
	}
	for _, target := range []string{"/r4" + openapiPath, "/r5" + openapiPath, "http://elsewhere" + openapiPath} {
		if c.get(target).header.Get("ETag") == tag {
			t.Errorf("%s has the same entity tag", target)
		}
	}
	for i, encoding := range []string{"gzip", "br, GZIP;q=0.5", "gzip", "gzip;q=0", "identity"} {
		r := c.get(openapiPath, "Accept-Encoding", encoding)
		packed := strings.Contains(strings.ToLower(encoding), "gzip") && !strings.Contains(encoding, "q=0") || strings.Contains(encoding, "0.5")
		if (r.header.Get("Content-Encoding") == "gzip") != packed || r.header.Get("ETag") != tag {
			t.Fatalf("%d: %s: %v", i, encoding, r.header)
		}
		body := r.body
		if packed {
			unpacked, err := gzip.NewReader(strings.NewReader(r.body))
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(unpacked)
			if err != nil {
				t.Fatal(err)
			}
			body = string(text)
		}
		if body != first.body {
			t.Errorf("%s: another document", encoding)
		}
		if vary := strings.Join(r.header.Values("Vary"), ","); !strings.Contains(vary, "Accept-Encoding") {
			t.Errorf("%s: Vary %s", encoding, vary)
		}
	}
	if r := c.do("HEAD", openapiPath, ""); r.status != 200 || r.body != "" || r.header.Get("ETag") != tag {
		t.Errorf("HEAD: %d %v", r.status, r.header)
	}
	for i := range 3 * maxPacked { // a client may send any Host
		c.get("http://host"+strings.Repeat("x", i)+openapiPath, "Accept-Encoding", "gzip")
	}
	if n := len(c.handler.(*Handler).documents.bodies[fhirVersion].packed); n > maxPacked {
		t.Errorf("%d compressed documents are kept", n)
	}
}

// TestOpenAPIIsOpen checks that no credentials are needed, and that caches may keep the document.
func TestOpenAPIIsOpen(t *testing.T) {
	c := newClient(t, guard)
	for _, path := range paths() {
		if r := c.get(path + openapiPath); r.status != 200 || r.header.Get("Cache-Control") != "" {
			t.Errorf("%s: %d %v", path, r.status, r.header)
		}
	}
}

// TestOpenAPIIsNoEntry checks that a bundle has no entry with a document that is no resource.
func TestOpenAPIIsNoEntry(t *testing.T) {
	c := newClient(t)
	for _, base := range []string{"", "/r5"} {
		bundle := c.do("POST", base+"/", `{"resourceType":"Bundle","type":"batch","entry":[{"request":{"method":"GET","url":"openapi.json"}}]}`).want(t, 200)
		if status := at(bundle, "entry", 0, "response", "status"); status != "404 Not Found" {
			t.Errorf("%s: %v", base, status)
		}
	}
}

// TestOpenAPIInSMARTChange checks that the document follows what the issuer says.
func TestOpenAPIInSMARTChange(t *testing.T) {
	config := &SMARTConfiguration{AuthorizationEndpoint: "https://id.example/1", TokenEndpoint: "https://id.example/t"}
	c := newClient(t, guard, func(c *Config) {
		c.SMART = func(context.Context) (*SMARTConfiguration, error) {
			if config == nil {
				return nil, access.ErrUnavailable
			}
			return config, nil
		}
	})
	for _, want := range []string{"https://id.example/1", "https://id.example/2", ""} {
		if config.AuthorizationEndpoint = want; want == "" {
			config = nil
		}
		schemes := openAPIOf(t, c, "").Components.SecuritySchemes
		got, _ := at(schemes["oauth2"], "flows", "authorizationCode", "authorizationUrl").(string)
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestOpenAPIAgreesWithMetadata checks that both list the same search parameters.
func TestOpenAPIAgreesWithMetadata(t *testing.T) {
	c := newClient(t)
	described := openAPIOf(t, c, "")
	all := described.operations()
	doc := c.get("/metadata").want(t, 200)
	for i := 0; at(doc, "rest", 0, "resource", i) != nil; i++ {
		resource := at(doc, "rest", 0, "resource", i)
		typ := at(resource, "type").(string)
		var want []string
		for j := 0; at(resource, "searchParam", j) != nil; j++ {
			want = append(want, at(resource, "searchParam", j, "name").(string))
		}
		var got []string
		for _, p := range all["GET /"+typ].Parameters {
			p = described.parameter(p)
			if ref, _ := p.Schema["$ref"].(string); strings.Contains(ref, "/search.") || strings.Contains(ref, "/catalogue.") {
				got = append(got, p.Name)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
			t.Errorf("%s: %s", typ, diff)
		}
		form := at(all["POST /"+typ+"/_search"].RequestBody, "content", mediaForm, "schema")
		parts, _ := at(form, "allOf").([]any)
		for _, name := range got {
			if !slices.ContainsFunc(append(parts, form), func(part any) bool {
				if ref, is := at(part, "$ref").(string); is {
					part = described.Components.Schemas[ref[strings.LastIndexByte(ref, '/')+1:]]
				}
				return at(part, "properties", name) != nil
			}) {
				t.Errorf("%s: the form lacks %s", typ, name)
			}
		}
	}
}
