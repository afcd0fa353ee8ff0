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

// channel is where writers say of which types their transactions are: names with commas
// between them. It wakes who listens; what was written is read from the tables.
const channel = "roget_written"

// pollEvery is how long Watch goes without looking, should nobody wake it.
const pollEvery = 5 * time.Second

var _ resources.Watcher = (*Store)(nil)

// Watch calls fn with the keys of what was written since the store was opened, and goes on
// until ctx ends, whose error it returns. It listens to other processes, and looks every
// few seconds besides. While the database cannot be reached it tries again.
func (s *Store) Watch(ctx context.Context, types []string, fn func(keys []resources.Key)) error {
	l := &listener{db: s.db, types: types}
	defer l.close()
	return s.Follow(ctx, types, s.opened, l.await, fn)
}

// listener waits for notifications, on a connection of its own.
type listener struct {
	db    *database
	types []string
	conn  *pgx.Conn // nil: not connected
}

// await returns when something of one of the types was written, or it is time to look.
func (l *listener) await(ctx context.Context) error {
	if l.conn == nil {
		return l.connect(ctx) // and look: it was deaf until now
	}
	wait, cancel := context.WithTimeout(ctx, pollEvery)
	defer cancel()
	for {
		told, err := l.conn.WaitForNotification(wait)
		switch {
		case err == nil && !l.concerns(told.Payload):
		case err == nil || errors.Is(wait.Err(), context.DeadlineExceeded) && !l.conn.IsClosed():
			return nil
		default:
			l.close()
			return err
		}
	}
}

func (l *listener) concerns(payload string) bool {
	return slices.ContainsFunc(strings.Split(payload, ","), func(typ string) bool { return slices.Contains(l.types, typ) })
}

func (l *listener) connect(ctx context.Context) error {
	pooled, err := l.db.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	l.conn = pooled.Hijack() // it listens, so it is not for others
	if !l.db.notifies {
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
