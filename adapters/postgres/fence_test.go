package postgres_test

import (
	"database/sql"
	"errors"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/postgres"
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
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, row := range []struct {
		change                  string
		opens, writes, searches bool
	}{
		{"SELECT 1", true, true, true},
		{"INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, true)", false, false, true},
		{"DELETE FROM goose_db_version WHERE version_id = 999", true, true, true},
		{"INSERT INTO mark VALUES ('index', '99-0')", true, false, false},
		{"DELETE FROM mark WHERE name = 'index'", true, true, true},
	} {
		change := func() {
			if _, err := db.Exec(row.change); err != nil {
				t.Fatal(err)
			}
		}
		if row.writes {
			change()
		}
		large := s.TransactLarge(ctx, 30_000, func(tx resources.Tx) error {
			if !row.writes { // before it has the lock
				change()
			}
			return write(tx, holding("b", 1))
		})
		_, small := s.Write(ctx, holding("a", 1))
		health := s.Probe(ctx)
		searches := s.View(ctx, func(index.Reader) error { return nil })
		other, opens := postgres.Open(ctx, address)
		if opens == nil {
			_ = other.Close()
		}
		for _, c := range []struct {
			what string
			want bool
			err  error
			is   error
		}{
			{"large", row.writes, large, resources.ErrUpgraded},
			{"small", row.writes, small, resources.ErrUpgraded},
			{"probe", row.writes, errors.Join(health.Writes, health.Reads), resources.ErrUpgraded},
			{"view", row.searches, searches, resources.ErrUpgraded},
			{"open", row.opens, opens, postgres.ErrNewerSchema},
		} {
			if c.want != (c.err == nil) || !c.want && !errors.Is(c.err, c.is) {
				t.Errorf("%s: %s: %v", row.change, c.what, c.err)
			}
		}
		if _, err := s.Read(ctx, patientKey("a")); err != nil {
			t.Errorf("%s: read: %v", row.change, err)
		}
	}
	// What versions before this one ask for before they write.
	if _, err = db.Exec("SELECT id FROM writer WHERE id = 1 FOR UPDATE"); err == nil || !strings.Contains(err.Error(), "upgrade this server (SQLSTATE 57P03)") {
		t.Errorf("an earlier version: %v", err)
	}
}
