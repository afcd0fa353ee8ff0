package httpadapter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/roget-health/roget/access/audit"
)

// auditRecorder keeps records, and fails on demand.
type auditRecorder struct {
	mu      sync.Mutex
	records []audit.Record
	fail    int // the number of the Append that fails, counted from 1
	appends int
	down    error // what Check returns
}

func (a *auditRecorder) Append(_ context.Context, records ...audit.Record) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.appends++; a.appends == a.fail {
		return errors.New("no space left on device")
	}
	a.records = append(a.records, records...)
	return nil
}

func (a *auditRecorder) AppendRefused(ctx context.Context, r audit.Record) error {
	return a.Append(ctx, r)
}
func (a *auditRecorder) Check(context.Context) error { return a.down }

// take returns the records so far as text, one a line, and forgets them.
func (a *auditRecorder) take() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var b strings.Builder
	for _, r := range a.records {
		fmt.Fprintf(&b, "%d %s %s %d", r.Entry, r.Event, r.Type, r.Status)
		for _, list := range [...]struct {
			name string
			refs []string
		}{{"read", r.Read}, {"created", r.Created}, {"updated", r.Updated}, {"deleted", r.Deleted}, {"of", r.Patients}} {
			if len(list.refs) > 0 {
				fmt.Fprintf(&b, " %s %s", list.name, strings.Join(list.refs, ","))
			}
		}
		if r.Query != "" {
			b.WriteString(" ?" + r.Query)
		}
		b.WriteString("\n")
	}
	a.records = nil
	return b.String()
}

// auditedClinic returns a client of a server with two patients, two observations and a condition.
func auditedClinic(t testing.TB, change ...func(*Config)) (*client, *auditRecorder) {
	log := new(auditRecorder)
	c := newClient(t, append(change, func(config *Config) { config.Audit = log })...)
	for _, doc := range []string{
		`{"resourceType":"Patient","id":"a","name":[{"family":"Alpha"}]}`,
		`{"resourceType":"Patient","id":"b","link":[{"other":{"reference":"Patient/a"},"type":"seealso"}]}`,
		`{"resourceType":"Observation","id":"o1","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/a"}}`,
		`{"resourceType":"Observation","id":"o2","status":"final","code":{"text":"x"},"subject":{"reference":"http:\/\/example.com\/Patient\/b"},"performer":[{"reference":"Patient/a"}]}`,
		`{"resourceType":"Organization","id":"g","name":"Patient/a"}`,
	} {
		var head struct{ ResourceType, ID string }
		if err := json.Unmarshal([]byte(doc), &head); err != nil {
			t.Fatal(err)
		}
		c.do("PUT", "/"+head.ResourceType+"/"+head.ID, doc).want(t, 201)
	}
	log.take()
	return c, log
}

