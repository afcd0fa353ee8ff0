package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

// TestLinearizable runs clients that create, update, patch, delete and read the same resources,
// singly and in transactions, while their servers are killed and restarted. It checks that the
// responses could have come from a single server that processes one request after the other.
func TestLinearizable(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		linearizable(t, 1, "sqlite:"+t.TempDir()+"/roget.db")
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		linearizable(t, 2, postgresServer.Schema(t))
	})
}

// The load of linearizable.
const (
	linearPairs   = 40
	linearClients = 8
	linearRounds  = 6 // servers killed in each
	linearRound   = 1500 * time.Millisecond
)

// fleet is the servers on one store; each is replaced when it was killed.
type fleet struct {
	store   string
	pairs   int
	servers []atomic.Pointer[backendtest.Server]
	asked   atomic.Int64 // operations
}

func startFleet(t *testing.T, servers, pairs int, store string) *fleet {
	f := &fleet{store: store, pairs: pairs, servers: make([]atomic.Pointer[backendtest.Server], servers)}
	for n := range servers {
		f.start(t, n)
	}
	return f
}

func (f *fleet) start(t *testing.T, n int) {
	f.servers[n].Store(backendtest.Serve(t, backendtest.Tested, "--data", t.TempDir(), "--store", f.store, "--no-samples", "--no-base"))
}

// work lets clients ask the servers until disturb returns, and returns what they saw.
func (f *fleet) work(t *testing.T, clients int, disturb func()) []porcupine.Operation {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	began := time.Now()
	histories := make([][]porcupine.Operation, clients)
	var group sync.WaitGroup
	var value atomic.Int64
	for n := range clients {
		group.Go(func() {
			c := &linearClient{id: n, fleet: f, began: began, random: rand.New(rand.NewPCG(uint64(n), 5)), value: &value, seen: map[[2]int]int{}}
			histories[n] = c.work(ctx)
		})
	}
	disturb()
	stop()
	group.Wait()

	var all []porcupine.Operation
	end := time.Since(began).Nanoseconds()
	for _, history := range histories {
		for _, op := range history {
			if op.Output.(output).unknown {
				op.Return = end // it may still have been done later
			}
			all = append(all, op)
		}
	}
	return all
}

func linearizable(t *testing.T, servers int, store string) {
	f := startFleet(t, servers, linearPairs, store)
	faults := 0
	all := f.work(t, linearClients, func() {
		for range linearRounds {
			time.Sleep(linearRound)
			for n := range servers {
				f.servers[n].Load().Kill()
				faults++
			}
			for n := range servers {
				f.start(t, n)
			}
		}
		time.Sleep(linearRound / 2)
	})
	t.Logf("%d servers, %d faults (SIGKILL and restart)", servers, faults)
	checkLinearizable(t, all)
}

// checkLinearizable checks what clients saw.
func checkLinearizable(t *testing.T, all []porcupine.Operation) {
	t.Helper()
	counts, unknown := map[verb]int{}, 0
	for _, op := range all {
		if op.Output.(output).unknown {
			unknown++
		}
		counts[op.Input.(input).verb]++
	}
	t.Logf("linearizable: %d operations, %d without an answer; %v", len(all), unknown, counts)
	if len(all) < 200 {
		t.Errorf("only %d operations", len(all))
	}
	for v := range verbs {
		if counts[v] == 0 {
			t.Errorf("no operation was a %s", v)
		}
	}
	switch result, info := porcupine.CheckOperationsVerbose(model(), all, 2*time.Minute); result {
	case porcupine.Ok:
	case porcupine.Unknown:
		t.Error("the checker did not come to an end")
	default:
		path := t.ArtifactDir() + "/history.html"
		if err := porcupine.VisualizePath(model(), info, path); err != nil {
			t.Log(err)
		}
		t.Errorf("the history is not linearizable; go test -artifacts keeps a picture of it, %s", path)
	}
}

// linearClient is one client; it waits for each answer before it asks again.
type linearClient struct {
	id     int
	fleet  *fleet
	began  time.Time
	random *rand.Rand
	value  *atomic.Int64
	seen   map[[2]int]int // versions it was told, for If-Match
}

func (c *linearClient) work(ctx context.Context) (history []porcupine.Operation) {
	for ctx.Err() == nil {
		in := input{
			pair: c.random.IntN(c.fleet.pairs), verb: verb(c.random.IntN(int(verbs))), on: c.random.IntN(2),
			value: int(c.value.Add(1)),
		}
		in.match = max(1, c.seen[[2]int{in.pair, in.on}])
		c.fleet.asked.Add(1)
		op := porcupine.Operation{ClientId: c.id, Input: in, Call: time.Since(c.began).Nanoseconds()}
		out := c.ask(in)
		op.Output, op.Return = out, time.Since(c.began).Nanoseconds()
		if !out.unsent {
			history = append(history, op)
		}
		switch {
		case out.unsent, out.unknown:
			time.Sleep(20 * time.Millisecond) // until there is a server again
		case in.verb == verbTransaction || in.verb == verbReadBoth:
			c.seen[[2]int{in.pair, 0}], c.seen[[2]int{in.pair, 1}] = out.version[0], out.version[1]
		case out.version[0] > 0:
			c.seen[[2]int{in.pair, in.on}] = out.version[0]
		}
	}
	return history
}

