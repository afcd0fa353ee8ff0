package postgres

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/roget-health/roget/adapters/agreement"
)

// Notes are the notes of servers that agree on an edition, in a table of their own. They never wait for
// writers of resources.
type Notes struct{ pool *pgxpool.Pool }

var _ agreement.Notes = (*Notes)(nil)

// OpenNotes connects to the database at an address, as Open does, and makes the table.
func OpenNotes(ctx context.Context, address string) (*Notes, error) {
	config, err := configure(address)
	if err != nil {
		return nil, err
	}
	config.MaxConns = 2
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec // for poolers
	maps.DeleteFunc(config.ConnConfig.RuntimeParams, func(name, _ string) bool { return planning()[name] != "" })
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	for try := 0; ; try++ {
		// Two servers that make the table at the same time collide in PostgreSQL's own tables.
		_, err = pool.Exec(ctx, `CREATE TABLE IF NOT EXISTS note (name text PRIMARY KEY, body text NOT NULL, at timestamptz NOT NULL)`)
		if err == nil {
			_, err = pool.Exec(ctx, `DELETE FROM note WHERE name <> 'edition' AND at < now() - interval '1 day'`)
		}
		if err == nil || try == 3 {
			break
		}
	}
	if err != nil {
		pool.Close()
		return nil, fmt.Errorf("PostgreSQL server %s: %w", config.ConnConfig.Host, explained(err))
	}
	return &Notes{pool}, nil
}

// Close closes the connections.
func (n *Notes) Close() error { n.pool.Close(); return nil }

// Put writes a note.
func (n *Notes) Put(ctx context.Context, name, text string) error {
	return n.exec(ctx, `INSERT INTO note (name, body, at) VALUES ($1, $2, clock_timestamp()) ON CONFLICT (name) DO UPDATE SET body = excluded.body, at = excluded.at`, name, text)
}

// All returns all notes.
func (n *Notes) All(ctx context.Context) ([]agreement.Note, error) {
	rows, err := n.pool.Query(ctx, `SELECT name, body, extract(epoch FROM clock_timestamp() - at)::float8 FROM note`)
	if err != nil {
		return nil, explained(err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (note agreement.Note, err error) {
		var age float64
		err = row.Scan(&note.Name, &note.Text, &age)
		note.Age = time.Duration(age * float64(time.Second))
		return note, err
	})
}

// Swap writes a note if its text is old, "" if there is none.
func (n *Notes) Swap(ctx context.Context, name, old, text string) error {
	if old == "" {
		return n.exec(ctx, `INSERT INTO note (name, body, at) VALUES ($1, $2, clock_timestamp()) ON CONFLICT (name) DO NOTHING`, name, text)
	}
	return n.exec(ctx, `UPDATE note SET body = $3, at = clock_timestamp() WHERE name = $1 AND body = $2`, name, old, text)
}

// Remove removes a note.
func (n *Notes) Remove(ctx context.Context, name string) error {
	return n.exec(ctx, `DELETE FROM note WHERE name = $1`, name)
}

func (n *Notes) exec(ctx context.Context, sql string, args ...any) error {
	_, err := n.pool.Exec(ctx, sql, args...)
	return explained(err)
}
