package cliadapter

import (
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
)

// RateOptions bound how many requests a client may send. 0 means no limit.
type RateOptions struct {
	// Requests is the number a second, and Burst how many may come at once; 0 follows from Requests.
	Requests float64
	Burst    int
	// FailedLogins is the number a minute from one address.
	FailedLogins int
}

// maxRate is the largest --rate. Above it a limit would never be reached.
const maxRate = 1_000_000

// rateFlags are about how many requests a client may send.
func rateFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "rate", Value: "0", Usage: "`N` Requests a second that one client may send, such as 20 or 0.5; 0 for no limit. A client is who has logged in, else an address. Entries of a batch count."},
		&cli.StringFlag{Name: "burst", Value: "0", Usage: "`N` Requests that a client who was idle may send at once; 0 for twice --rate, at least 10."},
		&cli.StringFlag{Name: "failed-logins", Value: "20", Usage: "`N` Failed logins a minute from one address; 0 for no limit. Behind a proxy, set --trusted-proxy too."},
	}
}

func (inv *invocation) readRates(o *ServeOptions) (err error) {
	text := inv.Text("rate")
	o.Rates.Requests, err = strconv.ParseFloat(text, 64)
	if err != nil || !(o.Rates.Requests >= 0 && o.Rates.Requests <= maxRate) { // refuses NaN
		return command.Usagef("flag --rate must be a number from 0 to %d, such as 20 or 0.5, not %q", maxRate, text)
	}
	if o.Rates.Burst, err = inv.Integer("burst", 0); err != nil {
		return err
	}
	if o.Rates.Burst > 0 && o.Rates.Requests == 0 {
		return command.Usagef("flag --burst needs --rate")
	}
	o.Rates.FailedLogins, err = inv.Integer("failed-logins", 0)
	return err
}
