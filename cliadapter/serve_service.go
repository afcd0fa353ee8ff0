package cliadapter

import (
	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
)

// serviceFlags are about the address, and about what the service offers there.
func serviceFlags() []cli.Flag {
	return []cli.Flag{
		&command.Flag{Env: "ROGET_ADDR", StringFlag: cli.StringFlag{Name: "addr", Aliases: []string{"a"}, Value: "127.0.0.1:8080", Usage: "`HOST:PORT` Address to listen on; port 0 picks a free one."}},
		&cli.StringSliceFlag{Name: "cors-origin", Usage: "`ORIGIN` Origin from which browsers may call the server; * for any."},
		&cli.StringSliceFlag{Name: "subscription-hosts", Usage: "`HOST` Host, with or without a port, whose endpoints Subscriptions may notify."},
		&cli.BoolFlag{Name: "generate", Usage: "Enable $generate, which makes synthetic resources and can store them."},
	}
}

func (inv *invocation) readService(o *ServeOptions) error {
	o.Addr, o.CORSOrigins = inv.Text("addr"), inv.List("cors-origin")
	o.SubscriptionHosts = inv.List("subscription-hosts")
	o.Generate = inv.Is("generate")
	return nil
}
