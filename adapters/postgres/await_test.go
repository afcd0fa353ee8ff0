package postgres_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/roget-health/roget/adapters/postgres"
)

// late is a server at an address of TCP, which passes connections on to PostgreSQL after it has
// refused some as PostgreSQL does while it starts.
func late(t *testing.T, listener net.Listener, to *pgx.ConnConfig, refusals int) {
	t.Helper()
	network, of := pgconn.NetworkAddress(to.Host, to.Port)
	go func() {
		for ; ; refusals-- {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			if refusals > 0 {
				_, _ = from.Read(make([]byte, 4096))
				_, _ = from.Write([]byte("E\x00\x00\x00\x2cSFATAL\x00C57P03\x00Mstarting up, be patient\x00\x00"))
				_ = from.Close()
				continue
			}
			to, err := net.Dial(network, of)
			if err != nil {
				t.Error(err)
				_ = from.Close()
				return
			}
			go func() { _, _ = io.Copy(to, from); _ = to.Close() }()
			go func() { _, _ = io.Copy(from, to); _ = from.Close() }()
		}
	}()
}

func listen(t *testing.T, address string) net.Listener {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func TestAwait(t *testing.T) {
	config, err := pgx.ParseConfig(server.Schema(t))
	if err != nil {
		t.Fatal(err)
	}
	free := listen(t, "127.0.0.1:0")
	where := free.Addr().String()
	_ = free.Close()
	address := "postgres://" + config.User + "@" + where + "/postgres?sslmode=disable"
	reasons := make(chan error, 2)
	done := make(chan error, 1)
	go func() {
		done <- postgres.Await(t.Context(), address, time.Minute, func(err error) { reasons <- err })
	}()
	select {
	case err := <-reasons:
		if !strings.Contains(err.Error(), "connection refused") {
			t.Errorf("reason: %v", err)
		}
	case err := <-done:
		t.Fatalf("a server that is down was not waited for: %v", err)
	}
	late(t, listen(t, where), config, 2)
	if err := <-done; err != nil || len(reasons) > 0 {
		t.Fatalf("the server has come: %v, %d more reasons", err, len(reasons))
	}
	never := func(err error) { t.Errorf("waits because of %v", err) }
	err = postgres.Await(t.Context(), strings.Replace(address, "/postgres?", "/none?", 1), time.Minute, never)
	if err == nil || !strings.Contains(err.Error(), `database "none" does not exist`) {
		t.Errorf("unknown database: %v", err)
	}
	err = postgres.Await(t.Context(), "postgres://roget@127.0.0.1:1/x", time.Millisecond, func(error) {})
	if err == nil || !strings.Contains(err.Error(), "waited for 1ms") {
		t.Errorf("after its time: %v", err)
	}
	guarded := listen(t, "127.0.0.1:0")
	go func() {
		for {
			conn, err := guarded.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 4096))
			_, _ = conn.Write([]byte("E\x00\x00\x00\x23SFATAL\x00C28P01\x00Mwrong password\x00\x00"))
			_ = conn.Close()
		}
	}()
	err = postgres.Await(t.Context(), "postgres://roget:x@"+guarded.Addr().String()+"/x?sslmode=disable", time.Minute, never)
	if err == nil || !strings.Contains(err.Error(), "wrong password") {
		t.Errorf("wrong password: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := postgres.Await(ctx, "postgres://roget@127.0.0.1:1/x", time.Hour, func(error) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
