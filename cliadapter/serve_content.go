package cliadapter

import (
	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/resources"
)

// contentFlags are about what the service holds: terminology, resources, and what it stores.
func contentFlags() []cli.Flag {
	return []cli.Flag{
		dataFlag(defaultData, "Data folder, with the packs of roget load and the resource store. Created if it does not exist."),
		sourceOptions()[0],
		&command.Flag{Env: "ROGET_STORE", StringFlag: cli.StringFlag{Name: "store", Usage: "`ADDRESS` Resource store: memory:, sqlite:PATH or postgres://... By default SQLite in the data folder."}},
		storePasswordFlag(),
		&cli.StringFlag{Name: "wait", Value: "0", Usage: "`DURATION` How long to wait at the start for a PostgreSQL store that is down, such as 1m; 0 to end at once."},
		&command.Flag{StringFlag: cli.StringFlag{Name: "packs", Usage: "`ADDRESS` Folder, or its address on a web server, from which to take up the packs that roget publish has put there."}, Masked: true},
		&cli.StringFlag{Name: "packs-every", Value: "1m", Usage: "`DURATION` How often to look there; after failures up to 16 times as long."},
		&cli.StringFlag{Name: "agree", Usage: "`ADDRESS` PostgreSQL database (postgres://..., or the word store for that of --store) in which servers agree when they change to what was loaded, so that all change at once. One on a standby names the primary's."},
		&cli.StringFlag{Name: "lease", Value: "30s", Usage: "`DURATION` How long a server answers about terminology after it last reached the database of --agree."},
		&cli.StringFlag{Name: "writer", Usage: "`URL` Server that writes. While the PostgreSQL store is a standby, what writes is forwarded to it; by default it is refused with 405."},
		&cli.StringFlag{Name: "seq-wait", Value: "5s", Usage: "`DURATION` How long a request with X-Roget-Seq, which a write was answered with, waits until a standby has that write."},
		validationOption(),
		&command.Flag{StringFlag: cli.StringFlag{Name: "lifecycle", Value: "enforce", Usage: "Reject a QuestionnaireResponse with a change of status that is not allowed, warn about it, or accept it."}, Choices: []string{"enforce", "warn", "off"}},
		&cli.BoolFlag{Name: "delete-many", Usage: "Let a conditional delete remove several resources. Without this flag, one that matches several is rejected."},
		&cli.BoolFlag{Name: "no-samples", Usage: "Leave out the built-in sample code systems."},
		&cli.BoolFlag{Name: "no-base", Usage: "Leave out the built-in code systems and value sets of FHIR R4."},
		&cli.BoolFlag{Name: "no-ui", Usage: "Leave out the page for browsers at /ui."},
		&cli.StringFlag{Name: "patients", Value: "0", Usage: "`N` Store a synthetic population of N patients before listening, as roget generate population does. Resources that exist are kept."},
		seedOption(),
	}
}

// lifecycles are the values of --lifecycle.
var lifecycles = map[string]resources.Lifecycle{
	"enforce": resources.EnforceLifecycle, "warn": resources.WarnLifecycle, "off": resources.IgnoreLifecycle,
}

func (inv *invocation) readContent(o *ServeOptions) error {
	var err error
	if o.Store, err = inv.storeAddress(); err != nil {
		return err
	}
	if o.Wait, err = inv.Duration("wait"); err != nil {
		return err
	}
	if o.Lease, err = inv.Duration("lease"); err != nil {
		return err
	}
	if o.SeqWait, err = inv.Duration("seq-wait"); err != nil {
		return err
	}
	if o.PacksEvery, err = inv.Duration("packs-every"); err != nil {
		return err
	}
	o.Packs, o.Writer = inv.Text("packs"), inv.Text("writer")
	if o.Agree = inv.Text("agree"); o.Agree == "store" {
		o.Agree = o.Store
	}
	o.Data, o.Load = inv.Text("data"), inv.List("load")
	o.Samples, o.Base = !inv.Is("no-samples"), !inv.Is("no-base")
	o.Relaxed, o.Profiles = inv.validation()
	o.Lifecycle = lifecycles[inv.Text("lifecycle")]
	o.DeleteMany, o.Page = inv.Is("delete-many"), !inv.Is("no-ui")
	return inv.naturals(map[string]*uint64{"patients": &o.Population.Patients, "seed": &o.Population.Seed})
}
