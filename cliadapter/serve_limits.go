package cliadapter

import (
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
)

// limitFlags are about how much a request, or all of them together, may use.
func limitFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "expand-default-count", Value: "100", Usage: "`N` Codes on a page of an expansion under the clinical rules if the request has no count. 0 returns all of them up to --expand-limit, flat."},
		&cli.StringFlag{Name: "expand-limit", Value: strconv.Itoa(engine.DefaultExpandLimit), Usage: "`N` Most codes of an expansion without pages, unless the request has a limit. An expansion with more is refused as too costly."},
		&cli.BoolFlag{Name: "exact-search", Usage: "Filters of expansions find words only as they are written, unless the request has forgiving=true."},
		&cli.StringFlag{Name: "cache-size", Usage: "`SIZE` Memory for the cache of compiled value sets. By default a twelfth of --memory, at most 256MiB."},
		&cli.StringFlag{Name: "max-body", Value: "16MiB", Usage: "`SIZE` Largest request body. That of a create or update of a CodeSystem, ValueSet or ConceptMap may have four times the size."},
		&cli.StringFlag{Name: "timeout", Value: "30s", Usage: "`DURATION` Time limit of a request; 0 for no limit."},
		&cli.StringFlag{Name: "drain", Value: "10s", Usage: "`DURATION` Time limit for requests in progress at shutdown."},
		&cli.StringFlag{Name: "shutdown-delay", Value: "0s", Usage: "`DURATION` How long the server still answers before a shutdown while /readyz says that it is not ready, so that load balancers send no more requests."},
	}
}

func (inv *invocation) readLimits(o *ServeOptions) (err error) {
	if o.ExpandDefaultCount, err = inv.Integer("expand-default-count", 0); err != nil {
		return err
	}
	o.ExactSearch = inv.Is("exact-search")
	if o.ExpandLimit, err = inv.Integer("expand-limit", 1); err != nil {
		return err
	}
	if o.ExpandLimit > engine.DefaultMaxCount {
		return command.Usagef("flag --expand-limit may be at most %d, not %d", engine.DefaultMaxCount, o.ExpandLimit)
	}
	if o.CacheSize = -1; inv.Text("cache-size") != "" {
		if o.CacheSize, err = inv.Size("cache-size"); err != nil {
			return err
		}
	}
	if o.MaxBody, err = inv.Size("max-body"); err != nil {
		return err
	}
	if o.Timeout, err = inv.Duration("timeout"); err != nil {
		return err
	}
	if o.Drain, err = inv.Duration("drain"); err != nil {
		return err
	}
	o.ShutdownDelay, err = inv.Duration("shutdown-delay")
	return err
}
