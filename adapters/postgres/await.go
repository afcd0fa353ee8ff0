package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Delays between attempts of Await.
const (
	firstDelay = 200 * time.Millisecond
	lastDelay  = 5 * time.Second
)

// Await waits until the server at an address accepts connections, at most for some time. It calls
// waiting with the reason if the first attempt fails. What waiting cannot cure, such as a wrong
// password or an unknown database, is returned at once.
func Await(ctx context.Context, address string, most time.Duration, waiting func(reason error)) error {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil // Open explains what is wrong with it
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTime
	}
	limit, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	var reason error // of the last attempt
	for delay := firstDelay; ; delay = min(2*delay, lastDelay) {
		conn, err := pgx.ConnectConfig(limit, config.Copy())
		if err == nil {
			return conn.Close(ctx)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if limit.Err() == nil || reason == nil {
			first := reason == nil
			if reason = fmt.Errorf("PostgreSQL server %s: %w", config.Host, explained(err)); !passing(err) {
				return reason
			}
			if first {
				waiting(reason)
			}
		}
		select {
		case <-limit.Done():
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return fmt.Errorf("%w; it was waited for %s", reason, most)
		case <-time.After(delay):
		}
	}
}

// passing reports whether waiting may cure an error about connecting.
func passing(err error) bool {
	var server *pgconn.PgError
	if errors.As(err, &server) {
		for _, class := range [...]string{"08", "53", "57P"} { // connections, resources, an operator's intervention
			if strings.HasPrefix(server.Code, class) {
				return true
			}
		}
		return false
	}
	return lost(err) || errors.Is(err, context.DeadlineExceeded)
}
