package httpadapter

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/resources"
)

func transactionOf(entries ...string) string {
	return `{"resourceType":"Bundle","type":"transaction","entry":[` + strings.Join(entries, ",") + `]}`
}

// TestTransaction creates resources that refer to each other, and reads them in the same transaction.
func TestTransaction(t *testing.T) {
	for _, prefix := range pathsR4() {
		c := clinic(t)
		linked := strings.Replace(nameless(pulse), "Patient/peter", "urn:uuid:9c2a5a4e-0d34-4b3b-8f0b-0b1f1f3e0001", 1)
		conditional := strings.Replace(nameless(weight), "Patient/peter", "Patient?identifier=http://ids.example|2", 1)
		doc := c.do("POST", prefix+"/", transactionOf(
			`{"request":{"method":"GET","url":"Observation?_count=1&subject:Patient.family=neu"}}`,
			`{"fullUrl":"urn:uuid:1","resource":`+linked+`,"request":{"method":"POST","url":"Observation"}}`,
			`{"fullUrl":"urn:uuid:9c2a5a4e-0d34-4b3b-8f0b-0b1f1f3e0001","resource":`+strings.Replace(nameless(peter), "Chalmers", "Neu", 1)+`,"request":{"method":"POST","url":"Patient","ifNoneExist":"identifier=new"}}`,
			`{"resource":`+conditional+`,"request":{"method":"POST","url":"Observation"}}`,
			`{"resource":`+peter+`,"request":{"method":"PUT","url":"Patient/peter","ifMatch":"W/\"1\""}}`,
			`{"request":{"method":"DELETE","url":"Condition/fever"}}`,
			`{"resource":{"resourceType":"Parameters","parameter":[{"name":"operation","part":[{"name":"type","valueCode":"delete"},{"name":"path","valueString":"Patient.text"}]}]},"request":{"method":"PATCH","url":"Patient/paula"}}`,
			`{"request":{"method":"GET","url":"Patient/paula"}}`,
		)).want(t, 200)
		if doc["type"] != "transaction-response" {
			t.Errorf("%v", doc)
		}
		for i, status := range []string{"200 OK", "201 Created", "201 Created", "201 Created", "200 OK", "204 No Content", "200 OK", "200 OK"} {
			response := at(doc, "entry", i, "response")
			if at(response, "status") != status {
				t.Errorf("entry %d: %v, want %s", i, response, status)
			}
			location, _ := at(response, "location").(string)
			if strings.HasPrefix(status, "201") && !strings.HasPrefix(location, "http://example.com"+prefix+"/") {
				t.Errorf("entry %d: location %q", i, location)
			}
		}
		patient, _ := at(doc, "entry", 2, "resource", "id").(string)
		if got := at(doc, "entry", 1, "resource", "subject", "reference"); got != "Patient/"+patient {
			t.Errorf("reference %v, want Patient/%s", got, patient)
		}
		if got := at(doc, "entry", 3, "resource", "subject", "reference"); got != "Patient/paula" {
			t.Errorf("conditional reference %v", got)
		}
		if inner := at(doc, "entry", 0, "resource"); at(inner, "total") != 1.0 || !strings.HasPrefix(at(inner, "link", 0, "url").(string), "http://example.com"+prefix+"/Observation?") {
			t.Errorf("search: %v", inner)
		}
		if at(doc, "entry", 7, "resource", "text") != nil || at(doc, "entry", 7, "response", "etag") != `W/"2"` {
			t.Errorf("read: %v", at(doc, "entry", 7))
		}
		c.get("/Condition/fever").wantIssue(t, 410, "deleted")
		minimal := c.do("POST", prefix+"/", transactionOf(`{"resource":`+nameless(pulse)+`,"request":{"method":"POST","url":"Observation"}}`), "Prefer", "return=minimal").want(t, 200)
		if at(minimal, "entry", 0, "resource") != nil || at(minimal, "entry", 0, "response", "location") == nil {
			t.Errorf("minimal: %v", minimal)
		}
	}
}

