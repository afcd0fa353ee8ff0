package cliadapter

import (
	"net"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
)

// OperationsOptions configure what those see who operate the service.
type OperationsOptions struct {
	Addr string // address of the listener for operations; "" for none
	OTLP string // base URL of the collector of traces; "" takes it from the variables of OpenTelemetry
}

// operationFlags are about what those see who operate the service.
func operationFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "metrics", Usage: "Serve Prometheus metrics at /metrics. With --ops-addr they are served there instead, also without this flag."},
		&command.Flag{StringFlag: cli.StringFlag{Name: "ops-addr", Usage: "`HOST:PORT` Second address to listen on, for those who operate the server: /metrics, /readyz, /healthz, and to this machine the profiles below /debug/pprof/. It has no login, so clients must not reach it."}},
		&command.Flag{StringFlag: cli.StringFlag{Name: "otlp", Usage: "`URL` Collector of OpenTelemetry that receives traces over OTLP/HTTP, such as http://localhost:4318. The variables of OpenTelemetry (OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER and others) apply too."}},
	}
}

func (inv *invocation) readOperations(o *ServeOptions) error {
	o.Operations = OperationsOptions{Addr: inv.Text("ops-addr"), OTLP: inv.Text("otlp")}
	o.Metrics = inv.Is("metrics") || o.Operations.Addr != ""
	if addr := o.Operations.Addr; addr != "" {
		if _, _, err := net.SplitHostPort(addr); err != nil {
			return command.Usagef("--ops-addr: %w", err)
		}
	}
	return nil
}
