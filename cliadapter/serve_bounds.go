package cliadapter

import (
	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
)

// BoundsOptions bound what the service uses. Zero means the default.
type BoundsOptions struct {
	// Memory is the number of bytes that the process should stay within, without mapped packs.
	Memory int64
	// Connections is the number of open connections, and ConnectionsPerClient that of one address.
	Connections, ConnectionsPerClient int
}

// MinMemory is the least memory that a service works with.
const MinMemory = 256 << 20

// boundsFlags are about what the whole service may use.
func boundsFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "memory", Usage: "`SIZE` Memory for the service, at least 256MiB. By default three quarters of the limit of its cgroup, or half of the machine. The budgets of requests, the caches and GOMEMLIMIT follow from it. Packs that are mapped from the data folder are not part of it."},
		&cli.StringFlag{Name: "max-connections", Value: "0", Usage: "`N` Most open connections; 0 for what the limit of open files permits, at most 10000. A number that this limit does not permit is lowered, with a warning."},
		&cli.StringFlag{Name: "max-connections-per-client", Value: "0", Usage: "`N` Most open connections of one address; 0 for a quarter of --max-connections. Trusted proxies and this machine are not limited."},
	}
}

func (inv *invocation) readBounds(o *ServeOptions) (err error) {
	if inv.Text("memory") != "" {
		if o.Bounds.Memory, err = inv.Size("memory"); err != nil {
			return err
		}
		if o.Bounds.Memory < MinMemory {
			return command.Usagef("flag --memory must be at least 256MiB, not %q", inv.Text("memory"))
		}
	}
	if o.Bounds.Connections, err = inv.Integer("max-connections", 0); err != nil {
		return err
	}
	o.Bounds.ConnectionsPerClient, err = inv.Integer("max-connections-per-client", 0)
	return err
}
