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
	for _, own := range [...]error{resources.ErrUnavailable, resources.ErrDamaged, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, own) {
			return err
		}
	}
	var server *pgconn.PgError
	if errors.As(err, &server) {
		if server.Code == "XX001" || server.Code == "XX002" { // data_corrupted, index_corrupted
			return fmt.Errorf("%w: %w", resources.ErrDamaged, err)
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
	return nil
}

// Writable returns an error if the server only reads, as a standby does.
func (d *database) Writable() error {
	if d.readOnly.Load() {
		return fmt.Errorf("%w: the PostgreSQL server is read-only", resources.ErrUnavailable)
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
