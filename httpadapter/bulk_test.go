package httpadapter

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/resources/export"
)

// exporting adds exports to a configuration, which run until the test ends.
func exporting(t *testing.T) func(*Config) {
	return func(config *Config) { config.Exports = running(t, config, export.ImportOptions{}) }
}

// running returns jobs that run until the test ends.
func running(t *testing.T, config *Config, in export.ImportOptions) Jobs {
	jobs, err := export.Open(t.TempDir(), config.Resources.(export.Source), export.Options{Import: in})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); jobs.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return jobs
}

// exported asks for an export and waits for its manifest.
func (c *client) exported(t *testing.T, method, target, body string) (job string, m manifest) {
	t.Helper()
	r := c.do(method, target, body, "Prefer", "respond-async", "Accept", mediaFHIR)
	if r.status != 202 {
		t.Fatalf("%s: %d %s", target, r.status, r.body)
	}
	job = strings.TrimPrefix(r.header.Get("Content-Location"), "http://example.com")
	for range 5000 {
		r = c.get(job)
		if r.status != 202 {
			break
		}
		if r.header.Get("X-Progress") == "" || r.header.Get("Retry-After") == "" {
			t.Errorf("%s: %v", job, r.header)
		}
		time.Sleep(time.Millisecond)
	}
	if err := json.Unmarshal([]byte(r.body), &m); r.status != 200 || err != nil {
		t.Fatalf("%s: %d %v %s", target, r.status, err, r.body)
	}
	if _, err := time.Parse("Mon, 02 Jan 2006 15:04:05 GMT", r.header.Get("Expires")); err != nil || r.header.Get("Content-Type") != mediaJSON {
		t.Errorf("%s: %v", job, r.header)
	}
	return job, m
}

// TestExport runs the flow of the Bulk Data guide: kick-off, status, manifest, files, delete.
func TestExport(t *testing.T) {
	for _, prefix := range pathsR4() {
		c := clinic(t, exporting(t))
		c.do("PUT", prefix+"/Group/g", `{"resourceType":"Group","id":"g","type":"person","actual":true,"member":[{"entity":{"reference":"Patient/paula"}}]}`).want(t, 201)
		for _, row := range []struct {
			method, target, body string
			want                 string // types and ids
		}{
			{"GET", "/$export?_type=Patient,Condition", "", "Condition/fever Patient/paula Patient/peter"},
			{"GET", "/$export?_typeFilter=Observation%3Fcode%3Dhttp://loinc.org%7C8867-4,Patient%3Fgender%3Dfemale&_type=Observation,Patient&_outputFormat=ndjson", "", "Observation/pulse Patient/paula"},
			{"GET", "/Patient/$export?_type=Observation&_type=Encounter", "", "Encounter/visit Observation/pulse Observation/weight"},
			{"GET", "/Group/g/$export", "", "Group/g Patient/paula"},
			{"POST", "/Patient/$export", `{"resourceType":"Parameters","parameter":[{"name":"patient","valueReference":{"reference":"Patient/paula"}},{"name":"_type","valueString":"Patient"}]}`, "Patient/paula"},
			{"GET", "/$export?_since=2999-01-01T00:00:00Z", "", ""},
		} {
			job, m := c.exported(t, row.method, prefix+row.target, row.body)
			var got []string
			for _, f := range m.Output {
				r := c.get(strings.TrimPrefix(f.URL, "http://example.com"))
				if r.status != 200 || r.header.Get("Content-Type") != mediaNDJSON || strings.Count(r.body, "\n") != f.Count {
					t.Errorf("%s: %d %v", f.URL, r.status, r.header)
				}
				var ids []string
				for line := range strings.Lines(r.body) {
					var head struct{ ResourceType, ID string }
					if err := json.Unmarshal([]byte(line), &head); err != nil {
						t.Fatal(err)
					}
					ids = append(ids, head.ResourceType+"/"+head.ID)
				}
				got = append(got, ids...)
			}
			slices.Sort(got)
			if strings.Join(got, " ") != row.want {
				t.Errorf("%s: %v, want %s", row.target, got, row.want)
			}
			if m.Request != "http://example.com"+prefix+row.target || m.RequiresAccessToken || m.Deleted == nil || m.Error == nil {
				t.Errorf("%s: %+v", row.target, m)
			}
			if r := c.do("DELETE", job, ""); r.status != 202 {
				t.Errorf("DELETE %s: %d", job, r.status)
			}
			c.get(job).wantIssue(t, 404, "not-found")
			for _, f := range m.Output {
				c.get(strings.TrimPrefix(f.URL, "http://example.com")).wantIssue(t, 404, "not-found")
			}
		}
		for target, want := range map[string][2]any{
			"/$export?_type=Hound":              {400, "invalid"},
			"/$export?_since=soon":              {400, "invalid"},
			"/$export?_outputFormat=text/csv":   {400, "invalid"},
			"/$export?_typeFilter=Patient%3Fx=": {400, "invalid"},
			"/$export?_elements=id&x=1":         {400, "invalid"},
			"/Patient/$export?patient=Group/g":  {400, "invalid"},
			"/Group/nobody/$export":             {404, "not-found"},
			"/Patient/peter/$export":            {404, "not-supported"},
			"/_export/1":                        {404, "not-found"},
		} {
			r := c.get(prefix+target, "Prefer", "respond-async")
			if r.status != want[0] {
				t.Errorf("%s: %d %s", target, r.status, r.body)
			}
		}
		c.get(prefix+"/$export").wantIssue(t, 400, "required")
		c.get(prefix+"/$export?_since=2016-12-31T23:59:60Z", "Prefer", "respond-async").wantIssue(t, 400, "invalid")
		for bundle, status := range map[string]int{"batch": 200, "transaction": 422} {
			r := c.do("POST", prefix+"/", `{"resourceType":"Bundle","type":"`+bundle+`","entry":[{"request":{"method":"GET","url":"$export"}}]}`, "Prefer", "respond-async")
			if r.status != status || !strings.Contains(r.body, "cannot start $export") || strings.Contains(r.body, "/_export") {
				t.Errorf("%s: %d %s", bundle, r.status, r.body)
			}
		}
	}
	if r := newClient(t).get("/$export", "Prefer", "respond-async"); r.status != 404 {
		t.Errorf("a server without exports: %d", r.status)
	}
}

