package postgres_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/roget-health/roget/adapters/postgres"
)

// TestPlansOfTypes looks at the plans that PostgreSQL keeps for any type. They must not walk all versions to
// find those of a type that has few, nor all of a type to find the next of them.
func TestPlansOfTypes(t *testing.T) {
	address := server.Schema(t)
	open(t, address)
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	statements := []string{
		`INSERT INTO version (seq, type, id, version_id, until, deleted, vals)
SELECT n, CASE WHEN n % 1000 = 0 THEN 'Account' WHEN n % 3 = 0 THEN 'Patient' ELSE 'Observation' END,
	CASE WHEN n % 3 = 0 THEN n % 150 ELSE n END::text, n, 9223372036854775807, 0, convert_to(repeat(n::text, 200), 'UTF8') FROM generate_series(1, 30000) AS n`,
		`INSERT INTO document (seq, body) SELECT seq, '{}' FROM version`,
		"ANALYZE version, document",
	}
	for name, value := range postgres.Planning() {
		statements = append(statements, fmt.Sprintf("SET %s = %s", name, value))
	}
	for _, sql := range statements {
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