// TestOperationsInTransactions runs operations after the changes of their transaction.
func TestOperationsInTransactions(t *testing.T) {
	c := clinic(t)
	doc := c.do("POST", "/", transactionOf(
		`{"request":{"method":"POST","url":"ValueSet/$expand"},"resource":{"resourceType":"Parameters","parameter":[{"name":"url","valueUri":"http://t.example/vs/pets"}]}}`,
		`{"request":{"method":"POST","url":"Patient/paula/$everything"},"resource":{"resourceType":"Parameters"}}`,
		`{"request":{"method":"POST","url":"CodeSystem/$lookup?system=http://t.example/animals&code=dog"}}`,
		`{"request":{"method":"POST","url":"Patient/$validate"},"resource":`+nameless(peter)+`}`,
		`{"resource":`+strings.Replace(nameless(pulse), "Patient/peter", "Patient/paula", 1)+`,"request":{"method":"POST","url":"Observation"}}`,
	)).want(t, 200)
	for i, typ := range []string{"ValueSet", "Bundle", "Parameters", "OperationOutcome", "Observation"} {
		if got := at(doc, "entry", i, "resource", "resourceType"); got != typ || !strings.HasPrefix(at(doc, "entry", i, "response", "status").(string), "20") {
			t.Errorf("entry %d: %v, want %s", i, at(doc, "entry", i), typ)
		}
	}
	if total := at(doc, "entry", 1, "resource", "total"); total != 2.0 {
		t.Errorf("$everything does not see the change: %v", total)
	}
}

// TestHistoryMethods checks how the versions of a history say that they were made.
func TestHistoryMethods(t *testing.T) {
	c := newClient(t, func(config *Config) { config.Resources = resources.NewService(memory.New(), nil) })
	id := c.do("POST", "/Patient", `{"resourceType":"Patient"}`).want(t, 201)["id"].(string)
	c.do("DELETE", "/Patient/"+id, "")
	c.do("PUT", "/Patient/"+id, `{"resourceType":"Patient","id":"`+id+`"}`).want(t, 201)
	c.do("PUT", "/Patient/"+id, `{"resourceType":"Patient","id":"`+id+`","active":true}`).want(t, 200)
	c.do("PUT", "/Patient/own", `{"resourceType":"Patient","id":"own"}`).want(t, 201)
	for path, want := range map[string]string{
		"/Patient/" + id + "/_history":          "PUT Patient/ID 200, PUT Patient/ID 201, DELETE Patient/ID 204, POST Patient 201",
		"/Patient/_history":                     "PUT Patient/own 201, PUT Patient/ID 200, PUT Patient/ID 201, DELETE Patient/ID 204, POST Patient 201",
		"/Patient/" + id + "/_history?_count=1": "PUT Patient/ID 200",
	} {
		var got []string
		doc := c.get(path).want(t, 200)
		for i := 0; at(doc, "entry", i) != nil; i++ {
			e := at(doc, "entry", i)
			got = append(got, fmt.Sprint(at(e, "request", "method"), " ", at(e, "request", "url"), " ", at(e, "response", "status")))
		}
		if text := strings.ReplaceAll(strings.Join(got, ", "), id, "ID"); text != want {
			t.Errorf("%s: %s, want %s", path, text, want)
		}
	}
	second := strings.TrimPrefix(links(c.get("/Patient/_history?_count=2").want(t, 200))["next"], "http://example.com")
	if doc := c.get(second).want(t, 200); at(doc, "entry", 0, "response", "status") != "201" {
		t.Errorf("a version whose former one is on another page: %v", doc)
	}
	if doc := c.get("/Patient/"+id+"/_history?_count=1&_cursor="+second[strings.LastIndexByte(second, '=')+1:]).want(t, 200); at(doc, "entry", 0, "response", "status") != "201" {
		t.Errorf("a version alone on its page: %v", doc)
	}
}

// TestWarnings checks that a transaction warns of references to entries that are not there.
func TestWarnings(t *testing.T) {
	c := clinic(t)
	doc := c.do("POST", "/", transactionOf(`{"resource":`+strings.Replace(nameless(pulse), "Patient/peter", "urn:uuid:9c2a5a4e-0d34-4b3b-8f0b-0b1f1f3e0001", 1)+`,"request":{"method":"POST","url":"Observation"}}`)).want(t, 200)
	issue := at(doc, "entry", 0, "response", "outcome", "issue", 0)
	if text := fmt.Sprint(at(issue, "severity"), at(issue, "diagnostics"), at(issue, "expression")); !strings.Contains(text, "warning") || !strings.Contains(text, "9c2a5a4e") || !strings.Contains(text, "Bundle.entry[0]") {
		t.Errorf("%v", doc)
	}
	batch := c.do("POST", "/", `{"resourceType":"Bundle","type":"batch","entry":[{"resource":`+nameless(peter)+`}]}`).want(t, 200)
	if text, _ := at(batch, "entry", 0, "response", "outcome", "issue", 0, "diagnostics").(string); !strings.Contains(text, "Bundle.entry[0].request is missing") {
		t.Errorf("%v", batch)
	}
}

