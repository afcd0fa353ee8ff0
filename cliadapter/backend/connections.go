package backend

import (
	"net"

	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/httpadapter"
)

// A store opens up to three files for a connection that is answered, and reservedFiles are for packs,
// the log and connections to other servers.
const (
	maxConnections     = 10_000
	filesPerConnection = 4
	reservedFiles      = 24
)

// limitConnections returns the listener with the limits of the options. The defaults leave the store
// enough of the files that the process may open.
func limitConnections(l net.Listener, o cliadapter.ServeOptions) net.Listener {
	all, perClient := o.Bounds.Connections, o.Bounds.ConnectionsPerClient
	if all == 0 {
		all = connectionsFor(openFiles())
	}
	if perClient == 0 {
		perClient = max(all/4, 4)
	}
	return httpadapter.LimitConnections(l, all, perClient, o.Edge.TrustedProxies)
}

// connectionsFor returns the connections that a number of open files permits.
func connectionsFor(files uint64) int {
	if files >= reservedFiles+filesPerConnection*maxConnections {
		return maxConnections
	}
	return max((int(files)-reservedFiles)/filesPerConnection, 4)
}
