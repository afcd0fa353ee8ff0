package postgres_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// A store that another version of the program has upgraded is not written, and not searched if its index is
// another one. It is read by id, and works again when all is as before.
func TestFence(t *testing.T) {
	ctx, address := t.Context(), server.Schema(t)
	s := open(t, address)
	s.Fence(func(mark string) error {
		if mark != "" {
			return resources.ErrUpgraded
		}
		return nil
	})
	db, err := pgx.Connect(ctx, address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close(context.Background()) }()
	change := func(sql string) {
		if _, err := db.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct {
		change           string
		writes, searches bool
	}{
		{"SELECT 1", true, true},
		{"INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, true)", false, true},
		{"DELETE FROM goose_db_version WHERE version_id = 999", true, true},
		{"INSERT INTO mark VALUES ('index', '99-0')", false, false},
		{"DELETE FROM mark WHERE name = 'index'", true, true},
	} {
		if row.writes {
			change(row.change)
		}
		large := s.TransactLarge(ctx, 30_000, func(tx resources.Tx) error {
			if !row.writes { // before it has the lock
				change(row.change)
			}
			return write(tx, holding("b", 1))
		})
		_, small := s.Write(ctx, holding("a", 1))
		health := s.Probe(ctx)
		searches := s.View(ctx, func(index.Reader) error { return nil })
		for what, err := range map[string]error{"small": small, "large": large, "probe": errors.Join(health.Writes, health.Reads), "view": searches} {
			want := row.writes
			if what == "view" {
				want = row.searches
			}
			if want != (err == nil) || !want && !errors.Is(err, resources.ErrUpgraded) {
				t.Errorf("%s: %s: %v", row.change, what, err)
			}
		}
		if _, err := s.Read(ctx, patientKey("a")); err != nil {
			t.Errorf("%s: read: %v", row.change, err)
		}
	}
	// What versions before this one ask for before they write.
	_, err = db.Exec(ctx, "SELECT id FROM writer WHERE id = 1 FOR UPDATE")
	var refused *pgconn.PgError
	if !errors.As(err, &refused) || refused.Code != "57P03" || !strings.Contains(refused.Message, "upgrade this server") {
		t.Errorf("an earlier version: %v", err)
	}
}
