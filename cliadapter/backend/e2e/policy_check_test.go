package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/access/policy"
	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/cliadapter/backend"
	"github.com/roget-health/roget/cliadapter/backend/backendtest"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
)

// checkBackend lets roget policy check see the terminology of a world.
type checkBackend struct {
	backend.Backend
	world *permitWorld
}

func (b checkBackend) Scopes(_ context.Context, _ cliadapter.Sources, _ cliadapter.Observer, use func(*resources.Service) error) error {
	return use(b.world.service)
}

// checkDocs are resources of types that differ in what scopes of patients cover: in the compartment,
// about no patient, and neither.
var checkDocs = []string{
	`{"resourceType":"Patient","id":"example","active":true,"gender":"male"}`,
	`{"resourceType":"Observation","id":"o1","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/example"}}`,
	`{"resourceType":"Condition","id":"c1","code":{"coding":[{"system":"` + permitSystem + `","code":"hiv"}]},"subject":{"reference":"Patient/example"}}`,
	`{"resourceType":"Practitioner","id":"p1","active":true}`,
	`{"resourceType":"Organization","id":"g1","active":true}`,
	`{"resourceType":"Binary","id":"b1","contentType":"text/plain","data":"eA=="}`,
	`{"resourceType":"Task","id":"t1","status":"draft","intent":"order"}`,
	`{"resourceType":"ValueSet","id":"v1","url":"http://example.org/v1","status":"active"}`,
	`{"resourceType":"CodeSystem","id":"s1","url":"http://example.org/s1","status":"active","content":"complete"}`,
	`{"resourceType":"AuditEvent","id":"a1","recorded":"2026-01-01T00:00:00Z","type":{"code":"x"},"agent":[{"requestor":true}],"source":{"observer":{"display":"x"}}}`,
}

// checkPolicies are the rules of policies.
var checkPolicies = []string{
	`allow = "user/*.cruds"`,
	`allow = ["patient/*.cruds"]`,
	"allow = \"patient/*.rs\"\npatient = \"example\"\nscopes = \"replace\"",
	`allow = ["user/Patient.u", "user/Observation.rs", "user/Practitioner.cud"]`,
	`allow = ["user/*.rs", "user/Patient.cruds?gender=male"]` + "\n" + `deny = ["user/Condition.rs?code:in=http://example.org/sensitive"]`,
	`allow = "system/*.cruds"` + "\n" + `deny = ["system/Observation.cruds", "system/Binary.r", "patient/Task.rs"]`,
	`allow = ["user/Patient.s", "user/Observation.c", "user/Condition.u", "user/Task.d"]`,
	"allow = \"user/*.rs\"\nrole = \"nurse\"\n[[rule]]\nname = \"b\"\nallow = \"user/*.cud\"\nmethod = [\"jwt\", \"anonymous\"]\n[[rule]]\nname = \"c\"\ndeny = \"user/Patient.d\"\nsubject = \"ada\"",
	`allow = ["user/Condition.cruds?code:below=` + permitSystem + `|hiv", "user/CodeSystem.cruds"]`,
	`allow = ["user/*.cruds?_id=o1"]`,
}

// checkPrincipals are who makes requests; nil is a request without credentials.
var checkPrincipals = []*access.Principal{
	nil,
	{Method: "basic", Subject: "ada"},
	{Method: "jwt", Subject: "ada", Issuer: "https://id.example", Client: "app", Scopes: []string{"openid", "user/*.cruds"}, Roles: []string{"nurse"}},
	{Method: "jwt", Subject: "bob", Scopes: []string{"patient/*.rs"}, Patient: "example", Roles: []string{"nurse", "x"}},
	{Method: "jwt", Subject: "bob", Scopes: []string{"patient/*.cruds"}},
	{Method: "token", Subject: "eve", Scopes: []string{"system/Observation.rs?status=final", "system/Patient.cruds", "user/Task.rs"}, Patient: "example"},
	{Method: "jwt", Subject: "eve", Scopes: []string{}},
	{Method: "certificate", Subject: "CN=x", Roles: []string{"cn:x"}},
}

