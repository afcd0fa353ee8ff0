// Package postgres is a resources.Store in PostgreSQL, for servers that share a store. It stores
// all versions and can be searched. A write is durable when the server confirms it
// (synchronous_commit, which is on by default).
//
// One process at a time writes, for the duration of its transaction. Writes waiting in one
// process are committed together. Readers never wait.
//
// Behind a connection pooler that refuses settings of the planner, statements are not prepared.
package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/roget-health/roget/adapters/internal/explain"
	"github.com/roget-health/roget/adapters/internal/sqlstore"
	"github.com/roget-health/roget/resources/index"
)

// Store is a resources.Store with all optional interfaces.
type Store struct {
	*sqlstore.Store
	db     *database
	opened index.Seq // the last version when it was opened
}

// ErrNewerSchema is returned by Open for a database whose schema a later version of the program
// has changed.
var ErrNewerSchema = sqlstore.ErrNewerSchema

// maxConnections is the size of the connection pool unless the address sets pool_max_conns.
const maxConnections = 16

// connectTime is the longest time for connecting unless the address sets connect_timeout.
const connectTime = 10 * time.Second

// Open connects to the database at an address such as
// postgres://user:password@host:5432/database?sslmode=require, or in the key=value format, and
// creates or migrates the tables in the first schema of its search_path.
func Open(ctx context.Context, address string) (*Store, error) {
	config, err := configure(address)
	if err != nil {
		return nil, err
	}
	s, err := open(ctx, config)
	var refused *pgconn.PgError
	if errors.As(err, &refused) && slices.Contains(refusals[:], refused.Code) {
		maps.DeleteFunc(config.ConnConfig.RuntimeParams, func(name, _ string) bool { return planning()[name] != "" })
		config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
		s, err = open(ctx, config)
	}
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL server %s: %w", config.ConnConfig.Host, explained(err))
	}
	return s, nil
}

// refusals are the codes with which poolers and relatives of PostgreSQL refuse a setting.
var refusals = [...]string{"08P01", "0A000", "22023", "42704"}

// configure returns the settings of the connections to an address.
func configure(address string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		// The driver redacts the password.
		return nil, fmt.Errorf("PostgreSQL address: %w; use postgres://USER:PASSWORD@HOST:5432/DATABASE", err)
	}
	if !strings.Contains(address, "pool_max_conns") {
		config.MaxConns = maxConnections
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTime
	}
	params := planning()
	params["application_name"] = "roget"
	maps.Copy(params, config.ConnConfig.RuntimeParams)
	config.ConnConfig.RuntimeParams = params
	return config, nil
}

// explained returns an error with the same chain and, if the connection failed, the reason in
// words for users.
func explained(err error) error {
	var (
		server  *pgconn.PgError
		dns     *net.DNSError
		network *net.OpError
		text    string
	)
	switch {
	case errors.As(err, &server):
		text = server.Message
	case errors.As(err, &dns):
		text = "unknown host; check the address"
	case errors.As(err, &network):
		text = "cannot connect: " + explain.File(network.Err).Error() + "; check the address, and that the server is running"
	default:
		return err
	}
	return explain.With(text, err)
}

// planning returns the settings of the planner. Every statement has one sensible plan, by indexes, and it
// is made once. Otherwise plans for empty tables, which read them whole, stay while the tables grow.
func planning() map[string]string {
	return map[string]string{
		"plan_cache_mode": "force_generic_plan", "jit": "off",
		"enable_seqscan": "off", "enable_hashjoin": "off", "enable_mergejoin": "off",
		"enable_sort": "off", "enable_incremental_sort": "off",
	}
}

// standbyTime is how long a standby may take to get the schema of its primary.
const standbyTime = 30 * time.Second

// migrate brings the schema to the version of this program, or waits until a standby has it.
func migrate(ctx context.Context, db *sql.DB) error {
	var readOnly string
	if err := db.QueryRowContext(ctx, "SHOW transaction_read_only").Scan(&readOnly); err != nil {
		return err
	}
	if readOnly == "on" {
		return sqlstore.AwaitSchema(ctx, db, sqlstore.Postgres(), standbyTime)
	}
	return sqlstore.Migrate(ctx, db, sqlstore.Postgres())
}

func open(ctx context.Context, config *pgxpool.Config) (*Store, error) {
	migrating := stdlib.OpenDB(*config.ConnConfig)
	defer func() { _ = migrating.Close() }()
	if err := migrate(ctx, migrating); err != nil {
		return nil, err
	}
	latest, err := sqlstore.Latest(sqlstore.Postgres())
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	db := &database{pool: pool, notices: newNotices(), fence: fence{latest: latest}}
	db.generic = config.ConnConfig.RuntimeParams["plan_cache_mode"] == planning()["plan_cache_mode"]
	s := &Store{Store: sqlstore.New(db), db: db}
	if s.opened, err = s.Open(ctx); err != nil {
		_ = s.Close()
		return nil, err
	}
	if err = db.Ping(ctx); err != nil {
		_ = s.Close()
		return nil, err
	}
	notify := func(ctx context.Context, types string) error {
		_, err := pool.Exec(ctx, "SELECT pg_notify($1, $2)", channel, types)
		return err
	}
	if notify(ctx, "") == nil {
		db.notices.send = notify
	}
	return s, nil
}
