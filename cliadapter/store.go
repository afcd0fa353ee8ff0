package cliadapter

import (
	"context"
	"net/url"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/resources"
)

// StoreOptions configures the resource store of a command.
type StoreOptions struct {
	Data  string // data folder
	Store string // address of the resource store; "" for SQLite in the data folder
	// Write opens the store to change it, and makes the data folder when it is not there.
	Write bool
	// Terminology publishes the loaded, built-in and stored terminology, for searches by codes and
	// for validation. Load lists further files and folders to read.
	Terminology bool
	Load        []string
	// Relaxed stores whatever parses. Lifecycle is what to do about states that do not
	// follow: "enforce", "warn" or "off".
	Relaxed   bool
	Lifecycle string
}

// storeOptions are the flags of commands that work on resources.
func storeOptions(usage string) []cli.Flag {
	data := dataFlag(defaultData, usage)
	return []cli.Flag{
		data,
		&command.Flag{Env: "ROGET_STORE", StringFlag: cli.StringFlag{Name: "store", Usage: "`ADDRESS` Resource store: sqlite:PATH or postgres://... By default SQLite in the data folder."}},
	}
}

// resources runs fn with the service that the flags ask for.
func (inv *invocation) resources(ctx context.Context, o StoreOptions, obs *observer, fn func(svc *resources.Service) error) error {
	o.Data, o.Store, o.Load = inv.Text("data"), inv.Text("store"), inv.List("load")
	if o.Data == "" {
		o.Data = defaultData
	}
	return inv.cli.config.Backend.Resources(ctx, o, obs, fn)
}

// storeName names a store without a password.
func storeName(o StoreOptions) string {
	if o.Store == "" {
		path, err := filepath.Abs(o.Data)
		if err != nil {
			path = o.Data
		}
		return path
	}
	if u, err := url.Parse(o.Store); err == nil {
		return u.Redacted()
	}
	return "?"
}
