package policy_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/access/policy"
)

const clinic = `# who may do what
[[rule]]
name = "staff"
issuer = "https://id.example"
role = ["nurse", "physician"]
allow = ["user/*.rs", "user/Observation.cruds"]
deny = "user/Condition.rs?code:in=http://x/sensitive"

[[rule]]
name = "loader"
method = "basic"
subject = "etl"
scopes = "replace"
allow = "system/*.cruds"

[[rule]]
name = "portal"
client = "portal"
allow = "patient/*.rs"
scopes = "replace"
patient = "p9"

[[rule]]
name = "hosts"
certificate = "dns:etl.example"
allow = ["system/Binary.c"]

[[rule]]
name = "everybody"
method = ["anonymous", "jwt"]
allow = ["system/CodeSystem.rs"]
`

func strs(list []access.Scope) (texts []string) {
	for _, s := range list {
		texts = append(texts, s.String())
	}
	return texts
}

func TestAuthorize(t *testing.T) {
	p, err := policy.Parse("p.toml", clinic, nil)
	if err != nil {
		t.Fatal(err)
	}
	nurse := access.Principal{Method: "jwt", Issuer: "https://id.example", Subject: "n", Roles: []string{"nurse"}}
	with := func(p access.Principal, scopes ...string) *access.Principal {
		p.Scopes = append([]string{}, scopes...)
		return &p
	}
	for name, row := range map[string]struct {
		who         *access.Principal
		allow, deny []string
		patient     string
		none        bool
	}{
		"a nurse whose token permits one type": {who: with(nurse, "openid", "user/Patient.rs"), allow: []string{"user/Patient.rs"}, deny: []string{"user/Condition.rs?code:in=http://x/sensitive"}},
		"a token for the patient alone":        {who: with(nurse, "patient/*.cruds"), allow: []string{"patient/*.rs", "patient/Observation.cruds", "patient/CodeSystem.rs"}, deny: []string{"user/Condition.rs?code:in=http://x/sensitive"}},
		"a token without scopes of resources":  {who: with(nurse, "openid"), deny: []string{"user/Condition.rs?code:in=http://x/sensitive"}},
		"both queries hold":                    {who: with(nurse, "user/CodeSystem.rs?status=active"), allow: []string{"user/CodeSystem.rs?status=active"}, deny: []string{"user/Condition.rs?code:in=http://x/sensitive"}},
		"another issuer":                       {who: with(access.Principal{Method: "jwt", Issuer: "https://evil.example", Roles: []string{"nurse"}}, "user/*.cruds"), allow: []string{"user/CodeSystem.rs"}},
		"a password":                           {who: &access.Principal{Method: "basic", Subject: "etl"}, allow: []string{"system/*.cruds"}},
		"another user":                         {who: &access.Principal{Method: "basic", Subject: "ada"}, none: true},
		"a token of the loader's name":         {who: with(access.Principal{Method: "token", Subject: "etl"}, "system/*.cruds"), none: true},
		"replaced scopes":                      {who: with(access.Principal{Method: "token", Client: "portal"}, "system/*.cruds"), allow: []string{"patient/*.rs"}, patient: "p9"},
		"the patient of the token stays":       {who: with(access.Principal{Method: "token", Client: "portal", Patient: "p1"}, "system/*.cruds"), allow: []string{"patient/*.rs"}, patient: "p1"},
		"a certificate":                        {who: &access.Principal{Method: "certificate", Subject: "CN=etl", Roles: []string{"cn:etl", "dns:etl.example"}}, allow: []string{"system/Binary.c"}},
		"a role that looks like a certificate": {who: with(access.Principal{Method: "token", Roles: []string{"dns:etl.example"}}, "system/*.cruds"), none: true},
		"a certificate that looks like a role": {who: &access.Principal{Method: "certificate", Issuer: "https://id.example", Roles: []string{"nurse"}}, none: true},
		"nobody":                               {allow: []string{"system/CodeSystem.rs"}},
	} {
		for range 2 { // the second time from memory
			g, err := p.Authorize(t.Context(), row.who)
			if err != nil || (g == nil) != row.none {
				t.Errorf("%s: %+v, %v", name, g, err)
				break
			}
			if g != nil && (!slices.Equal(strs(g.Allow), row.allow) || !slices.Equal(strs(g.Deny), row.deny) || g.Patient != row.patient) {
				t.Errorf("%s: allow %v deny %v patient %q, want %v, %v, %q", name, strs(g.Allow), strs(g.Deny), g.Patient, row.allow, row.deny, row.patient)
			}
		}
	}
}

