package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

// A closureClient keeps a closure table as the specification says: it adds what answers contain, and
// asks for what was added since the last answer that it received when a connection breaks.
type closureClient struct {
	version string
	table   map[string]bool // "code<code"
}

// ask sends a request and adds its answer to the table. broken is true if there was no answer.
func (c *closureClient) ask(t *testing.T, url string, parameters ...string) (broken bool) {
	t.Helper()
	body := `{"resourceType":"Parameters","parameter":[{"name":"name","valueString":"e2e"}`
	for _, p := range parameters {
		body += "," + p
	}
	answer, err := http.Post(url+"/$closure", "application/fhir+json", strings.NewReader(body+"]}"))
	if err != nil {
		t.Log(err)
		return true
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		return true
	}
	var m struct {
		ResourceType, Version string
		Group                 []struct {
			Element []struct {
				Code   string
				Target []struct{ Code, Equivalence string }
			}
		}
	}
	if err := json.Unmarshal(data, &m); err != nil || answer.StatusCode != http.StatusOK || m.ResourceType != "ConceptMap" {
		t.Fatalf("status %d: %.500s", answer.StatusCode, data)
	}
	for _, g := range m.Group {
		for _, e := range g.Element {
			for _, target := range e.Target {
				if target.Equivalence != "subsumes" {
					t.Fatalf("%s %s %s", e.Code, target.Equivalence, target.Code)
				}
				c.table[e.Code+"<"+target.Code] = true
			}
		}
	}
	c.version = m.Version
	return false
}

// closureSystem writes a code system of n codes with up to three parents each to a file, and returns
// its path and the relations that follow.
func closureSystem(t *testing.T, n int, rng *rand.Rand) (path string, want map[string]bool) {
	t.Helper()
	above := make([]map[int]bool, n)
	want = map[string]bool{}
	var b strings.Builder
	b.WriteString(`{"resourceType":"CodeSystem","url":"http://example.org/dag","version":"1","status":"active","content":"complete","hierarchyMeaning":"is-a","property":[{"code":"parent","type":"code"}],"concept":[`)
	for i := range n {
		above[i] = map[int]bool{}
		for p := 0; i > 0 && p <= rng.IntN(3); p++ {
			above[i][rng.IntN(i/8+1)] = true
		}
		var parents []string
		for parent := range maps.Clone(above[i]) {
			parents = append(parents, fmt.Sprintf(`{"code":"parent","valueCode":"c%d"}`, parent))
			maps.Copy(above[i], above[parent])
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"code":"c%d"`, i)
		if parents != nil {
			b.WriteString(`,"property":[` + strings.Join(parents, ",") + `]`)
		}
		b.WriteByte('}')
		for a := range above[i] {
			want[fmt.Sprintf("c%d<c%d", i, a)] = true
		}
	}
	path = filepath.Join(t.TempDir(), "CodeSystem-dag.json")
	if err := os.WriteFile(path, []byte(b.String()+"]}"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, want
}

// TestKilledClosure adds 10,000 codes in random batches while the server is killed again and again.
// The client ends with exactly the closure, and so does one that asks for the whole table.
func TestKilledClosure(t *testing.T) {
	t.Parallel()
	n := 10_000
	if testing.Short() {
		n = 2_000
	}
	rng := rand.New(rand.NewPCG(17, 4))
	path, want := closureSystem(t, n, rng)
	data := t.TempDir()
	serve := func() *backendtest.Server {
		return backendtest.Serve(t, backendtest.Tested, "--data", data, "--load", path, "--no-samples", "--no-base")
	}
	server := serve()
	client := &closureClient{table: map[string]bool{}}
	if client.ask(t, server.URL) {
		t.Fatal("the table was not initialised")
	}
	order, kills := rng.Perm(n), 0
	kill := func(s *backendtest.Server) {
		time.Sleep(time.Duration(5+rand.IntN(150)) * time.Millisecond)
		_ = s.Cmd.Process.Kill()
	}
	go kill(server)
	for len(order) > 0 {
		size := min(len(order), 1+rng.IntN(60))
		var batch []string
		for _, i := range order[:size] {
			batch = append(batch, fmt.Sprintf(`{"name":"concept","valueCoding":{"system":"http://example.org/dag","code":"c%d"}}`, i))
		}
		if !client.ask(t, server.URL, batch...) {
			order = order[size:]
			continue
		}
		kills++
		server.Kill()
		server = serve()
		if client.ask(t, server.URL, fmt.Sprintf(`{"name":"version","valueString":%q}`, client.version)) {
			t.Fatal("no replay")
		}
		if kills < 8 {
			go kill(server)
		}
	}
	server.Kill()
	server = serve()
	all := &closureClient{table: map[string]bool{}}
	if all.ask(t, server.URL, `{"name":"version","valueString":"0"}`) {
		t.Fatal("no replay")
	}
	t.Logf("%d codes, %d relations, version %s, %d kills", n, len(want), all.version, kills)
	if kills == 0 {
		t.Error("the server was never killed")
	}
	if !maps.Equal(all.table, want) {
		t.Errorf("the table has %d relations, not %d", len(all.table), len(want))
	}
	if !maps.Equal(client.table, want) {
		t.Errorf("the client has %d relations, not %d", len(client.table), len(want))
	}
}
