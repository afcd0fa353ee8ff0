package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/roget-health/roget/resources"
)

// unavailableClasses are the classes of SQLSTATE (Appendix A of PostgreSQL's manual) that end
// without a change by the client: connections, resources such as a full disk, an operator's
// intervention, the system, and a server that only reads.
var unavailableClasses = [...]string{"08", "53", "57P", "58", "25006"}

// Failure adds the class of an error.
func (d *database) Failure(err error) error {
	for _, own := range [...]error{resources.ErrUnavailable, resources.ErrUpgraded, resources.ErrDamaged, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, own) {
			return err
		}
	}
	var server *pgconn.PgError
	if errors.As(err, &server) {
		if server.Code == "XX001" || server.Code == "XX002" { // data_corrupted, index_corrupted
			return fmt.Errorf("%w: %w", resources.ErrDamaged, err)
		}
		if server.Code == "25006" && d.ReadsOnly() { // read_only_sql_transaction
			return fmt.Errorf("%w: %w", resources.ErrReadOnly, err)
		}
		for _, class := range unavailableClasses {
			if strings.HasPrefix(server.Code, class) {
				return fmt.Errorf("%w: %w", resources.ErrUnavailable, err)
			}
		}
		return err
	}
	if lost(err) {
		return fmt.Errorf("%w: %w", resources.ErrUnavailable, err)
	}
	return err
}

// lost reports whether there is no connection to the server.
func lost(err error) bool {
	var (
		network net.Error
		connect *pgconn.ConnectError
	)
	return errors.As(err, &network) || errors.As(err, &connect) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || pgconn.SafeToRetry(err)
}

// Ping asks the server a question on a connection that is not in the pool, because a busy pool is
// not a sign of a server that is down.
func (d *database) Ping(ctx context.Context) (err error) {
	d.probing.Lock()
	defer d.probing.Unlock()
	if d.probe == nil || d.probe.IsClosed() {
		if d.probe, err = pgx.ConnectConfig(ctx, d.pool.Config().ConnConfig); err != nil {
			d.probe = nil
			return fmt.Errorf("%w: %s", resources.ErrUnavailable, explained(err).Error())
		}
	}
	var readOnly string
	if err = d.probe.QueryRow(ctx, "SHOW transaction_read_only", pgx.QueryExecModeSimpleProtocol).Scan(&readOnly); err != nil {
		d.closeProbe()
		return fmt.Errorf("%w: %s", resources.ErrUnavailable, explained(err).Error())
	}
	d.readOnly.Store(readOnly == "on")
	var now fenced
	if err = d.probe.QueryRow(ctx, "SELECT "+fenceColumns, pgx.QueryExecModeSimpleProtocol).Scan(&now.mark, &now.schema); err != nil {
		d.closeProbe()
		return fmt.Errorf("%w: %s", resources.ErrUnavailable, explained(err).Error())
	}
	if err = d.fence.searches(&now); err != nil {
		return err
	}
	d.fence.newer.Store(now.schema > d.fence.latest)
	if readOnly != "on" {
		d.standby.Store(nil)
		return nil
	}
	var s standby
	if err = d.probe.QueryRow(ctx, selectStandby, pgx.QueryExecModeSimpleProtocol).Scan(&s.is, &s.receives, &s.lag); err != nil {
		d.closeProbe()
		return fmt.Errorf("%w: %s", resources.ErrUnavailable, explained(err).Error())
	}
	d.standby.Store(&s)
	return nil
}

// standby is what a server that only reads says of itself.
type standby struct {
	is       bool    // else it is a primary whose transactions only read
	receives bool    // from the primary
	lag      float64 // age of the last transaction applied, in seconds, if there are others to apply
}

// selectStandby reads a standby. While everything received is applied the lag is 0, however long ago
// that was: the primary may be idle.
const selectStandby = `SELECT pg_is_in_recovery(), EXISTS (SELECT pid FROM pg_stat_wal_receiver),
CASE WHEN pg_last_wal_receive_lsn() > pg_last_wal_replay_lsn() THEN coalesce(extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()), 0)::float8 ELSE 0 END`

// mostLag is how many seconds a standby may lag behind what it has received.
const mostLag = 10

// ReadsOnly reports whether the server is a standby.
func (d *database) ReadsOnly() bool { s := d.standby.Load(); return s != nil && s.is }

// Lag returns an error if a standby has not applied for long what it has received.
func (d *database) Lag() error {
	if s := d.standby.Load(); s != nil && s.lag > mostLag {
		return fmt.Errorf("the standby is %.0f s behind what it has received", s.lag)
	}
	return nil
}

// Source returns an error if a standby receives nothing.
func (d *database) Source() error {
	if s := d.standby.Load(); s != nil && s.is && !s.receives {
		return errors.New("the standby has no connection to its primary, so that what it reads may be old")
	}
	return nil
}

// Writable returns an error if the transactions of the server only read, or the schema is newer.
func (d *database) Writable() error {
	if d.readOnly.Load() {
		return fmt.Errorf("%w: the PostgreSQL server is read-only", resources.ErrUnavailable)
	}
	if d.fence.newer.Load() {
		return resources.ErrUpgraded
	}
	return nil
}

func (d *database) closeProbe() {
	if d.probe != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = d.probe.Close(ctx)
		d.probe = nil
	}
}
