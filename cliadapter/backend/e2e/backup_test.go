package e2e_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

// tested runs a command of the program and returns what it prints.
func tested(t *testing.T, args ...string) (output string, err error) {
	t.Helper()
	cmd := backendtest.Tested(t, args...)
	cmd.Dir = t.TempDir()
	text, err := cmd.CombinedOutput()
	return string(text), err
}

// TestBackupUnderLoad makes backups while clients write, and restores them. What a server on the
// restored folder answers is what it could have answered at one moment of the backup: the history
// of all requests, with the restored pairs read during the backup, is linearizable.
func TestBackupUnderLoad(t *testing.T) {
	t.Parallel()
	data, target := t.TempDir(), t.TempDir()
	store := filepath.Join(data, "roget.db")
	f := &fleet{pairs: linearPairs, servers: make([]atomic.Pointer[backendtest.Server], 1)}
	f.servers[0].Store(backendtest.Serve(t, backendtest.Tested, "--data", data, "--no-samples", "--no-base"))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	began := time.Now()
	const clients = 8
	histories := make([][]porcupine.Operation, clients)
	var group sync.WaitGroup
	var value atomic.Int64
	for n := range clients {
		group.Go(func() {
			c := &linearClient{id: n, fleet: f, began: began, random: rand.New(rand.NewPCG(uint64(n), 6)), value: &value, seen: map[[2]int]int{}}
			histories[n] = c.work(ctx)
		})
	}
	for n := range 8 { // others, which write in bulk
		group.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				var entries []string
				for k := range 20 {
					entries = append(entries, fmt.Sprintf(`{"resource":{"resourceType":"Basic","id":"b%d-%d","code":{"text":"%d"}},"request":{"method":"PUT","url":"Basic/b%d-%d"}}`, n, k, i, n, k))
				}
				f.servers[0].Load().Do(t, "POST", "/", `{"resourceType":"Bundle","type":"transaction","entry":[`+strings.Join(entries, ",")+`]}`)
			}
		})
	}
	type interval struct{ call, end int64 }
	var backups []interval
	for range 3 {
		time.Sleep(500 * time.Millisecond)
		call := time.Since(began).Nanoseconds()
		if out, err := tested(t, "backup", target, "--data", data, "--verify"); err != nil {
			t.Fatalf("backup: %v: %s", err, out)
		}
		backups = append(backups, interval{call, time.Since(began).Nanoseconds()})
		time.Sleep(time.Second) // names have seconds
	}
	stop()
	group.Wait()
	took := time.Since(began)
	var all []porcupine.Operation
	for _, history := range histories {
		all = append(all, history...)
	}
	folders, err := filepath.Glob(filepath.Join(target, "roget-*"))
	if err != nil || len(folders) != len(backups) {
		t.Fatal(folders, err)
	}
	for n, folder := range folders {
		restored := filepath.Join(t.TempDir(), "restored")
		if out, err := tested(t, "restore", folder, "--data", restored); err != nil {
			t.Fatalf("restore: %v: %s", err, out)
		}
		f.servers[0].Store(backendtest.Serve(t, backendtest.Tested, "--data", restored, "--no-samples", "--no-base"))
		reader := &linearClient{id: clients + n, fleet: f, began: began, random: rand.New(rand.NewPCG(1, 1))}
		for pair := range linearPairs {
			in := input{pair: pair, verb: verbReadBoth}
			out := reader.ask(in)
			if out.unknown {
				t.Fatalf("pair %d: no answer", pair)
			}
			all = append(all, porcupine.Operation{ClientId: clients + n*linearPairs + pair, Input: in, Output: out, Call: backups[n].call, Return: backups[n].end})
		}
		f.servers[0].Load().Kill()
		versions, first := versionsUntil(t, filepath.Join(restored, "roget.db"), 0)
		before, same := versionsUntil(t, store, first)
		if versions != before || first != same || versions == 0 {
			t.Errorf("backup %d has %d versions until %d, but %d until %d were written", n, versions, first, before, same)
		}
	}
	written, _ := versionsUntil(t, store, 0)
	t.Logf("%d requests of clients and %d versions written in %s (%.0f a second), %d backups", len(all), written, took, float64(written)/took.Seconds(), len(backups))
	if result := porcupine.CheckOperationsTimeout(model(), all, 2*time.Minute); result != porcupine.Ok {
		t.Errorf("the history with the restored states is not linearizable: %v", result)
	}
}

// versionsUntil returns the number of versions in a store up to a Seq, or all, and the last Seq.
func versionsUntil(t *testing.T, path string, until int64) (versions int, last int64) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.QueryRowContext(t.Context(), "SELECT count(*), max(seq) FROM version WHERE seq <= ? OR ? = 0", until, until).Scan(&versions, &last)
	if err != nil {
		t.Fatal(err)
	}
	return versions, last
}

// TestRestoreUnderServer shows that a restore does not take packs and store from a running server, which
// would go on to acknowledge writes to the file that was moved aside.
func TestRestoreUnderServer(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not move open files")
	}
	for name, flags := range map[string][]string{
		"SQLite in the data folder": nil,
		"memory":                    {"--store", "memory:"},
		"SQLite elsewhere":          {"--store", "sqlite:" + filepath.Join(t.TempDir(), "other.db")},
	} {
		t.Run(name, func(t *testing.T) {
			data, target := t.TempDir(), t.TempDir()
			first := backendtest.Serve(t, backendtest.Tested, "--data", data, "--no-samples", "--no-base")
			first.Do(t, "PUT", "/Basic/a", `{"resourceType":"Basic","id":"a","code":{"text":"a"}}`)
			if out, err := tested(t, "backup", target, "--data", data); err != nil {
				t.Fatalf("backup: %v: %s", err, out)
			}
			backups, err := filepath.Glob(filepath.Join(target, "roget-*"))
			if err != nil || len(backups) != 1 {
				t.Fatal(backups, err)
			}
			first.Kill()
			server := backendtest.Serve(t, backendtest.Tested, append([]string{"--data", data, "--no-samples", "--no-base"}, flags...)...)
			out, err := tested(t, "restore", backups[0], "--data", data, "--replace")
			if err == nil || !strings.Contains(out, "stop it first") {
				t.Errorf("restore under a server: %v: %s", err, out)
			}
			if aside, _ := filepath.Glob(filepath.Join(data, "replaced-*")); len(aside) > 0 {
				t.Errorf("the store was moved to %s", aside)
			}
			server.Kill()
			if out, err := tested(t, "restore", backups[0], "--data", data, "--replace"); err != nil {
				t.Errorf("restore without a server: %v: %s", err, out)
			}
		})
	}
}