// checkRequests returns requests about a resource, as HTTP has them, and their bodies.
func checkRequests(doc string) map[string]string {
	var head struct{ ResourceType, ID string }
	if err := json.Unmarshal([]byte(doc), &head); err != nil {
		panic(err)
	}
	typ, id := head.ResourceType, head.ID
	patch := `[{"op":"test","path":"/resourceType","value":"` + typ + `"}]`
	list := map[string]string{
		"GET /%[1]s/%[2]s": "", "HEAD /%[1]s/%[2]s": "", "GET /r4/%[1]s/%[2]s/_history": "", "GET /%[1]s/%[2]s/_history/1": "",
		"GET /%[1]s": "", "GET /%[1]s?_count=1": "", "POST /baseR4/%[1]s/_search": "_count=1", "GET /%[1]s/_history": "",
		"POST /%[1]s": strings.Replace(doc, `"id":"`+id+`",`, "", 1), "PUT /%[1]s/%[2]s": doc, "PATCH /%[1]s/%[2]s": patch, "DELETE /%[1]s/%[2]s": "",
		"PUT /%[1]s?_id=%[2]s": doc, "PATCH /%[1]s?_id=%[2]s": patch, "DELETE /%[1]s?_id=%[2]s": "",
	}
	if typ == "Observation" || typ == "Condition" {
		list["GET /Patient/example/%[1]s"] = ""
		list["POST /Patient/example/%[1]s/_search"] = "_count=1"
	}
	out := map[string]string{}
	for form, body := range list {
		if strings.Contains(form, "%[2]") {
			out[fmt.Sprintf(form, typ, id)] = body
		} else {
			out[fmt.Sprintf(form, typ)] = body
		}
	}
	return out
}

// asFlags returns the flags of policy check for a principal.
func asFlags(p *access.Principal) []string {
	if p == nil {
		return []string{"--as", "anonymous"}
	}
	as := "method=" + p.Method
	for name, value := range map[string]string{"subject": p.Subject, "issuer": p.Issuer, "client": p.Client, "patient": p.Patient} {
		if value != "" {
			as += "," + name + "=" + value
		}
	}
	for _, role := range p.Roles {
		as += ",role=" + role
	}
	flags := []string{"--as", as}
	if p.Scopes != nil {
		flags = append(flags, "--scopes", strings.Join(p.Scopes, " "))
	}
	return flags
}