// TestAudit checks what the audit log has of each way to resources.
func TestAudit(t *testing.T) {
	c, log := auditedClinic(t)
	const o1, o2, a, b = "Observation/o1/_history/1", "Observation/o2/_history/1", "Patient/a/_history/1", "Patient/b/_history/1"
	batch := func(typ string, entries ...string) string {
		return `{"resourceType":"Bundle","type":"` + typ + `","entry":[` + strings.Join(entries, ",") + `]}`
	}
	for _, tt := range []struct{ method, path, body, want string }{
		{"GET", "/Observation/o1", "", "0 read Observation 200 read " + o1 + " of Patient/a\n"},
		{"HEAD", "/Observation/o1", "", "0 read Observation 200 read " + o1 + " of Patient/a\n"},
		{"GET", "/Observation/o2?_summary=true", "", "0 read Observation 200 read " + o2 + " of Patient/b,Patient/a ?_summary=true\n"},
		{"GET", "/Organization/g", "", "0 read Organization 200 read Organization/g/_history/1\n"},
		{"GET", "/Observation/o1/_history/1", "", "0 vread Observation 200 read " + o1 + " of Patient/a\n"},
		{"GET", "/Patient/b", "", "0 read Patient 200 read " + b + " of Patient/b,Patient/a\n"},
		{"GET", "/Patient/none", "", "0 read Patient 404\n"},
		{"GET", "/Observation?_sort=_id&_include=Observation:performer", "", "0 search Observation 200 read " + o1 + "," + o2 + "," + a + " of Patient/a,Patient/b ?_sort=_id&_include=Observation:performer\n"},
		{"GET", "/Observation?_summary=count", "", "0 search Observation 200 ?_summary=count\n"},
		{"GET", "/Observation?date=nonsense", "", "0 search Observation 400 ?date=nonsense\n"},
		{"GET", "/Patient/b/Condition", "", "0 search Condition 200 of Patient/b\n"},
		{"GET", "/Patient/b/$everything?_type=Observation", "", "0 $everything Patient 200 read " + o2 + " of Patient/b,Patient/a ?_type=Observation\n"},
		{"GET", "/Observation/o1/_history", "", "0 history Observation 200 read " + o1 + " of Patient/a\n"},
		{"GET", "/?_type=Patient&_id=a", "", "0 search  200 read " + a + " of Patient/a ?_type=Patient&_id=a\n"},
		{"GET", "/CodeSystem/loaded", "", "0 read CodeSystem 200 read CodeSystem/loaded\n"},
		{"GET", "/CodeSystem/$lookup?system=http://t.example/loaded&code=one", "", "0 $lookup CodeSystem 200 ?system=http://t.example/loaded&code=one\n"},
		{"GET", "/CodeSystem/$lookup?system=http://t.example/loaded&code=one&access_token=se&cache-id=cret", "", "0 $lookup CodeSystem 400 ?system=http://t.example/loaded&code=one&access_token=REDACTED&cache-id=REDACTED\n"},
		{
			"POST", "/", batch("batch", `{"request":{"method":"GET","url":"Observation?code:text=x&_sort=_id"}}`, `{"request":{"method":"GET","url":"Patient/none"}}`, `{"request":{"method":"GET","url":"http://elsewhere/Patient/1"}}`,
				`{"request":{"method":"DELETE","url":"Observation/o1"}}`),
			"1 search Observation 200 read " + o1 + "," + o2 + " of Patient/a,Patient/b ?code:text=x&_sort=_id\n2 read Patient 404\n3 unknown  400\n" +
				"4 delete Observation 204 deleted Observation/o1/_history/2 of Patient/a\n0 batch  200\n",
		},
		{"GET", "/Observation/o1", "", "0 read Observation 410\n"},
		{
			"POST", "/", batch("transaction", `{"request":{"method":"GET","url":"Patient/a"}}`,
				`{"resource":{"resourceType":"Observation","id":"o1","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/a"}},"request":{"method":"PUT","url":"Observation/o1"}}`,
				`{"request":{"method":"DELETE","url":"Patient/b"}}`,
				`{"resource":{"resourceType":"Patient","name":[{"family":"New"}]},"request":{"method":"POST","url":"Patient","ifNoneExist":"_id=a"}}`),
			"1 read Patient 200 read " + a + " of Patient/a\n2 update Observation 201 created Observation/o1/_history/3 of Patient/a\n" +
				"3 delete Patient 204 deleted Patient/b/_history/2 of Patient/b,Patient/a\n4 create Patient 200 read " + a + " of Patient/a\n0 transaction  200\n",
		},
		{"POST", "/", batch("transaction", `{"request":{"method":"GET","url":"Patient/a"}}`, `{"request":{"method":"GET","url":"Patient/none"}}`), "0 transaction  412\n"},
		{"PATCH", "/Patient/a", `{"gender":"other"}`, "0 patch Patient 200 updated Patient/a/_history/2 of Patient/a\n"},
		{"PUT", "/Patient/a", `{"resourceType":"Patient","id":"a","name":[{"family":"Alpha"}],"gender":"other"}`, "0 update Patient 200 read Patient/a/_history/2 of Patient/a\n"},
		{"PUT", "/Basic/m", `{"resourceType":"Basic","id":"m","code":{"text":"x"},"subject":{"reference":"Patient/a"}}`, "0 update Basic 201 created Basic/m/_history/1 of Patient/a\n"},
		{"PUT", "/Basic/m", `{"resourceType":"Basic","id":"m","code":{"text":"x"},"subject":{"reference":"Patient/b"}}`, "0 update Basic 200 updated Basic/m/_history/2 of Patient/b,Patient/a\n"},
		{
			"POST", "/", batch("transaction", `{"resource":{"resourceType":"Basic","id":"m","code":{"text":"x"},"subject":{"reference":"Patient/c"}},"request":{"method":"PUT","url":"Basic/m"}}`),
			"1 update Basic 200 updated Basic/m/_history/3 of Patient/c,Patient/b\n0 transaction  200\n",
		},
		{"DELETE", "/Observation?_id=o1", "", "0 delete Observation 204 deleted Observation/o1/_history/4 of Patient/a ?_id=o1\n"},
		{"DELETE", "/Observation/none", "", "0 delete Observation 204\n"},
		{"POST", "/", batch("transaction", `{"request":{"method":"DELETE","url":"Patient/none"}}`), "1 delete Patient 204\n0 transaction  200\n"},
		{"GET", "/nothing/here", "", "0 unknown  404\n"},
		{"GET", "/readyz", "", ""},
	} {
		headers := []string{}
		if tt.method == "PATCH" {
			headers = []string{"Content-Type", mediaMergePatch}
		}
		c.do(tt.method, tt.path, tt.body, headers...)
		if got := log.take(); got != tt.want {
			t.Errorf("%s %s:\n%swant\n%s", tt.method, tt.path, got, tt.want)
		}
	}
	c.do("POST", "/Observation/_search?_sort=_id", "subject=Patient/b", "Content-Type", mediaForm).want(t, 200)
	if got, want := log.take(), "0 search Observation 200 read "+o2+" of Patient/b,Patient/a ?_sort=_id&subject=Patient/b\n"; got != want {
		t.Errorf("search by POST:\n%swant\n%s", got, want)
	}
}