// TestIdentities checks whose resources a grant is about: those that the token names, then those of
// the first rule that holds and names them.
func TestIdentities(t *testing.T) {
	p, err := policy.Parse("p.toml", `
[[rule]]
allow = "user/*.rs"
[[rule]]
role = "a"
allow = "user/*.rs"
patient = "p1"
user = "Practitioner/1"
[[rule]]
name = "second"
allow = "user/*.rs"
patient = "p2"
user = "Practitioner/2"
`, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p.Rules[1].Name != "rule 2" || p.Rules[2].Name != "second" {
		t.Errorf("the rules are named %q and %q", p.Rules[1].Name, p.Rules[2].Name)
	}
	for _, row := range []struct {
		who           *access.Principal
		patient, user string
	}{
		{&access.Principal{Method: "token"}, "p2", "Practitioner/2"},
		{&access.Principal{Method: "token", Roles: []string{"a"}}, "p1", "Practitioner/1"},
		{&access.Principal{Method: "token", Roles: []string{"a"}, User: "Patient/9"}, "p1", "Patient/9"},
		{&access.Principal{Method: "token", Patient: "p9"}, "p9", "Practitioner/2"},
	} {
		g, err := p.Authorize(t.Context(), row.who)
		if err != nil || g == nil || g.Patient != row.patient || g.User != row.user {
			t.Errorf("%+v: %+v, %v, want patient %q and user %q", row.who, g, err, row.patient, row.user)
		}
	}
}

func TestParseErrors(t *testing.T) {
	check := func(s access.Scope) error {
		if s.Type == "Condtion" {
			return errors.New(`"Condtion" is not a type`)
		}
		return nil
	}
	for content, want := range map[string]string{
		"": "p.toml: there is no [[rule]]",
		"[[rule]]\nallow = [\"user/*.rs\"\n\nname=\"x\"":                                              "p.toml: line 4",
		"[[rule]]\nallow = \"user/*.rs\"\n[[rule]]\nsubjects = \"x\"\nallow = \"user/*.rs\"":          "p.toml: line 4: unknown key rule.subjects; a policy has",
		"[[rule]]\nallow = \"user/*.rs\"\n[[rule]]\n# x\nallow = [\n \"user/*.rs\",\n \"user/*.sr\"]": "p.toml: line 7: allow: scope \"user/*.sr\"",
		"[[rule]]\nallow = \"user/*.rs\"\ndeny = \"user/Condtion.rs\"":                                "p.toml: line 3: deny: scope \"user/Condtion.rs\": \"Condtion\" is not a type",
		"[[rule]]\nmethod = \"oauth\"\nallow = \"user/*.rs\"":                                         "p.toml: line 2: method: \"oauth\" is not one of jwt",
		"[[rule]]\nscopes = \"both\"\nallow = \"user/*.rs\"":                                          "p.toml: line 2: scopes: \"both\" is not narrow",
		"[[rule]]\nname = \"x\"":                     "p.toml: line 1: rule: the rule neither allows nor denies",
		"[[rule]]\nallow = 1":                        "1 is not a text",
		"[[rule]]\nsubject = \"\"":                   "not a text",
		"[rule]\nallow = \"user/*.rs\"":              "p.toml",
		"[[rule]]\nallow = \"user/*.rs\"\nrole = []": "p.toml: line 3: role: the array is empty",
		"[[rule]]\nallow = []\ndeny = \"user/*.rs\"": "p.toml: line 2: allow: the array is empty",
		"[[rule]]\nallow = \"user/*.rs\"\nrole = \"a\"\n[[Rule]]\nallow = \"user/*.cruds\"": "p.toml: line 4: unknown key Rule; a policy has",
		"[[rule]]\nallow = \"user/*.rs\"\nRole = \"a\"\nrole = \"b\"":                       "p.toml: line 3: unknown key rule.Role; a policy has",
		"rule = [{allow = \"user/*.rs\", Role = \"a\"}]":                                    "p.toml: line 1: unknown key rule.Role; a policy has",
		"rule = [{allow = \"user/*.rs\", x = {y = 1}}]":                                     "p.toml: line 1: unknown key rule.x; a policy has",
	} {
		if p, err := policy.Parse("p.toml", content, check); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %q", content, p, err, want)
		}
	}
	_, err := policy.Parse("p.toml", "[[rule]]\nallow = [\"a\", \"b\"]\nx = 1", check)
	if err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("%v, want three errors", err)
	}
}