// TestExportPermissions: an export has the types of which its request may read everything, and its
// files are read by who may still do that.
func TestExportPermissions(t *testing.T) {
	var config Config
	c := clinic(t, exporting(t), func(to *Config) { config = *to })
	guard(&config)
	var err error
	if c.handler, err = New(config); err != nil {
		t.Fatal(err)
	}
	as := func(scope string) []string {
		return []string{"Prefer", "respond-async", "Authorization", "Bearer badge-" + scope}
	}
	for _, row := range []struct {
		target, scope string
		want          int
	}{
		{"/$export", "system/*.rs", 202},
		{"/$export", "system/Patient.rs", 202}, // of patients
		{"/$export?_type=Patient", "system/Patient.rs", 202},
		{"/$export?_type=Patient,Observation", "system/Patient.rs", 403},
		{"/$export?_type=Patient", "system/Patient.r", 403},
		{"/$export?_type=Observation", "system/Observation.rs?code=http://loinc.org|8867-4", 403},
		{"/$export", "patient/*.rs", 403},
		{"/Patient/$export", "system/Hound.rs", 403},
	} {
		r := c.get(row.target, as(row.scope)...)
		if r.status != row.want {
			t.Errorf("%s as %s: %d %s", row.target, row.scope, r.status, r.body)
		}
		if r.status != 202 {
			continue
		}
		job := strings.TrimPrefix(r.header.Get("Content-Location"), "http://example.com")
		if r := c.get(job); r.status != 401 {
			t.Errorf("%s without credentials: %d", job, r.status)
		}
		for range 5000 {
			if r = c.get(job, as(row.scope)...); r.status != 202 {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if !strings.Contains(r.body, `"requiresAccessToken":true`) || row.scope != "system/*.rs" && strings.Contains(r.body, "Observation") {
			t.Errorf("%s as %s: %d %s", row.target, row.scope, r.status, r.body)
		}
		for scope, want := range map[string]int{"system/Patient.rs": 200, "system/Condition.rs": 403, "patient/*.rs": 403} {
			if r := c.get(job+"/Patient.1.ndjson", as(scope)...); r.status != want {
				t.Errorf("a file as %s: %d", scope, r.status)
			}
		}
	}
}

// A largeFile is jobs with another file.
type largeFile struct {
	Jobs
	path string
}

func (l largeFile) Open(id, owner, name string) (*os.File, export.File, error) {
	if name != "large" {
		return l.Jobs.Open(id, owner, name)
	}
	f, err := os.Open(l.path)
	return f, export.File{Type: "Patient"}, err
}

// TestExportFiles asks for the job of another, and for a file of many parts.
func TestExportFiles(t *testing.T) {
	path, content := t.TempDir()+"/file", strings.Repeat("0123456789", 100_000)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	c := newClient(t, exporting(t), guardedBy(tokens{}), func(c *Config) { c.Metrics, c.Exports = true, largeFile{c.Exports, path} })
	h := c.handler
	c.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header["Authorization"] == nil {
			r.Header.Set("Authorization", "Bearer ann")
		}
		h.ServeHTTP(w, r)
	})
	job, _ := c.exported(t, "GET", "/$export?_type=ValueSet", "")
	for path, method := range map[string]string{job: "DELETE", job + "/ValueSet.1.ndjson": "GET"} {
		c.do(method, path, "", "Authorization", "Bearer bob").wantIssue(t, 404, "not-found")
	}
	if r := c.get(job + "/large"); r.body != content || !strings.Contains(c.get("/metrics").body, `{action="export-file",status="2xx",type=""} 1`) {
		t.Error(r.status, len(r.body))
	}
}
