package backend

import (
	"log/slog"
	"math"
	"net"

	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/httpadapter"
)

// A store opens up to three files for a connection that is answered, and reservedFiles are for packs,
// the log and connections to other servers.
const (
	maxConnections     = 10_000 // by default
	minConnections     = 4
	filesPerConnection = 4
	reservedFiles      = 24
)

// limitConnections returns the listener with the limits of the options.
func limitConnections(l net.Listener, o cliadapter.ServeOptions) net.Listener {
	all, perClient := connectionLimits(o.Bounds, openFiles(), o.Logger)
	return httpadapter.LimitConnections(l, all, perClient, o.Edge.TrustedProxies)
}

// connectionLimits returns the most connections in all and of one address. They leave the store enough
// of the files that the process may open: where these run out, connections are accepted no more, and
// clients wait without an answer. It warns if the options ask for more than that.
func connectionLimits(o cliadapter.BoundsOptions, files uint64, log *slog.Logger) (all, perClient int) {
	permitted := connectionsFor(files)
	all, perClient = o.Connections, o.ConnectionsPerClient
	switch {
	case all == 0:
		all = min(permitted, maxConnections)
	case all > permitted:
		log.Warn("--max-connections is lowered: each connection may need four open files, and the process may not open so many; "+
			"raise the limit with ulimit -n, or with LimitNOFILE in the unit of systemd",
			"asked", all, "connections", permitted, "openFiles", files, "needed", reservedFiles+filesPerConnection*int64(all))
		all = permitted
	}
	if perClient == 0 {
		perClient = max(all/4, minConnections)
	}
	return all, perClient
}

// connectionsFor returns the connections that a number of open files permits.
func connectionsFor(files uint64) int {
	if files < reservedFiles+filesPerConnection*minConnections {
		return minConnections
	}
	return int(min((files-reservedFiles)/filesPerConnection, math.MaxInt32))
}
