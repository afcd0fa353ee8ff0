package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

// A receiver is the endpoint of a Subscription that refuses one notification in ten.
type receiver struct {
	mu       sync.Mutex
	requests int
	versions map[string]int // the newest version of each resource
	problems []string
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	var doc struct {
		ID     string
		Status string
		Meta   struct{ VersionID string }
	}
	if err == nil {
		err = json.Unmarshal(body, &doc)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests++
	if r.requests%10 == 0 {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	version, _ := strconv.Atoi(doc.Meta.VersionID)
	switch was := r.versions[doc.ID]; {
	case err != nil, req.Method != http.MethodPut, req.URL.Path != "/hook/Observation/"+doc.ID, req.Header.Get("Authorization") != "Bearer secret", doc.Status != "final":
		r.problems = append(r.problems, fmt.Sprintf("%s %s: %v %s", req.Method, req.URL.Path, err, body))
	case version > was+1:
		r.problems = append(r.problems, fmt.Sprintf("%s: version %d after %d", doc.ID, version, was))
	case version == was+1:
		r.versions[doc.ID] = version
	}
}

// TestSubscription changes resources while the server is killed three times, and checks that the endpoint
// of a Subscription has received every version, those of each resource in order. SUBSCRIPTION_EVENTS sets
// another number of changes than 2,000.
func TestSubscription(t *testing.T) {
	t.Parallel()
	events, err := strconv.Atoi(os.Getenv("SUBSCRIPTION_EVENTS"))
	if err != nil {
		events = 2000
	}
	const resources, kills = 40, 3
	r := &receiver{versions: map[string]int{}}
	endpoint := httptest.NewServer(r)
	defer endpoint.Close()
	data := t.TempDir()
	start := func() *backendtest.Server {
		return backendtest.Serve(t, backendtest.Tested, "--data", data, "--no-samples", "--subscription-hosts", strings.TrimPrefix(endpoint.URL, "http://"))
	}
	server := start()
	if status, body := server.Do(t, "POST", "/Subscription", `{"resourceType":"Subscription","status":"requested","reason":"test",
		"criteria":"Observation?status=final&code:below=http://hl7.org/fhir/observation-status|final",
		"channel":{"type":"rest-hook","endpoint":"`+endpoint.URL+`/hook","payload":"application/fhir+json","header":["Authorization: Bearer secret"]}}`); status != http.StatusCreated {
		t.Fatal(status, body)
	}
	for n := range events {
		if n > 0 && n%(events/(kills+1)) == 0 {
			server.Kill()
			server = start()
		}
		id := fmt.Sprintf("o%d", n%resources)
		text := `{"resourceType":"Observation","id":"` + id + `","status":"final","code":{"coding":[{"system":"http://hl7.org/fhir/observation-status","code":"final"}]},"valueInteger":` + strconv.Itoa(n) + `}`
		if status, body := server.Do(t, "PUT", "/Observation/"+id, text); status > 201 {
			t.Fatal(status, body)
		}
		if n%10 == 0 { // which does not match
			server.Do(t, "PUT", "/Observation/other", strings.Replace(strings.Replace(text, id, "other", 1), `"final","code"`, `"amended","code"`, 1))
		}
	}
	received := func() (sum int) {
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, version := range r.versions {
			sum += version
		}
		return sum
	}
	for wait := 0; received() < events && wait < 600+events/100; wait++ {
		time.Sleep(100 * time.Millisecond)
	}
	if got := received(); got != events || len(r.problems) > 0 {
		t.Errorf("%d of %d versions in %d requests; %v\n%s", got, events, r.requests, r.problems, server.Log)
	}
	if _, body := server.Do(t, "GET", "/Subscription?status=active&_summary=count", ""); !strings.Contains(body, `"total":1`) {
		t.Errorf("the Subscription is not active: %s", body)
	}
	t.Logf("%d notifications of %d versions", r.requests, events)
}
