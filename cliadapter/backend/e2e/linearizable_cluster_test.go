package e2e_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/postgres/pgtest"
	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

// The fleet of TestLinearizableCluster.
const (
	clusterServers = 4
	clusterClients = 12
	clusterPairs   = 600
)

// TestLinearizableCluster is TestLinearizable for four servers that write, one that reads from a
// synchronous standby, and 3,000 operations, or as many as ROGET_LINEAR_OPERATIONS says. Servers are
// killed and paused, lose their connections, and in the end the primary, whose standby is promoted.
func TestLinearizableCluster(t *testing.T) {
	wanted, err := strconv.ParseInt(cmp.Or(os.Getenv("ROGET_LINEAR_OPERATIONS"), "3000"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	var server pgtest.Server
	primary := server.Schema(t)
	migrated := backendtest.Serve(t, backendtest.Tested, "--data", t.TempDir(), "--store", primary, "--no-samples", "--no-base")
	migrated.Kill()
	standby, promote := pgtest.Standby(t, primary)
	server.Exec(t, "ALTER SYSTEM SET synchronous_standby_names = '*'")
	server.Exec(t, "SELECT pg_reload_conf()")
	f := startFleet(t, clusterServers, clusterPairs, eitherOf(t, primary, standby))
	defer server.Stop()
	reader := &standbyReader{t: t, server: backendtest.Serve(t, backendtest.Tested, "--data", t.TempDir(), "--store", standby, "--no-samples", "--no-base"), seen: map[string]seenVersion{}}

	random := rand.New(rand.NewPCG(22, 1))
	faults := map[string]int{}
	all := f.work(t, clusterClients, func() {
		stopReading := reader.start()
		defer stopReading()
		promoted := false
		for f.asked.Load() < wanted {
			time.Sleep(time.Duration(300+random.IntN(1200)) * time.Millisecond)
			n := random.IntN(clusterServers)
			switch s := f.servers[n].Load(); {
			case !promoted && f.asked.Load() > wanted*3/4:
				faults["primary stopped, standby promoted"]++
				server.Stop()
				promote()
				promoted = true
			case random.IntN(3) == 0:
				faults["killed and started again"]++
				s.Kill()
				f.start(t, n)
			case random.IntN(2) == 0 || promoted:
				faults["paused"]++
				_ = s.Cmd.Process.Signal(syscall.SIGSTOP)
				time.Sleep(time.Duration(200+random.IntN(5000)) * time.Millisecond)
				_ = s.Cmd.Process.Signal(syscall.SIGCONT)
			default:
				faults["connections lost"]++
				server.Exec(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'roget' AND random() < 0.5")
			}
		}
		time.Sleep(time.Second)
	})
	t.Logf("%d servers and one on a standby, %d reads of it, faults: %v", clusterServers, reader.reads, faults)
	checkLinearizable(t, all)
	reader.check(f.servers[0].Load())
}

// eitherOf returns the address of a server that may be one of two, whichever can be written.
func eitherOf(t *testing.T, primary, standby string) string {
	t.Helper()
	first, err := url.Parse(primary)
	if err != nil {
		t.Fatal(err)
	}
	second, err := url.Parse(standby)
	if err != nil {
		t.Fatal(err)
	}
	query := first.Query()
	query.Set("host", query.Get("host")+","+second.Query().Get("host"))
	query.Set("target_session_attrs", "read-write")
	first.RawQuery = query.Encode()
	return first.String()
}

// standbyReader reads single resources from the server of a standby.
type standbyReader struct {
	t      *testing.T
	server *backendtest.Server
	reads  int
	seen   map[string]seenVersion // the last of each resource
}

type seenVersion struct{ version, value int }

// start reads until stop is called. What is read never becomes older.
func (r *standbyReader) start() (stop func()) {
	end := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		random := rand.New(rand.NewPCG(22, 2))
		for {
			select {
			case <-end:
				return
			case <-time.After(2 * time.Millisecond):
			}
			in := input{pair: random.IntN(clusterPairs), on: random.IntN(2)}
			response, err := http.Get(r.server.URL + "/Patient/" + in.id(in.on))
			if err != nil {
				r.t.Errorf("the standby's server: %v", err)
				return
			}
			text := make([]byte, 4096)
			n, _ := response.Body.Read(text)
			response.Body.Close()
			out := in.read(response.StatusCode, response.Header.Get("ETag"), text[:n])
			if r.reads++; response.StatusCode != http.StatusOK {
				continue
			}
			now, had := seenVersion{out.version[0], out.value[0]}, r.seen[in.id(in.on)]
			if now.version < had.version || now.version == had.version && now != had {
				r.t.Errorf("the standby's server has %v of %s after %v", now, in.id(in.on), had)
			}
			r.seen[in.id(in.on)] = now
		}
	})
	return func() { close(end); group.Wait() }
}

// check compares what was read with the history that the writing servers have in the end, of which
// no version is missing.
func (r *standbyReader) check(s *backendtest.Server) {
	if r.reads < 100 || len(r.seen) == 0 {
		r.t.Errorf("only %d reads of the standby's server, of %d resources", r.reads, len(r.seen))
	}
	for id, seen := range r.seen {
		status, text := s.Do(r.t, "GET", fmt.Sprintf("/Patient/%s/_history/%d", id, seen.version), "")
		got := input{}.read(status, fmt.Sprint(seen.version), []byte(text))
		if status != http.StatusOK || got.value[0] != seen.value {
			r.t.Errorf("the standby's server had %v of %s, of which the others have %d %d", seen, id, status, got.value[0])
		}
	}
	ids := make([]string, 0, len(r.seen))
	for id := range r.seen {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids[:min(len(ids), 50)] {
		_, text := s.Do(r.t, "GET", "/Patient/"+id+"/_history?_count=1000&_elements=id", "")
		versions := versionsOf(r.t, text)
		for i, version := range versions {
			if version != len(versions)-i {
				r.t.Errorf("the history of %s has %v", id, versions)
				break
			}
		}
	}
}

// versionsOf returns the version numbers of a history.
func versionsOf(t *testing.T, text string) (versions []int) {
	t.Helper()
	var bundle struct {
		Entry []struct{ Response struct{ Etag string } }
	}
	if err := json.Unmarshal([]byte(text), &bundle); err != nil {
		t.Fatal(err)
	}
	for _, e := range bundle.Entry {
		versions = append(versions, versionOf(e.Response.Etag))
	}
	return versions
}
