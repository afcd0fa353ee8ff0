// Package postgres is a resources.Store in PostgreSQL, for servers that share one store.
// It keeps all versions. A write is durable when the server says so (synchronous_commit,
// which is on unless it was turned off).
//
// Behind a connection pooler that hands out connections by transaction, add
// default_query_exec_mode=exec to the address.
package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/roget-health/roget/adapters/internal/sqlstore"
)


// ErrNewerSchema is returned by Open for tables that a later version of the program has changed.
var ErrNewerSchema = sqlstore.ErrNewerSchema

// connections is how many are open at most, and kept.
const connections = 16

// Open connects to the database at an address such as
// postgres://user:password@host:5432/database?sslmode=require, or a list of key=value
// words, and makes or migrates the tables in its first schema (search_path).
func Open(ctx context.Context, address string) (*Store, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("postgres: %w", err) // the driver leaves the password out
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "roget"
	}
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	dialect := sqlstore.Postgres()
	if err := sqlstore.Migrate(ctx, db, dialect); err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("postgres %s: %w", config.Host, err)
	}
	return newStore(db, db), nil
}

// faster reports that another transaction was faster with the same row: its version is
// there already, the two cannot be put in an order, or they wait for each other.
func faster(err error) bool {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code {
	case "23505", "40001", "40P01": // unique_violation, serialization_failure, deadlock_detected
		return true
	}
	return false
}
