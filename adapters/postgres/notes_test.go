package postgres_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/roget-health/roget/adapters/postgres"
)

// TestNotes opens notes at the same time, and forgets those of servers that ended long ago.
func TestNotes(t *testing.T) {
	t.Parallel()
	address := server.Schema(t)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			n, err := postgres.OpenNotes(t.Context(), address)
			if err != nil {
				t.Error(err)
				return
			}
			n.Close()
		})
	}
	group.Wait()
	n, err := postgres.OpenNotes(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	all := func() (found []string) {
		notes, err := n.All(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, note := range notes {
			found = append(found, note.Name+"="+note.Text)
		}
		slices.Sort(found)
		return found
	}
	for _, row := range []struct {
		what string
		do   func(ctx context.Context) error
		want string
	}{
		{"put", func(ctx context.Context) error { return n.Put(ctx, "a", "1") }, "[a=1]"},
		{"put again", func(ctx context.Context) error { return n.Put(ctx, "a", "2") }, "[a=2]"},
		{"swap of another text", func(ctx context.Context) error { return n.Swap(ctx, "a", "1", "3") }, "[a=2]"},
		{"swap", func(ctx context.Context) error { return n.Swap(ctx, "a", "2", "3") }, "[a=3]"},
		{"swap of one that is there", func(ctx context.Context) error { return n.Swap(ctx, "a", "", "4") }, "[a=3]"},
		{"swap of none", func(ctx context.Context) error { return n.Swap(ctx, "edition", "", "4") }, "[a=3 edition=4]"},
		{"put another", func(ctx context.Context) error { return n.Put(ctx, "b", "5") }, "[a=3 b=5 edition=4]"},
		{"remove", func(ctx context.Context) error { return n.Remove(ctx, "a") }, "[b=5 edition=4]"},
	} {
		if err := row.do(t.Context()); err != nil {
			t.Errorf("%s: %v", row.what, err)
		}
		if got := fmt.Sprint(all()); got != row.want {
			t.Errorf("%s: %s, want %s", row.what, got, row.want)
		}
		ended, end := context.WithCancel(t.Context())
		if end(); row.do(ended) == nil {
			t.Errorf("%s: no error after the end of its context", row.what)
		}
	}
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), "UPDATE note SET at = at - interval '25 hours'"); err != nil {
		t.Fatal(err)
	}
	again, err := postgres.OpenNotes(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if got := fmt.Sprint(all()); got != "[edition=4]" {
		t.Errorf("after a day: %s", got)
	}
	if _, err := conn.Exec(t.Context(), "ALTER TABLE note RENAME TO hidden; CREATE VIEW note AS SELECT 1 AS one"); err != nil {
		t.Fatal(err)
	}
	if n, err := postgres.OpenNotes(t.Context(), address); err == nil {
		n.Close()
		t.Error("something else of that name is opened")
	}
}
