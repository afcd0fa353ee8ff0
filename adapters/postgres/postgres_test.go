package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/roget-health/roget/adapters/postgres"
	"github.com/roget-health/roget/adapters/postgres/pgtest"
	"github.com/roget-health/roget/adapters/storetest"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

var server pgtest.Server

func TestMain(m *testing.M) { os.Exit(server.Main(m)) }

func open(tb testing.TB, address string) *postgres.Store {
	tb.Helper()
	s, err := postgres.Open(context.Background(), address)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) resources.Store { return open(t, server.Schema(t)) })
}

func TestStoreDurable(t *testing.T) {
	storetest.RunDurable(t, func(t *testing.T) func() resources.Store {
		address := server.Schema(t)
		return func() resources.Store { return open(t, address) }
	})
}

// The statements must also work behind a pooler, where nothing may be prepared.
func TestStoreWithoutPreparedStatements(t *testing.T) {
	storetest.Run(t, func(t *testing.T) resources.Store {
		address := server.Schema(t)
		if strings.Contains(address, "://") {
			address += "&default_query_exec_mode=exec"
		} else {
			address += " default_query_exec_mode=exec"
		}
		return open(t, address)
	})
}

func BenchmarkStore(b *testing.B) {
	storetest.Benchmark(b, func(b *testing.B) resources.Store { return open(b, server.Schema(b)) })
}

