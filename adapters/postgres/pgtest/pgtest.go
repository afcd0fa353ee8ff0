// Package pgtest provides tests with an empty PostgreSQL schema: on the server in the environment
// variable ROGET_TEST_POSTGRES, or in a temporary cluster created with the programs installed on
// this machine.
package pgtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Variable is the environment variable with the address of a server to use instead of a temporary
// cluster. The user must be allowed to create schemas.
const Variable = "ROGET_TEST_POSTGRES"

// cluster is the server of a test program. It starts when the first test needs it.
type cluster struct {
	once    sync.Once
	address string
	stop    func()
	err     error
	schemas atomic.Int64
	stopped atomic.Bool
}

// Server provides the tests of a package with schemas.
type Server struct{ c cluster }

// Main runs the tests of a package and stops the server afterwards:
//
//	var server pgtest.Server
//
//	func TestMain(m *testing.M) { os.Exit(server.Main(m)) }
func (s *Server) Main(m *testing.M) (exitCode int) {
	defer func() {
		if s.c.stop != nil && !s.c.stopped.Load() {
			s.c.stop()
		}
	}()
	return m.Run()
}

// Schema returns the address of an empty schema that is dropped after the test. It skips the test
// if PostgreSQL is not available, or fails it if CI=true.
func (s *Server) Schema(tb testing.TB) (address string) {
	tb.Helper()
	s.c.once.Do(s.c.start)
	if s.c.err != nil {
		message := fmt.Sprintf("no PostgreSQL: %v (install it, or set %s to the address of a server)", s.c.err, Variable)
		if os.Getenv("CI") == "true" {
			tb.Fatal(message)
		}
		tb.Skip(message)
	}
	name := fmt.Sprintf("roget_test_%d_%d", os.Getpid(), s.c.schemas.Add(1))
	s.exec(tb, "CREATE SCHEMA "+name)
	tb.Cleanup(func() {
		if !s.c.stopped.Load() {
			s.exec(tb, "DROP SCHEMA "+name+" CASCADE")
		}
	})
	return withSearchPath(s.c.address, name)
}

// Standby returns the address of the same schema on a standby of the server, and a function that
// promotes the standby. It skips the test on a server of others.
func Standby(tb testing.TB, schema string) (address string, promote func()) {
	tb.Helper()
	if os.Getenv(Variable) != "" {
		tb.Skip("a standby is only made of the temporary cluster")
	}
	of, err := url.Parse(schema)
	if err != nil {
		tb.Fatal(err)
	}
	query := of.Query()
	path := query.Get("search_path")
	query.Del("search_path")
	of.RawQuery = query.Encode()
	address, lift, stop, err := standby(of.String())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(stop)
	return withSearchPath(address, path), func() {
		tb.Helper()
		if err := lift(); err != nil {
			tb.Fatal(err)
		}
	}
}

// Exec runs a statement on the server, outside of the schemas.
func (s *Server) Exec(tb testing.TB, statement string) { s.exec(tb, statement) }

// Stop ends the temporary cluster, which loses its data. Schemas are not dropped then.
func (s *Server) Stop() {
	if s.c.stopped.CompareAndSwap(false, true) {
		s.c.stop()
	}
}

func (s *Server) exec(tb testing.TB, statement string) {
	tb.Helper()
	conn, err := pgx.Connect(context.Background(), s.c.address)
	if err != nil {
		tb.Fatalf("PostgreSQL: %v", err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	if _, err := conn.Exec(context.Background(), statement); err != nil {
		tb.Fatalf("%s: %v", statement, err)
	}
}

// withSearchPath adds the schema to an address in either format.
func withSearchPath(address, schema string) string {
	if u, err := url.Parse(address); err == nil && strings.HasPrefix(u.Scheme, "postgres") {
		query := u.Query()
		query.Set("search_path", schema)
		u.RawQuery = query.Encode()
		return u.String()
	}
	return address + " search_path=" + schema
}

func (c *cluster) start() {
	if c.address = os.Getenv(Variable); c.address != "" {
		return
	}
	c.address, c.stop, c.err = startCluster()
}
