package e2e_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/datadir"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

// A put is one state of a resource that a client asked a server for: the n of its
// content, 0 for deleted.
type put struct {
	n     int
	acked bool // the server answered that it is so
}

// A client puts and deletes resources that no other client uses, one after the other, and records
// the states that the server may have: the last acknowledged one, and those requested since.
type client struct {
	http   http.Client
	states map[string][]put
	n      int
}

// patientText is state n of a resource: two concepts, and what a JSON writer could lose.
func patientText(id string, n int) string {
	return fmt.Sprintf(`{ "resourceType":"CodeSystem", "id":%q, "url":"http://example.org/%s","version":"1","status":"active",
	"experimental" : false, "extension":[{"url":"http://example.org/kept","valueDecimal":1.50e+01}], "content":"complete","concept":[{"code":"a","concept":[{"code":"b","display":"state %d \u00e9"}]}]}`, id, id, n)
}

// work changes resources until the server is gone, and returns the first answer that is
// neither success nor a broken connection.
func (c *client) work(url string, ids []string) error {
	for {
		id := ids[rand.IntN(len(ids))]
		c.n++
		method, body, n := http.MethodPut, patientText(id, c.n), c.n
		if rand.IntN(6) == 0 {
			method, body, n = http.MethodDelete, "", 0
		}
		c.states[id] = append(c.states[id], put{n: n})
		req, err := http.NewRequest(method, url+"/CodeSystem/"+id, strings.NewReader(body))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/fhir+json")
		answer, broken := c.http.Do(req)
		if broken != nil {
			return nil //nolint:nilerr // the server was killed, as it should be
		}
		answer.Body.Close()
		if answer.StatusCode > 299 {
			return fmt.Errorf("%s %s: status %d", method, id, answer.StatusCode)
		}
		c.states[id] = []put{{n: n, acked: true}}
	}
}

// check compares what a server has with what it may have.
func (c *client) check(t *testing.T, server *backendtest.Server, id string) {
	t.Helper()
	allowed := c.states[id]
	if len(allowed) == 0 {
		return
	}
	status, body := server.Do(t, "GET", "/CodeSystem/"+id, "")
	n := 0
	switch status {
	case http.StatusOK:
		var got, want map[string]any
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Errorf("%s: %v", id, err)
			return
		}
		delete(got, "meta")
		for _, p := range allowed {
			want = nil
			if err := json.Unmarshal([]byte(patientText(id, p.n)), &want); err != nil {
				t.Fatal(err)
			}
			if p.n != 0 && reflect.DeepEqual(got, want) {
				n = p.n
			}
		}
		if n == 0 {
			t.Errorf("%s: has %s\nbut may have the states %v", id, body, allowed)
			return
		}
	case http.StatusGone, http.StatusNotFound:
		if !allowed[0].acked { // it may never have been stored
			allowed = append(allowed, put{})
		}
	default:
		t.Errorf("%s: status %d: %s", id, status, body)
		return
	}
	known := false
	for _, p := range allowed {
		known = known || p.n == n
	}
	if !known {
		t.Errorf("%s: has state %d, but may have the states %v", id, n, allowed)
	}
	// It is served as well: the index was made from the same state.
	status, body = server.Do(t, "GET", "/CodeSystem/$lookup?system=http://example.org/"+id+"&code=b", "")
	switch {
	case n == 0 && status != http.StatusNotFound:
		t.Errorf("%s is deleted, but $lookup gives %d: %s", id, status, body)
	case n != 0 && !strings.Contains(body, fmt.Sprintf(`"state %d é"`, n)):
		t.Errorf("%s has state %d, but $lookup gives %d: %s", id, n, status, body)
	}
	c.states[id] = []put{{n: n, acked: true}}
}

