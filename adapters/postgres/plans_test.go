package postgres_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/roget-health/roget/adapters/postgres"
)

// TestPlansOfTypes looks at the plans that PostgreSQL keeps for any type. Where nearly all versions are of
// one type, the plan must not walk them to find those of another.
func TestPlansOfTypes(t *testing.T) {
	address := server.Schema(t)
	open(t, address)
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for _, sql := range []string{
		`INSERT INTO version (seq, type, id, version_id, until, deleted)
SELECT n, CASE WHEN n % 1000 = 0 THEN 'Patient' ELSE 'Observation' END, n::text, 1, 9223372036854775807, 0 FROM generate_series(1, 50000) AS n`,
		`INSERT INTO document (seq, body) SELECT seq, '{}' FROM version`,
		"ANALYZE version, document",
		"SET plan_cache_mode = force_generic_plan",
		"SET enable_sort = off", "SET enable_seqscan = off", "SET enable_hashjoin = off", "SET enable_mergejoin = off",
	} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	for _, sql := range postgres.TypeStatements() {
		if _, err := conn.Exec(t.Context(), "PREPARE statement AS "+sql); err != nil {
			t.Fatal(err)
		}
		arguments := "(0, 9223372036854775807, 'Account')"
		if strings.Contains(sql, "LIMIT $3") {
			arguments = "('Account', 9223372036854775807, 10)"
		}
		rows, err := conn.Query(t.Context(), "EXPLAIN EXECUTE statement"+arguments, pgx.QueryExecModeSimpleProtocol)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(plan, "\n"); !strings.Contains(text, "using version_type") || strings.Contains(text, "Sort") {
			t.Errorf("%s\n%s", sql, text)
		}
		if _, err := conn.Exec(t.Context(), "DEALLOCATE statement"); err != nil {
			t.Fatal(err)
		}
	}
}