// TestAuditBeforeAnswer checks that nothing leaves that is not recorded: the first part of a large
// answer, later parts, the answer to a change, and everything while the log is down.
func TestAuditBeforeAnswer(t *testing.T) {
	c, log := auditedClinic(t, func(config *Config) { config.Limits.MaxCount = 5000 })
	large := strings.Repeat("x", 1000)
	for i := range 400 {
		id := fmt.Sprintf("s%03d", i)
		c.do("PUT", "/Basic/"+id, `{"resourceType":"Basic","id":"`+id+`","code":{"text":"`+large+`"}}`).want(t, 201)
	}
	log.take()

	whole := c.do("GET", "/Basic?_count=1000&_sort=_id", "")
	seen := map[string]bool{}
	for _, r := range log.records {
		for _, ref := range r.Read {
			seen[ref] = true
		}
		if len(r.Read) > maxAudited {
			t.Errorf("a line has %d resources", len(r.Read))
		}
	}
	if n := strings.Count(whole.body, `"fullUrl"`); n != 400 || len(seen) != 400 {
		t.Errorf("%d resources in the answer and %d in the log, want 400", n, len(seen))
	}
	parts := log.appends
	log.take()
	if parts < 4 {
		t.Fatalf("the answer was recorded in %d parts, so this test shows nothing", parts)
	}

	for _, accept := range []string{mediaFHIR, mediaXML} {
		log.appends, log.fail, log.records = 0, 1, nil
		got := c.do("GET", "/Basic?_count=1000&_sort=_id", "", "Accept", accept)
		if got.status != 503 || strings.Contains(got.body, "s000") || got.header.Get("Retry-After") == "" {
			t.Errorf("%s: %d %.200s", accept, got.status, got.body)
		}
		log.appends, log.fail, log.records = 0, 3, nil
		func() {
			defer func() {
				if recover() == nil {
					t.Error("a response that was cut off looks complete")
				}
			}()
			got = c.do("GET", "/Basic?_count=1000&_sort=_id", "", "Accept", accept)
		}()
	}

	for _, tt := range []struct{ method, path, body string }{
		{"GET", "/Patient/a", ""},
		{"HEAD", "/Patient/a", ""},
		{"DELETE", "/Patient/b", ""},
		{"PUT", "/Patient/new", `{"resourceType":"Patient","id":"new"}`},
		{"POST", "/", `{"resourceType":"Bundle","type":"batch","entry":[{"request":{"method":"GET","url":"Patient/a"}}]}`},
		{"GET", "/CodeSystem/loaded", ""},
	} {
		log.appends, log.fail, log.records = 0, 1, nil
		got := c.do(tt.method, tt.path, tt.body)
		if got.status != 503 || strings.Contains(got.body, "Alpha") || got.header.Get("Etag")+got.header.Get("Location") != "" || len(log.records) > 0 {
			t.Errorf("%s %s: %d %v %.200s", tt.method, tt.path, got.status, got.header, got.body)
		}
	}

	log.appends, log.fail, log.down = 0, 0, errors.New("no space left on device")
	if got := c.do("PUT", "/Patient/late", `{"resourceType":"Patient","id":"late"}`); got.status != 503 {
		t.Errorf("a change while the log is down: %d", got.status)
	}
	if got := c.do("GET", "/healthz", ""); got.status != 200 {
		t.Errorf("healthz while the log is down: %d", got.status)
	}
	log.down = nil
	if got := c.do("GET", "/Patient/late", ""); got.status != 404 {
		t.Errorf("a change was made although it could not be recorded: %d", got.status)
	}
}

