package postgres_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/roget-health/roget/adapters/storetest"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// An altered record is an error, and the walk names it.
func TestAltered(t *testing.T) {
	address := server.Schema(t)
	s := open(t, address)
	key := resources.Key{Type: "Patient", ID: "a"}
	for _, body := range []string{`{"n":1}`, `{"n":2}`} {
		if _, err := s.Write(t.Context(), resources.Write{Key: key, Render: func(int64, time.Time) ([]byte, error) { return []byte(body), nil }, Values: []byte("v")}); err != nil {
			t.Fatal(err)
		}
	}
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	problems := func() (all []string) {
		t.Helper()
		err := s.Walk(t.Context(), 0, 100, func(v *resources.StoredVersion) (bool, error) {
			all = append(all, v.Problems...)
			return true, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if found := problems(); len(found) > 0 {
		t.Fatal(found)
	}
	for _, statement := range []string{
		`UPDATE version SET vals = 'w'::bytea WHERE version_id = 2`,
		`UPDATE document SET body = '{"n":3}'::bytea WHERE seq = (SELECT max(seq) FROM version)`,
	} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if found := strings.Join(problems(), "; "); !strings.Contains(found, "document") || !strings.Contains(found, "values") {
		t.Error(found)
	}
	if v, err := s.Read(t.Context(), key); !errors.Is(err, resources.ErrDamaged) {
		t.Errorf("%s, %v", v.Body, err)
	}
	err = s.View(t.Context(), func(r index.Reader) error {
		if found, err := r.Find(t.Context(), []resources.Key{key}, index.WithValues); !errors.Is(err, resources.ErrDamaged) {
			t.Errorf("%s, %v", found[0].Values, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if h := s.Probe(t.Context()); !errors.Is(h.Data, resources.ErrDamaged) || h.Reads != nil || h.Writes != nil {
		t.Errorf("%+v", h)
	}
	if v, err := s.ReadVersion(t.Context(), key, 1); err != nil || string(v.Body) != `{"n":1}` {
		t.Errorf("%s, %v", v.Body, err)
	}
}

func TestDamage(t *testing.T) {
	t.Parallel()
	storetest.RunDamage(t, func(t *testing.T) (func() storetest.Verifiable, storetest.Exec) {
		address := server.Schema(t)
		conn, err := pgx.Connect(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		exec := func(statement string, args ...any) {
			t.Helper()
			if _, err := conn.Exec(t.Context(), statement, args...); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
		return func() storetest.Verifiable { return open(t, address) }, exec
	}, "sqrt(-length(current_user)) > 0", "Scan ScanMany Walk Create Update Term Reindex")
}