// TestPolicyCheckIsTheServer asks roget policy check about requests, and makes the same requests to a
// server with the same policy. What is never permitted is 401 or 403 there, and nothing else is.
func TestPolicyCheckIsTheServer(t *testing.T) {
	t.Parallel()
	var docs []permitDoc
	bodies := map[string]string{}
	for _, text := range checkDocs {
		var doc map[string]any
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
		docs = append(docs, permitDoc{key: resources.Key{Type: doc["resourceType"].(string), ID: doc["id"].(string)}, body: []byte(text), doc: doc})
		bodies[doc["resourceType"].(string)] = text
	}
	w := newPermitWorld(t, memory.New(), docs, func(permitDoc) bool { return true })
	program := cliadapter.New(cliadapter.Config{Operations: operation.Terminal(), Backend: checkBackend{world: w}, Getenv: func(string) string { return "" }})
	random := rand.New(rand.NewPCG(1, 2))
	path := filepath.Join(t.TempDir(), "policy.toml")
	verdicts := map[string]int{}
	for _, rules := range checkPolicies {
		content := "[[rule]]\nname = \"a\"\n" + rules + "\n"
		if !strings.Contains(rules, "method") && random.IntN(2) == 0 {
			content = strings.Replace(content, "\nallow", "\nmethod = [\"jwt\", \"basic\", \"token\", \"certificate\", \"anonymous\"]\nallow", 1)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := policy.Parse(path, content, func(s access.Scope) error { return w.service.CheckScope(t.Context(), s) })
		if err != nil {
			t.Fatal(err)
		}
		for _, who := range checkPrincipals {
			grant, err := p.Authorize(t.Context(), who)
			if err != nil {
				t.Fatal(err)
			}
			for _, doc := range checkDocs {
				requests := checkRequests(doc)
				for _, request := range slices.Sorted(maps.Keys(requests)) {
					body := requests[request]
					if random.IntN(4) != 0 {
						continue
					}
					var out, errs bytes.Buffer
					args := append([]string{"policy", "check", path}, asFlags(who)...)
					code := program.Run(t.Context(), append(args, request), cliadapter.Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
					verdict, _, _ := strings.Cut(out.String()[strings.LastIndexByte(strings.TrimSpace(out.String()), '\n')+1:], ":")
					method, target, _ := strings.Cut(request, " ")
					w.grant = grant
					answer := permitAnswer{status: http.StatusForbidden} // what the server answers without a grant
					if grant != nil {
						answer = w.do(method, target, body)
					}
					verdicts[strings.Fields(verdict + " x")[0]+fmt.Sprint(code)]++
					refused := answer.status == http.StatusForbidden || answer.status == http.StatusMethodNotAllowed
					var right bool
					switch {
					case code == 1 && strings.HasPrefix(verdict, "no"):
						inCompartment := strings.Contains(target, "/Patient/example/") // of a patient who may be hidden
						right = refused || answer.status == http.StatusNotFound && inCompartment
					case code == 0 && strings.HasPrefix(verdict, "yes, of some"):
						right = !refused || method != http.MethodGet && strings.Contains(answer.raw, "with this content")
					case code == 0 && strings.HasPrefix(verdict, "yes"):
						right = answer.status < 300
					}
					if !right {
						t.Errorf("%s by %v with\n%s: %d %s%sthe server: %d %s", request, asFlags(who), content, code, out.String(), errs.String(), answer.status, answer.raw)
					}
					if answer.status < 300 && (method == http.MethodDelete || method == http.MethodPost && !strings.Contains(target, "_search")) {
						w.grant = nil
						for _, d := range docs {
							if strings.Contains(target, "/"+d.key.Type) {
								if restored := w.do(http.MethodPut, "/"+d.key.Type+"/"+d.key.ID, bodies[d.key.Type]); restored.status >= 300 {
									t.Fatalf("%s: %d %s", d.key, restored.status, restored.raw)
								}
							}
						}
					}
				}
			}
		}
	}
	t.Log(verdicts)
	for _, verdict := range []string{"no1", "yes0", "yes,0"} {
		if verdicts[verdict] < 100 {
			t.Errorf("only %d verdicts of %q", verdicts[verdict], verdict)
		}
	}
}

// TestPolicyCheckStore: roget policy check knows the value sets of the store that --store names.
func TestPolicyCheckStore(t *testing.T) {
	folder := t.TempDir()
	write := func(name, content string) string {
		t.Helper()
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	valueSet := write("sensitive.json", `{"resourceType":"ValueSet","id":"sensitive","url":"http://example.org/sensitive","status":"active",
		"compose":{"include":[{"system":"http://example.org/codes","concept":[{"code":"hiv"}]}]}}`)
	file := write("policy.toml", "[[rule]]\nname = 'staff'\nallow = 'user/*.rs'\ndeny = 'user/Condition.rs?code:in=http://example.org/sensitive'\n")
	roget := func(args ...string) (output string, code int) {
		t.Helper()
		cmd := backendtest.Tested(t, append(args, "--data", filepath.Join(folder, "data"))...)
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	for _, store := range []string{"sqlite:" + filepath.Join(folder, "elsewhere.db"), postgresServer.Schema(t)} {
		scheme, _, _ := strings.Cut(store, ":")
		if out, code := roget("import", valueSet, "--store", store); code != 0 {
			t.Fatalf("%s: import: %d %s", scheme, code, out)
		}
		if out, code := roget("policy", "check", file, "--store", store, "--as", "method=jwt", "search Condition"); code != 0 || !strings.Contains(out, "yes, of some") {
			t.Errorf("%s: %d %s", scheme, code, out)
		}
		if out, code := roget("policy", "check", file); code == 0 || !strings.Contains(out, "http://example.org/sensitive") {
			t.Errorf("%s: without the store: %d %s", scheme, code, out)
		}
	}
	for store, want := range map[string]string{"sqlite:" + folder + "/none.db": "does not exist", "memory:": "is empty", "oracle:x": "must be"} {
		if out, code := roget("policy", "check", file, "--store", store); code == 0 || !strings.Contains(out, want) {
			t.Errorf("--store %s: %d %s", store, code, out)
		}
	}
}