// TestAuditRequestID checks that all lines of a bundle have the id of its request.
func TestAuditRequestID(t *testing.T) {
	c, log := auditedClinic(t)
	c.do("POST", "/", `{"resourceType":"Bundle","type":"batch","entry":[{"request":{"method":"GET","url":"Patient/a"}},{"request":{"method":"GET","url":"Patient/b"}}]}`, "X-Request-Id", "abc").want(t, 200)
	ids := []string{}
	for _, r := range log.records {
		ids = append(ids, r.Request)
	}
	if !slices.Equal(ids, []string{"abc", "abc", "abc"}) {
		t.Errorf("ids %v", ids)
	}
}

// TestAuditRefusedHost checks that a request for another host is a refusal in the log.
func TestAuditRefusedHost(t *testing.T) {
	hosts := LoopbackHosts()
	c, log := auditedClinic(t, func(config *Config) { config.Hosts, config.BaseURL = &hosts, "http://example.com" })
	c.do("GET", "http://evil.example/Patient/a", "").want(t, 421)
	if len(log.records) != 1 || !isRefusal(&log.records[0]) {
		t.Errorf("not a refusal: %+v", log.records)
	}
	if got, want := log.take(), "0 refuse  421\n"; got != want {
		t.Errorf("%swant\n%s", got, want)
	}
	log.fail = log.appends + 1
	c.do("GET", "http://evil.example/Patient/a", "").wantIssue(t, 503, "transient")
}

// TestAuditOwners checks that records name the patients of each changed resource, not only those of all.
func TestAuditOwners(t *testing.T) {
	c, log := auditedClinic(t, func(config *Config) { config.DeleteMany = true })
	if got := c.do("DELETE", "/Observation?code:text=x", ""); got.status != 204 {
		t.Fatal(got.status, got.body)
	}
	log.mu.Lock()
	defer log.mu.Unlock()
	owners := fmt.Sprint(log.records[0].Owners)
	if want := "map[Observation/o1/_history/2:[a] Observation/o2/_history/2:[b a]]"; owners != want {
		t.Errorf("owners %s, want %s", owners, want)
	}
}
