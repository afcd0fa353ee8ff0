package httpadapter

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/export"
)

// host has one file of patients, one of whom is not valid.
type host struct{}

func (host) Check(url string) error {
	if !strings.HasPrefix(url, "https://host.example/") {
		return errors.New("allow it with --import-hosts")
	}
	return nil
}

func (host) Open(context.Context, string) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(peter + "\n" + `{"resourceType":"Patient","id":"x","gender":"blue"}` + "\n" + paula)), nil
}

// standby is a store that may refuse writes.
type standby struct {
	*resources.Service
	reads bool
}

func (s *standby) ReadsOnly() bool { return s.reads }

// importing adds imports to a configuration, which run until the test ends.
func importing(t *testing.T, store *standby) func(*Config) {
	return func(config *Config) {
		store.Service = config.Resources.(*resources.Service)
		config.Resources = store
		config.Imports = running(t, config, export.ImportOptions{Target: store, Remote: host{}})
	}
}

const (
	importManifest   = `{"inputFormat":"application/fhir+ndjson","storageDetail":{"type":"https"},"input":[{"type":"Patient","url":"https://host.example/p?sig=1"}]}`
	importParameters = `{"resourceType":"Parameters","parameter":[{"name":"inputFormat","valueCode":"application/fhir+ndjson"},{"name":"storageDetail","part":[{"name":"type","valueCode":"https"}]},` +
		`{"name":"input","part":[{"name":"type","valueCode":"Patient"},{"name":"url","valueUri":"https://host.example/p?sig=1"}]}]}`
)

// TestImport runs the flow of the proposal, with the body that it has and with that of HAPI.
func TestImport(t *testing.T) {
	for _, prefix := range pathsR4() {
		for _, body := range []string{importManifest, importParameters} {
			c := newClient(t, importing(t, &standby{}))
			job, m := c.exported(t, "POST", prefix+"/$import", body)
			const url = "https://host.example/p?sig=1"
			if len(m.Output) != 1 || m.Output[0] != (manifestFile{Type: "OperationOutcome", InputURL: url, Count: 2}) || m.Deleted != nil || m.Request != "http://example.com"+prefix+"/$import" || len(m.Error) != 1 || m.Error[0].InputURL != url || m.Error[0].Count != 1 {
				t.Fatalf("%+v", m)
			}
			if r := c.get(strings.TrimPrefix(m.Error[0].URL, "http://example.com")); r.status != 200 || !strings.Contains(r.body, "line 2: ") || r.header.Get("Content-Type") != mediaNDJSON {
				t.Errorf("errors: %d %s", r.status, r.body)
			}
			c.get(prefix+"/Patient/paula").want(t, 200)
			if r := c.do("DELETE", job, ""); r.status != 202 {
				t.Errorf("DELETE: %d", r.status)
			}
			c.get(job).wantIssue(t, 404, "not-found")
		}
	}
}

// TestImportRefused names what is wrong with a request, and what to do.
func TestImportRefused(t *testing.T) {
	store := &standby{}
	c := newClient(t, importing(t, store))
	for _, row := range []struct {
		old, now string // in the manifest
		text     string
	}{
		{`application/fhir+ndjson`, `text/csv`, `"text/csv\" is not supported; the files must be application/fhir+ndjson`},
		{`{"type":"https"}`, `{"type":"aws-s3"}`, `aws-s3\" is not supported; leave it out`},
		{`{"type":"https"}`, `{"type":"https","credentialHttpBasic":"a:b"}`, "sends no credentials; send signed"},
		{`"Patient"`, `"Hound"`, `Hound\" of file 1 is not stored here`},
		{`https://host.example/p`, `https://other.example/p`, "--import-hosts"},
		{`"input":[{`, `"output":[{`, "0 files; name at least one"},
		{`[{`, `{`, "neither Parameters nor the manifest"},
		{`{"inputFormat"`, `{"resourceType":"Bundle","inputFormat"`, "not \\\"Bundle"},
		{importManifest, ``, "empty"},
	} {
		r := c.do("POST", "/$import", strings.Replace(importManifest, row.old, row.now, 1), "Prefer", "respond-async")
		if r.status != 400 || !strings.Contains(r.body, row.text) {
			t.Errorf("%s: %d %s", row.now, r.status, r.body)
		}
	}
	c.do("POST", "/$import", importManifest).wantIssue(t, 400, "required")
	if r := c.get("/$import"); r.status != 405 || !strings.Contains(r.header.Get("Allow"), "POST") {
		t.Errorf("GET: %d %v", r.status, r.header)
	}
	if r := c.do("POST", "/", `{"resourceType":"Bundle","type":"batch","entry":[{"request":{"method":"POST","url":"$import"},"resource":`+importParameters+`}]}`); !strings.Contains(r.body, "cannot start $import") {
		t.Errorf("batch: %s", r.body)
	}
	if r := newClient(t).do("POST", "/$import", importManifest); r.status != 404 || !strings.Contains(r.body, "--imports DIR and --import-hosts HOST") {
		t.Errorf("off: %d %s", r.status, r.body)
	}
	declared := func() bool { return strings.Contains(c.get("/metadata").body, `"name":"import"`) }
	if !declared() {
		t.Error("metadata does not declare $import")
	}
	store.reads = true
	c.do("POST", "/$import", importManifest, "Prefer", "respond-async").wantIssue(t, 405, "not-supported")
	if declared() || strings.Contains(c.get("/metadata").body, `"code":"transaction"`) {
		t.Error("metadata of a standby declares $import")
	}
}

// TestImportPermissions: an import needs the permission to create and update everything of its types.
func TestImportPermissions(t *testing.T) {
	c := newClient(t, importing(t, &standby{}), guard)
	for scope, want := range map[string]int{
		"system/*.cu": 202, "system/Patient.cu": 202, "system/Patient.c": 403, "system/Patient.u": 403, "system/Observation.cu": 403, "system/Patient.cu?gender=male": 403, "patient/*.cu": 403,
	} {
		r := c.do("POST", "/$import", importManifest, "Prefer", "respond-async", "Authorization", "Bearer badge-"+scope)
		if r.status != want || want == 403 && !strings.Contains(r.body, "create and update every Patient") {
			t.Errorf("%s: %d %s", scope, r.status, r.body)
		}
	}
}
