package postgres

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/roget-health/roget/resources"
)

// channel is the channel on which writers send the types they have written, separated by commas.
// A notification only wakes listeners, which then read from the tables.
const channel = "roget_written"

// pollEvery is the interval at which Watch reads without a notification.
const pollEvery = 5 * time.Second

var _ resources.Watcher = (*Store)(nil)

// Watch calls fn with the keys of versions written since the store was opened, until ctx ends,
// and returns the error of ctx. It listens for notifications and also polls every few seconds.
// While the database is unreachable it retries.
func (s *Store) Watch(ctx context.Context, types []string, fn func(keys []resources.Key)) error {
	l := &listener{db: s.db, types: types}
	defer l.close()
	return s.Follow(ctx, types, s.opened, l.wait, fn)
}

// listener waits for notifications on a separate connection.
type listener struct {
	db    *database
	types []string
	conn  *pgx.Conn // nil if not connected
}

// wait returns when one of the types was written, or it is time to poll.
func (l *listener) wait(ctx context.Context) error {
	if l.conn == nil {
		return l.connect(ctx) // and read at once, because notifications may have been missed
	}
	wait, cancel := context.WithTimeout(ctx, pollEvery)
	defer cancel()
	for {
		notification, err := l.conn.WaitForNotification(wait)
		switch {
		case err == nil && !l.isRelevant(notification.Payload):
		case err == nil || errors.Is(wait.Err(), context.DeadlineExceeded) && !l.conn.IsClosed():
			return nil
		default:
			l.close()
			return err
		}
	}
}

func (l *listener) isRelevant(payload string) bool {
	return slices.ContainsFunc(strings.Split(payload, ","), func(typ string) bool { return slices.Contains(l.types, typ) })
}

func (l *listener) connect(ctx context.Context) error {
	pooled, err := l.db.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	l.conn = pooled.Hijack() // a listening connection cannot go back to the pool
	if l.db.notices.send == nil {
		return nil
	}
	if _, err = l.conn.Exec(ctx, "LISTEN "+channel); err != nil {
		l.close()
	}
	return err
}

func (l *listener) close() {
	if l.conn != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = l.conn.Close(ctx)
		l.conn = nil
	}
}
