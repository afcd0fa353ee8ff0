package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/roget-health/roget/adapters/postgres"
	"github.com/roget-health/roget/resources"
)

// groupReads counts the queries for the newest versions of several keys.
type groupReads struct{ n atomic.Int64 }

func (g *groupReads) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	if strings.Contains(q.SQL, "unnest($1::text[], $2::text[])") {
		g.n.Add(1)
	}
	return ctx
}

func (*groupReads) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TestReads reads from many goroutines, some of which go away. Each gets what it asked for, also beside one
// version that is damaged.
func TestReads(t *testing.T) {
	address := server.Schema(t)
	var together groupReads
	s, err := postgres.OpenTraced(t.Context(), address, &together)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	key := func(n int) resources.Key { return resources.Key{Type: "Patient", ID: fmt.Sprint(n)} }
	const keys, damaged = 20, 13
	body := func(n int) string { return fmt.Sprintf(`{"n":%d}`, n) }
	for n := range keys {
		if _, err := s.Write(t.Context(), resources.Write{Key: key(n), Render: func(int64, time.Time) ([]byte, error) { return []byte(body(n)), nil }}); err != nil {
			t.Fatal(err)
		}
	}
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	if _, err := conn.Exec(t.Context(), `UPDATE document SET body = 'x' WHERE seq = (SELECT seq FROM version WHERE id = $1)`, fmt.Sprint(damaged)); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for of := range 24 {
		group.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(of)))
			for range 80 {
				ctx, cancel := context.WithCancel(t.Context())
				if r.IntN(5) == 0 {
					time.AfterFunc(time.Duration(r.IntN(300))*time.Microsecond, cancel)
				}
				n := r.IntN(keys + 3)
				v, err := s.Read(ctx, key(n))
				switch away := ctx.Err() != nil; {
				case err != nil && away:
				case n >= keys && errors.Is(err, resources.ErrNotFound), n == damaged && errors.Is(err, resources.ErrDamaged):
				case err != nil || n >= keys || string(v.Body) != body(n):
					t.Errorf("%d: %s, %v", n, v.Body, err)
				}
				cancel()
			}
		})
	}
	group.Wait()
	if together.n.Load() == 0 {
		t.Error("no reads were joined")
	}
	if v, err := s.Read(t.Context(), key(1)); err != nil || string(v.Body) != body(1) { // nobody waits for one who went away
		t.Errorf("%s, %v", v.Body, err)
	}
}