func (i input) id(on int) string { return fmt.Sprintf("p%d-%d", i.pair, on) }

func (i input) document(on int) string {
	return fmt.Sprintf(`{"resourceType":"Patient","id":%q,"multipleBirthInteger":%d}`, i.id(on), i.value)
}

// request returns the HTTP request of an operation.
func (i input) request() (method, path, body string, header http.Header) {
	header = http.Header{"Content-Type": {"application/fhir+json"}}
	path = "/Patient/" + i.id(i.on)
	switch i.verb {
	case verbRead:
		return http.MethodGet, path, "", header
	case verbPutMatch:
		header.Set("If-Match", fmt.Sprintf(`W/"%d"`, i.match))
		fallthrough
	case verbPut:
		return http.MethodPut, path, i.document(i.on), header
	case verbPatch:
		header.Set("Content-Type", "application/json-patch+json")
		return http.MethodPatch, path, fmt.Sprintf(`[{"op":"replace","path":"/multipleBirthInteger","value":%d}]`, i.value), header
	case verbDelete:
		return http.MethodDelete, path, "", header
	case verbCreate:
		system := fmt.Sprintf("urn:example:pair|p%d", i.pair)
		header.Set("If-None-Exist", "identifier="+system)
		return http.MethodPost, "/Patient", fmt.Sprintf(`{"resourceType":"Patient","identifier":[{"system":"urn:example:pair","value":"p%d"}],"multipleBirthInteger":%d}`, i.pair, i.value), header
	case verbTransaction:
		return http.MethodPost, "/", fmt.Sprintf(`{"resourceType":"Bundle","type":"transaction","entry":[`+
			`{"resource":%s,"request":{"method":"PUT","url":"Patient/%s"}},{"resource":%s,"request":{"method":"PUT","url":"Patient/%s"}}]}`,
			i.document(0), i.id(0), i.document(1), i.id(1)), header
	}
	return http.MethodPost, "/", fmt.Sprintf(`{"resourceType":"Bundle","type":"transaction","entry":[`+
		`{"request":{"method":"GET","url":"Patient?_id=%s,%s"}}]}`, i.id(0), i.id(1)), header
}

// ask sends an operation to one of the servers.
func (c *linearClient) ask(in input) output {
	method, path, body, header := in.request()
	servers := c.fleet.servers
	url := servers[c.random.IntN(len(servers))].Load().URL
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, url+path, strings.NewReader(body))
	if err != nil {
		return output{unknown: true}
	}
	request.Header = header
	response, err := linearTransport.RoundTrip(request)
	if dial := (*net.OpError)(nil); errors.As(err, &dial) && dial.Op == "dial" {
		return output{unsent: true}
	}
	if err != nil {
		return output{unknown: true}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 500 {
		return output{unknown: true}
	}
	return in.read(response.StatusCode, response.Header.Get("ETag"), text)
}

// linearTransport never sends a request twice by itself: the history has each once.
var linearTransport = &http.Transport{
	DisableKeepAlives: true,
	DialContext:       (&net.Dialer{Timeout: 2 * time.Second}).DialContext,
}

// read makes an output of an answer.
func (i input) read(status int, etag string, text []byte) output {
	out := output{status: status}
	if status >= 300 || status == http.StatusNoContent {
		return out
	}
	type patient struct {
		ID    string
		Meta  struct{ VersionID string }
		Value int `json:"multipleBirthInteger"`
	}
	switch i.verb {
	case verbTransaction, verbReadBoth:
		var bundle struct {
			Entry []struct {
				Resource json.RawMessage
				Response struct{ Etag string }
			}
		}
		if json.Unmarshal(text, &bundle) != nil {
			return output{status: -1}
		}
		if i.verb == verbTransaction {
			for n := range bundle.Entry {
				out.version[n] = versionOf(bundle.Entry[n].Response.Etag)
			}
			return out
		}
		var found struct{ Entry []struct{ Resource patient } }
		if len(bundle.Entry) != 1 || json.Unmarshal(bundle.Entry[0].Resource, &found) != nil {
			return output{status: -1}
		}
		for _, e := range found.Entry {
			n := 0
			if e.Resource.ID == i.id(1) {
				n = 1
			}
			out.version[n], _ = strconv.Atoi(e.Resource.Meta.VersionID)
			out.value[n] = e.Resource.Value
		}
		return out
	}
	var p patient
	_ = json.Unmarshal(text, &p)
	out.version[0], out.value[0], out.id = versionOf(etag), p.Value, p.ID
	return out
}

func versionOf(etag string) int {
	n, _ := strconv.Atoi(strings.Trim(strings.TrimPrefix(etag, "W/"), `"`))
	return n
}