// A server that is killed while clients write has, when it is started again, every
// state it acknowledged, whole, and answers from it.
func TestKilledServer(t *testing.T) {
	t.Parallel()
	rounds := 5
	if testing.Short() {
		rounds = 2
	}
	data := t.TempDir()
	clients := make([]*client, 4)
	ids := make([][]string, len(clients))
	for i := range clients {
		clients[i] = &client{states: make(map[string][]put)}
		for k := range 8 {
			ids[i] = append(ids[i], fmt.Sprintf("r%d-%d", i, k))
		}
	}
	acked := 0
	for range rounds {
		server := backendtest.Serve(t, backendtest.Tested, "--data", data, "--no-samples", "--no-base")
		for i, c := range clients {
			for _, id := range ids[i] {
				c.check(t, server, id)
			}
		}
		var group sync.WaitGroup
		for i, c := range clients {
			group.Go(func() {
				if err := c.work(server.URL, ids[i]); err != nil {
					t.Error(err)
				}
			})
		}
		time.Sleep(time.Duration(20+rand.IntN(400)) * time.Millisecond)
		if err := server.Cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		group.Wait()
		_ = server.Cmd.Wait()
	}
	server := backendtest.Serve(t, backendtest.Tested, "--data", data, "--no-samples", "--no-base")
	for i, c := range clients {
		for _, id := range ids[i] {
			c.check(t, server, id)
			for _, p := range c.states[id] {
				if p.acked {
					acked++
				}
			}
		}
	}
	if acked == 0 {
		t.Error("nothing was ever acknowledged")
	}
}

// A load that is killed leaves the folder as it was, or has done all of its work; loads
// that ended well stay.
func TestKilledLoad(t *testing.T) {
	rounds := 8
	if testing.Short() {
		rounds = 3
	}
	data, source := t.TempDir(), filepath.Join(t.TempDir(), "source.json")
	shared := 0 // concepts the shared system has: 0 when it was never loaded
	loaded := map[string]bool{}
	for round := range rounds {
		// A longer and longer code system, and one of this round only.
		concepts := 2000 + 500*round
		own := fmt.Sprintf("http://example.org/own%d", round)
		bundle := fmt.Sprintf(`{"resourceType":"Bundle","type":"collection","entry":[{"resource":%s},{"resource":%s}]}`,
			flatSystem("http://example.org/shared", concepts), flatSystem(own, 10))
		if err := os.WriteFile(source, []byte(bundle), 0o644); err != nil {
			t.Fatal(err)
		}
		load := backendtest.Tested(t, "load", source, "--data", data)
		if err := load.Start(); err != nil {
			t.Fatal(err)
		}
		// The first and the last round run to their end.
		if round > 0 && round < rounds-1 {
			kill := time.AfterFunc(time.Duration(rand.IntN(250))*time.Millisecond, func() { _ = load.Process.Kill() })
			defer kill.Stop()
		}
		acked := load.Wait() == nil
		if !acked && (round == 0 || round == rounds-1) {
			t.Fatalf("round %d: load failed", round)
		}
		shared = checkLoaded(t, data, own, shared, concepts, acked, loaded)
	}
}

// checkLoaded opens the folder after a load: it must have had the effect of all of it,
// or, when it did not end well, may have had none. It returns the size of the shared system.
func checkLoaded(t *testing.T, data, own string, before, after int, acked bool, loaded map[string]bool) int {
	t.Helper()
	dir, err := datadir.Open(t.Context(), data, datadir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if err := dir.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	have := map[string]int{}
	for _, e := range dir.Entries() {
		x, err := e.CodeSystem()
		if err != nil {
			t.Fatalf("%s: %v", e.Header.URL, err)
		}
		if _, ok := x.Find(fmt.Sprintf("c%d", e.Concepts-1)); !ok || x.Len() != e.Concepts {
			t.Fatalf("%s: is not whole", e.Header.URL)
		}
		have[e.Header.URL] = x.Len()
	}
	shared := have["http://example.org/shared"]
	switch {
	case shared == after && have[own] == 10:
		loaded[own] = true
	case acked:
		t.Fatalf("load ended well, but the shared system has %d concepts, want %d", shared, after)
	case shared != before || have[own] != 0:
		t.Fatalf("half a load: the shared system has %d concepts, before %d, after %d", shared, before, after)
	}
	for url := range loaded {
		if have[url] != 10 {
			t.Fatalf("%s was loaded before and is gone", url)
		}
	}
	return shared
}

// flatSystem writes a CodeSystem of codes c0, c1, ….
func flatSystem(url string, concepts int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"resourceType":"CodeSystem","url":%q,"status":"active","content":"complete","concept":[`, url)
	for i := range concepts {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"code":"c%d","display":"concept number %d of this system"}`, i, i)
	}
	b.WriteString(`]}`)
	return b.String()
}