// Several programs that start concurrently on an empty database migrate it once.
func TestOpenTogether(t *testing.T) {
	address := server.Schema(t)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			s, err := postgres.Open(t.Context(), address)
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			_, err = s.Write(t.Context(), resources.Write{
				Key:    resources.Key{Type: "CodeSystem", ID: "a"},
				Render: func(int64, time.Time) ([]byte, error) { return []byte(`1`), nil },
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	v, err := open(t, address).Read(t.Context(), resources.Key{Type: "CodeSystem", ID: "a"})
	if err != nil || v.VersionID != 4 {
		t.Errorf("version %d, %v; want 4", v.VersionID, err)
	}
}

func TestBadAddress(t *testing.T) {
	for _, address := range []string{"postgres://user:secret@127.0.0.1:1/none?connect_timeout=1", "postgres://u:secret@h:port/d"} {
		_, err := postgres.Open(t.Context(), address)
		if err == nil {
			t.Errorf("%s: opened", address)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("the error contains the password: %v", err)
		}
	}
}

func BenchmarkIndexed(b *testing.B) {
	storetest.BenchmarkIndexed(b, func(b *testing.B) resources.Store { return open(b, server.Schema(b)) })
}

func TestStoreShared(t *testing.T) {
	storetest.RunShared(t, func(t *testing.T) func() resources.Store {
		address := server.Schema(t)
		return func() resources.Store { return open(t, address) }
	})
}

// TestJustRead requires that a write whose caller has read another version than the newest conflicts, in a
// server that has no reason for doubt, also if others of its group do not, and that it then looks for versions.
func TestJustRead(t *testing.T) {
	t.Parallel()
	address := server.Schema(t)
	write := func(s *postgres.Store, id string, expected int64, justRead bool) error {
		_, err := s.Write(t.Context(), resources.Write{
			Key: resources.Key{Type: "Patient", ID: id}, IfVersion: &expected, JustRead: justRead,
			Render: func(int64, time.Time) ([]byte, error) { return []byte(`{}`), nil },
		})
		return err
	}
	first := open(t, address)
	for n := range int64(2) {
		if err := write(first, "two", n, true); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct {
		id       string
		expected int64
	}{{"two", 0}, {"two", 1}, {"two", 3}, {"new", 1}} {
		s := open(t, address)
		var group sync.WaitGroup
		for n := range 8 {
			group.Go(func() {
				if err := write(s, fmt.Sprint(row.id, row.expected, n), 0, true); err != nil {
					t.Errorf("beside %v: %v", row, err)
				}
			})
		}
		if err := write(s, row.id, row.expected, true); !errors.Is(err, resources.ErrConflict) {
			t.Errorf("%v: %v", row, err)
		}
		group.Wait()
		if err := write(s, row.id, row.expected, true); !errors.Is(err, resources.ErrConflict) {
			t.Errorf("%v again: %v", row, err)
		}
	}
	if err := write(first, "two", 2, true); err != nil {
		t.Error(err)
	}
}

// TestPoolSize counts the connections that a store may have.
func TestPoolSize(t *testing.T) {
	t.Parallel()
	address := server.Schema(t)
	for add, want := range map[string]int{"": 16, "&pool_max_conns=3": 3} {
		if _, _, limit := open(t, address+add).Connections(); limit != want {
			t.Errorf("%q: %d connections, want %d", add, limit, want)
		}
	}
}

// TestStandbyWaitsForSchema opens a standby before its primary has been opened for the first time.
func TestStandbyWaitsForSchema(t *testing.T) {
	t.Parallel()
	primary := server.Schema(t)
	standby, _ := pgtest.Standby(t, primary)
	opened := make(chan error, 1)
	go func() {
		s, err := postgres.Open(t.Context(), standby)
		if err == nil {
			h := s.Probe(t.Context())
			err = errors.Join(h.Reads, h.Writes, h.Source, s.Close())
		}
		opened <- err
	}()
	select {
	case err := <-opened:
		t.Fatalf("without a schema: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	open(t, primary)
	if err := <-opened; err != nil {
		t.Errorf("with the schema of the primary: %v", err)
	}
}

// TestPausedWriter checks that a writer that stops in its transaction, as a paused machine does, neither
// holds up the others nor commits what it began when it goes on: it begins again, on what they wrote.
func TestPausedWriter(t *testing.T) {
	t.Parallel()
	address := server.Schema(t)
	paused, other := open(t, address), open(t, address)
	write := func(id string) resources.Write {
		return resources.Write{Key: resources.Key{Type: "Patient", ID: id}, Render: func(int64, time.Time) ([]byte, error) { return []byte(`{}`), nil }}
	}
	begun, wake, ended, attempts := make(chan struct{}), make(chan struct{}), make(chan error), 0
	go func() {
		ended <- paused.Transact(context.Background(), func(tx resources.Tx) error {
			_, err := tx.Write(context.Background(), write("paused"))
			if attempts++; attempts == 1 {
				close(begun)
				<-wake
			} else if err == nil {
				found, err := tx.Find(context.Background(), []resources.Key{{Type: "Patient", ID: "other"}}, 0)
				if err != nil || found[0].VersionID != 1 {
					t.Errorf("the paused writer does not see the other: %v, %v", found, err)
				}
			}
			return err
		})
	}()
	<-begun
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if _, err := other.Write(ctx, write("other")); err != nil {
		t.Errorf("beside the paused writer: %v", err)
	}
	if _, err := other.Read(ctx, resources.Key{Type: "Patient", ID: "paused"}); !errors.Is(err, resources.ErrNotFound) {
		t.Errorf("the paused writer has committed: %v", err)
	}
	close(wake)
	if err := <-ended; err != nil || attempts != 2 {
		t.Errorf("the paused writer: %v after %d attempts", err, attempts)
	}
}

// A pooler that refuses settings of the planner gets a connection without them.
func TestPooler(t *testing.T) {
	in, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	go func() {
		for {
			conn, err := in.Accept()
			if err != nil {
				return
			}
			startup := make([]byte, 4096)
			n, _ := conn.Read(startup)
			text := "SFATAL\x00C28000\x00Mcame without\x00\x00"
			if bytes.Contains(startup[:n], []byte("plan_cache_mode")) {
				text = "SFATAL\x00C08P01\x00Munsupported startup parameter: jit\x00\x00"
			}
			_, _ = conn.Write(append([]byte{'E', 0, 0, 0, byte(4 + len(text))}, text...))
			_ = conn.Close()
		}
	}()
	_, err = postgres.Open(t.Context(), "postgres://roget@"+in.Addr().String()+"/roget?sslmode=disable")
	if err == nil || !strings.Contains(err.Error(), "came without") {
		t.Error(err)
	}
}

// TestLoadLast reads on after what was said to be the last load, while others write.
func TestLoadLast(t *testing.T) {
	address := server.Schema(t)
	store, other := open(t, address), open(t, address)
	write := func(id string) {
		t.Helper()
		_, err := other.Write(t.Context(), resources.Write{
			Key: resources.Key{Type: "Patient", ID: id}, Render: func(int64, time.Time) ([]byte, error) { return []byte(id), nil },
			Entries: [][]byte{[]byte("entry " + id)}, Values: []byte("values"),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	write("a")
	err := store.View(t.Context(), func(r index.Reader) error {
		at := r.At()
		for range 2 {
			records, err := r.(index.LastLoader).LoadLast(t.Context(), []index.Seq{at}, index.WithSmallBody)
			if err != nil || string(records[0].Body) != "a" {
				t.Errorf("%+v, %v", records, err)
			}
			write("b")
			found, err := r.Find(t.Context(), []resources.Key{{Type: "Patient", ID: "a"}}, index.WithBody)
			if err != nil || string(found[0].Body) != "a" {
				t.Errorf("%+v, %v", found, err)
			}
		}
		if r.At() != at {
			t.Errorf("at %d, before %d", r.At(), at)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