// TestFailedTransactions checks that a failure names its entry and changes nothing.
func TestFailedTransactions(t *testing.T) {
	c := clinic(t)
	before := c.get("/_history").body
	good := `{"resource":` + nameless(pulse) + `,"request":{"method":"POST","url":"Observation"}}`
	for _, tt := range []struct {
		entry      string
		status     int
		code       string
		expression string
	}{
		{`{"resource":{"resourceType":"Patient","gender":"x"},"request":{"method":"POST","url":"Patient"}}`, 422, "code-invalid", "Bundle.entry[1].resource.gender"},
		{`{"resource":` + nameless(peter) + `}`, 400, "structure", "Bundle.entry[1]"},
		{`{"request":{"url":"Patient"},"resource":` + nameless(peter) + `}`, 400, "structure", "Bundle.entry[1]"},
		{`{"request":{"method":"POST","url":"$closure"},"resource":{"resourceType":"Parameters","parameter":[{"name":"name","valueString":"c"}]}}`, 422, "not-supported", "Bundle.entry[1]"},
		{`{"request":{"method":"POST","url":"ValueSet/$dance"},"resource":{"resourceType":"Parameters"}}`, 400, "not-supported", "Bundle.entry[1]"},
		{`{"request":{"method":"POST","url":"ValueSet/$expand?url=nowhere"}}`, 412, "not-found", "Bundle.entry[1]"},
		{`{"resource":{"resourceType":"Patient","colour":"x"},"request":{"method":"POST","url":"Patient"}}`, 400, "structure", "Bundle.entry[1].resource.colour"},
		{`{"resource":` + nameless(peter) + `,"request":{"method":"POST","url":"Observation"}}`, 400, "invalid", "Bundle.entry[1]"},
		{`{"resource":` + peter + `,"request":{"method":"PUT","url":"Patient/peter","ifMatch":"W/\"9\""}}`, 412, "conflict", "Bundle.entry[1]"},
		{`{"resource":` + nameless(peter) + `,"request":{"method":"POST","url":"Patient","ifNoneExist":"family=chalmers"}}`, 412, "multiple-matches", "Bundle.entry[1]"},
		{`{"resource":` + nameless(peter) + `,"request":{"method":"POST","url":"Patient","ifNoneExist":"colour=red"}}`, 400, "not-supported", "Bundle.entry[1]"},
		{`{"resource":` + strings.Replace(nameless(pulse), "Patient/peter", "Patient?identifier=nobody", 1) + `,"request":{"method":"POST","url":"Observation"}}`, 412, "not-found", "Bundle.entry[1]"},
		{`{"request":{"method":"GET","url":"Patient/nobody"}}`, 412, "not-found", "Bundle.entry[1]"},
		{`{"request":{"method":"GET","url":"Patient?birthdate=x"}}`, 400, "value", "Bundle.entry[1]"},
		{`{"resource":[],"request":{"method":"POST","url":"Patient"}}`, 400, "structure", ""},
		{`{"request":{"method":"POST","url":"Patient"}}`, 400, "structure", "Bundle.entry[1]"},
		{`{"request":{"method":"BREW","url":"Patient"}}`, 400, "structure", "Bundle.entry[1]"},
		{`{"resource":{"resourceType":"Binary","contentType":"text/plain"},"request":{"method":"PATCH","url":"Patient/peter"}}`, 400, "structure", "Bundle.entry[1]"},
		{`{"request":{"method":"DELETE","url":"Patient?family=chalmers"}}`, 412, "multiple-matches", "Bundle.entry[1]"},
		{`{}`, 400, "structure", "Bundle.entry[1]"},
		{`{"request":{"method":"POST","url":"Hound"},"resource":{"resourceType":"Hound"}}`, 400, "not-supported", "Bundle.entry[1]"},
	} {
		doc := c.do("POST", "/", transactionOf(good, tt.entry)).want(t, tt.status)
		expression, _ := at(doc, "issue", 0, "expression", 0).(string)
		if at(doc, "issue", 0, "code") != tt.code || expression != tt.expression {
			t.Errorf("%s: %v, want %s at %s", tt.entry, doc, tt.code, tt.expression)
		}
	}
	if c.get("/_history").body != before {
		t.Error("a transaction that failed has changed something")
	}
	small := newClient(t, func(config *Config) { config.Limits.MaxEntries = 1 })
	small.do("POST", "/", transactionOf(good, good)).wantIssue(t, 413, "too-costly")
}

