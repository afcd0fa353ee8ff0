// Package postgres is a resources.Store in PostgreSQL, for servers that share one store.
// It keeps all versions, and can be searched. A write is durable when the server says so
// (synchronous_commit, which is on unless it was turned off).
//
// One process writes at a time, for as long as its transaction takes; what waits in it is
// committed together. Readers wait for nobody.
//
// Behind a connection pooler that hands out connections by transaction, add
// default_query_exec_mode=exec to the address.
package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/roget-health/roget/adapters/internal/sqlstore"
	"github.com/roget-health/roget/resources/index"
)

// Store is a resources.Store with all abilities.
type Store struct {
	*sqlstore.Store
	db     *database
	opened index.Seq // the last version when it was opened
}

// ErrNewerSchema is returned by Open for tables that a later version of the program has changed.
var ErrNewerSchema = sqlstore.ErrNewerSchema

// connections is how many are open at most, unless the address says pool_max_conns.
const connections = 16

// Open connects to the database at an address such as
// postgres://user:password@host:5432/database?sslmode=require, or a list of key=value
// words, and makes or migrates the tables in its first schema (search_path).
func Open(ctx context.Context, address string) (*Store, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("postgres: %w", err) // the driver leaves the password out
	}
	if !strings.Contains(address, "pool_max_conns") {
		config.MaxConns = connections
	}
	if config.ConnConfig.RuntimeParams["application_name"] == "" {
		config.ConnConfig.RuntimeParams["application_name"] = "roget"
	}
	s, err := open(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("postgres %s: %w", config.ConnConfig.Host, err)
	}
	return s, nil
}

func open(ctx context.Context, config *pgxpool.Config) (*Store, error) {
	migrating := stdlib.OpenDB(*config.ConnConfig)
	defer func() { _ = migrating.Close() }()
	if err := sqlstore.Migrate(ctx, migrating, sqlstore.Postgres()); err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	db := &database{pool: pool}
	s := &Store{Store: sqlstore.New(db), db: db}
	if s.opened, err = s.Last(ctx); err != nil {
		_ = s.Close()
		return nil, err
	}
	_, err = pool.Exec(ctx, "SELECT pg_notify($1, '')", channel)
	db.notifies = err == nil
	return s, nil
}