// TestWatch changes a policy that is in use, to a bad one too.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "policy.toml")
		write := func(content string) {
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			time.Sleep(5 * time.Second)
			synctest.Wait()
		}
		write(clinic)
		var log bytes.Buffer
		f, err := policy.Open(path, nil, slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		go f.Watch(t.Context())
		anonymous := func() bool {
			g, err := f.Authorize(t.Context(), nil)
			return g != nil && err == nil
		}
		write("[[rule]]\nallow = \"user/*.rx\"")
		if !anonymous() || !strings.Contains(log.String(), "level=ERROR") || !strings.Contains(log.String(), "line 2") {
			t.Errorf("a bad policy: %v, log %s", anonymous(), log.String())
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		if !anonymous() {
			t.Error("a missing file ends the policy")
		}
		write("[[rule]]\nallow = \"user/*.rs\"")
		if anonymous() || !strings.Contains(log.String(), "read again") {
			t.Errorf("a good policy: %v, log %s", anonymous(), log.String())
		}
	})
}

// FuzzParse reads policies.
func FuzzParse(f *testing.F) {
	f.Add(clinic)
	f.Add("[[rule]]\nallow=[{}]\n[x]")
	f.Add("rule = [{allow='user/*.rs', x=1}]")
	f.Fuzz(func(t *testing.T, content string) {
		p, err := policy.Parse("p.toml", content, nil)
		if (p == nil) == (err == nil) {
			t.Fatalf("%v, %v", p, err)
		}
		if err == nil {
			if _, err := p.Authorize(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestParseRequest(t *testing.T) {
	for text, want := range map[string]string{
		"GET /Patient/1": "read Patient", "GET Patient/1/_history/2": "read Patient", "GET /r4/Patient?name=x": "search Patient", "POST /baseR4/Patient/_search": "search Patient",
		"GET /Patient/1/Observation": "search Observation", "post Observation": "create Observation", "PUT /Patient/1": "update Patient", "PATCH /Patient/1": "update Patient",
		"DELETE Patient/1": "delete Patient", "search Condition?code:in=http://x/Y": "search Condition", "read Patient/1": "read Patient", "GET /Patient/_history": "search Patient",
		"POST /Patient/1/Observation/_search": "search Observation", "search Patient/1/Observation": "search Observation", "GET /Patient/1/*": "", "GET /Account/1": "read Account",
		"GET /": "", "GET": "", "fetch Patient/1": "", "GET /Patient/1/$everything": "", "GET /$versions": "", "": "", "POST /": "",
	} {
		r, err := policy.ParseRequest(text)
		if got := strings.TrimSpace(r.Name + " " + r.Type); err == nil && got != want || err != nil && want != "" {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
}

// FuzzParseRequest: a request that is read has one kind of interaction and a type, whatever base is in front.
func FuzzParseRequest(f *testing.F) {
	for _, seed := range []string{"GET /Patient/1/_history/2", "POST /baseR4/Patient/_search?a=b", "search Condition?code:in=x", "GET /Patient/1/*", "GET /$x", "é É", "read *"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := policy.ParseRequest(text)
		if err != nil {
			return
		}
		if len(r.Also) > 2 || r.Type == "" || r.Name == "" || r.Action == 0 || r.Action&(r.Action-1) != 0 || r.Action&^access.All != 0 {
			t.Fatalf("%q is %+v", text, r)
		}
		verb, target, _ := strings.Cut(strings.TrimSpace(text), " ")
		if again, err := policy.ParseRequest(verb + " /base/" + strings.TrimSpace(target)); err != nil || !reflect.DeepEqual(again, r) {
			t.Errorf("%q is %+v, below a base %+v, %v", text, r, again, err)
		}
	})
}
