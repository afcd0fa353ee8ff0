package platform_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// TestProfileChoice: -p, PLATFORM_PROFILE and the raw environment, before and after the
// name of the command; unknown profiles, none at all, files that cannot be read.
func TestProfileChoice(t *testing.T) {
	p := newOnPlatform(t, 42)
	p.env["PLATFORM_PASSWORD"] = platformtest.PlainPassword
	p.must(t, "profile", "add", "nurse", "--auth", "basic", "--username", platformtest.PlainUsername, "--url", p.URL)
	is := func(want string, args ...string) {
		t.Helper()
		if out := p.must(t, args...); !strings.Contains(out, " user="+want+" ") {
			t.Errorf("%q: %s", args, out)
		}
	}
	is(platformtest.Username, "profile", "verify")
	is(platformtest.PlainUsername, "-p", "nurse", "profile", "verify")
	is(platformtest.PlainUsername, "profile", "verify", "--profile", "nurse")
	is(platformtest.Username, "-p", "nurse", "profile", "verify", "-p", "prod")
	p.env["PLATFORM_URL"], p.env["PLATFORM_PAT"] = p.URL, platformtest.PlainPAT
	if out := p.must(t, "profile", "verify"); !strings.HasPrefix(out, "OK <env> "+p.URL+" auth=pat ") {
		t.Errorf("%s", out)
	}
	p.env["PLATFORM_PROFILE"] = "prod"
	is(platformtest.Username, "profile", "verify")
	if errs := p.fails(t, 1, "-p", "gone", "profile", "verify"); errs != "roget: profile verify: there is no profile \"gone\"; the profiles are: nurse, prod\n" {
		t.Errorf("%s", errs)
	}
	p.env = map[string]string{"XDG_CONFIG_HOME": t.TempDir()}
	if errs := p.fails(t, 1, "datastore", "list"); !strings.HasPrefix(errs, "roget: datastore list: no profile is chosen\nhint: create a profile with ") {
		t.Errorf("%s", errs)
	}
}

// TestRequestsOfCommands: the User-Agent of commands, and -d, which shows requests without
// credentials.
func TestRequestsOfCommands(t *testing.T) {
	p := newOnPlatform(t, 42)
	_, out, errs := p.run(t, "profile", "verify", "-d")
	if !strings.HasPrefix(out, "OK ") || !strings.Contains(errs, p.URL+"/api/system/info") || !strings.Contains(errs, "/api/me") {
		t.Errorf("%s%s", out, errs)
	}
	if _, _, same := p.run(t, "-d", "profile", "verify"); strings.Count(same, "\n") != strings.Count(errs, "\n") {
		t.Errorf("%s", same)
	}
	if !slices.ContainsFunc(p.Requests(), func(r platformtest.Request) bool { return r.Header.Get("User-Agent") == "roget/v1.2.3" }) {
		t.Error("the platform is not told which client asks")
	}
}

// TestVersionWarnings: a version newer than the known ones is treated as the newest known one, with
// a warning; so is a profile for another version. A version that is too old is refused.
// Rows of docs/platform.md: 9.1, 9.2.
func TestVersionWarnings(t *testing.T) {
	for version, want := range map[string]string{
		"2.44.1": `warning: the platform has version 2.44.1, which roget does not know; roget treats it as v43`,
		"2.43.1": `warning: profile "old" has version v41, but the server has v43`,
		"2.41.0": "",
	} {
		p := newOnPlatform(t, 43, func(o *platformtest.Options) { o.Version = version })
		p.env["PLATFORM_PAT"] = platformtest.PAT
		p.must(t, "profile", "add", "old", "--version", "41", "--url", p.URL)
		code, out, errs := p.run(t, "-p", "old", "datastore", "list")
		if code != 0 || out != "ns1\n" || !strings.HasPrefix(errs, want) || want == "" && errs != "" || strings.Count(errs, "\n") > 1 {
			t.Errorf("%s: exit code %d: %s%s", version, code, out, errs)
		}
	}
	p := newOnPlatform(t, 41, func(o *platformtest.Options) { o.Version = "2.40.3" })
	if errs := p.fails(t, 1, "datastore", "list"); !strings.Contains(errs, `version "2.40.3" of the platform is not supported: it is older than 41, end of life`) {
		t.Errorf("%s", errs)
	}
}

// TestErrorsOfPlatform: one line on standard error and exit code 1; what the platform refused
// is a table of at most 25 rows before it.
// Rows of docs/platform.md: 7.14.
func TestErrorsOfPlatform(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		var conflicts []map[string]any
		for i := range 27 {
			conflicts = append(conflicts, map[string]any{"object": fmt.Sprintf("Obj%02d", i), "value": "is not there", "errorCode": "E1", "indexes": []int{i}})
		}
		body, _ := json.Marshal(map[string]any{
			"httpStatus": "Conflict", "httpStatusCode": 409, "status": "ERROR", "message": "One or more errors", "response": map[string]any{"conflicts": conflicts},
		})
		p.Fault("/api/dataStore*", platformtest.Fault{Status: 409, Body: string(body), Times: 1})
		errs := p.fails(t, 1, "datastore", "list")
		lines := strings.Split(strings.TrimSuffix(errs, "\n"), "\n")
		if len(lines) != 28 || !strings.HasPrefix(lines[0], "RESOURCE") || !strings.Contains(lines[25], "is not there") || lines[26] != "+2 more" ||
			lines[27] != "roget: datastore list: API error (409): Conflict: One or more errors" {
			t.Errorf("%s", errs)
		}
		p.Fault("/api/dataStore*", platformtest.Fault{Drop: true})
		if errs := p.fails(t, 1, "datastore", "list"); strings.Count(errs, "\n") != 1 || !strings.HasPrefix(errs, "roget: datastore list: ") {
			t.Errorf("%s", errs)
		}
		p.Fault("/api/system/info", platformtest.Fault{Status: 401})
		if errs := p.fails(t, 1, "datastore", "list"); strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "authentication failed (401)") {
			t.Errorf("%s", errs)
		}
	})
}