// TestTransactionIndexesTooMuch checks that a transaction with too many entries in the search index is
// refused with the limit and the remedy, also if it deletes first, and that it changes nothing.
func TestTransactionIndexesTooMuch(t *testing.T) {
	c := newClient(t)
	entries := []string{`{"request":{"method":"DELETE","url":"Patient/none"}}`}
	for i := range 9 {
		var b strings.Builder
		for k := range 45_000 {
			fmt.Fprintf(&b, `,{"value":"%d-%d"}`, i, k)
		}
		entries = append(entries, `{"resource":{"resourceType":"Patient","identifier":[`+b.String()[1:]+`]},"request":{"method":"POST","url":"Patient"}}`)
	}
	for _, list := range [][]string{entries, entries[1:]} {
		r := c.do("POST", "/", transactionOf(list...))
		r.wantIssue(t, 422, "too-costly")
		if !strings.Contains(r.body, "400000 entries") || !strings.Contains(r.body, "divide the bundle") {
			t.Errorf("%s", r.body)
		}
	}
	if got := c.get("/Patient?_summary=count").want(t, 200); got["total"] != 0.0 {
		t.Errorf("stored %v", got["total"])
	}
	c.do("POST", "/", transactionOf(entries[:9]...)).want(t, 200)
}

// TestTransactionReadsTooMuch checks that a transaction is refused and changes nothing if the responses
// to its GETs are too large.
func TestTransactionReadsTooMuch(t *testing.T) {
	c := clinic(t)
	c.handler.(*Handler).maxTransactionReads = 20_000
	read := `{"request":{"method":"GET","url":"Patient/peter"}}`
	post := `{"resource":` + nameless(pulse) + `,"request":{"method":"POST","url":"Observation"}}`
	c.do("POST", "/", transactionOf(post, read)).want(t, 200)
	before := c.get("/Observation?_summary=count").body
	entries := []string{post}
	for range 200 {
		entries = append(entries, read)
	}
	c.do("POST", "/", transactionOf(entries...)).wantIssue(t, 413, "too-costly")
	if after := c.get("/Observation?_summary=count").body; after != before {
		t.Errorf("%s, before %s", after, before)
	}
}

// retried tries an entry ten times before that fails.
type retried struct {
	*resources.Service
	err  error
	h    *Handler
	used []int64
}

func (s *retried) Transaction(ctx context.Context, b *resources.Bundle, o resources.TransactionOptions) ([]resources.Outcome, error) {
	for range 10 {
		if err := o.Answer(ctx, 0, &b.Entries[0]); err != nil {
			return nil, err
		}
		s.used = append(s.used, s.h.shared.answers.Used())
	}
	return nil, &resources.EntryError{Err: s.err}
}

// TestRetriedTransactions checks that only the last attempt holds memory, and which errors name the entry.
func TestRetriedTransactions(t *testing.T) {
	store := new(retried)
	c := newClient(t, func(c *Config) { store.Service = c.Resources.(*resources.Service); c.Resources = store })
	store.h = c.handler.(*Handler)
	c.do("PUT", "/Basic/b", `{"resourceType":"Basic","id":"b","code":{"text":"`+strings.Repeat("x", 99_000)+`"}}`)
	for err, named := range map[error]bool{context.DeadlineExceeded: false, resources.ErrNotSearchable: true, resources.ErrNotFound: true} {
		store.err, store.used = err, nil
		if r := c.do("POST", "/", transactionOf(entry("GET", "Basic/b", ""))); strings.Contains(r.body, "Bundle.entry[0]") != named || slices.Max(store.used) > store.used[0] {
			t.Errorf("%v: %s, %v", err, r.body, store.used)
		}
	}
}
