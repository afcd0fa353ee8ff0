package cliadapter

import (
	"cmp"
	"context"
	"io"
	"net/url"
	"path/filepath"
	"strings"

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
	// Relaxed stores whatever parses, and Profiles checks the profiles that resources claim, too. Lifecycle is what to do about states that do not
	// follow: "enforce", "warn" or "off".
	Relaxed   bool
	Profiles  bool
	Lifecycle string
}

// storeOptions are the flags of commands that work on resources.
func storeOptions(usage string) []cli.Flag {
	data := dataFlag(defaultData, usage)
	return []cli.Flag{
		data,
		&command.Flag{Env: "ROGET_STORE", StringFlag: cli.StringFlag{Name: "store", Usage: "`ADDRESS` Resource store: sqlite:PATH or postgres://... By default SQLite in the data folder."}},
		storePasswordFlag(),
	}
}

func storePasswordFlag() cli.Flag {
	return &command.Flag{Env: "ROGET_STORE_PASSWORD_FILE", StringFlag: cli.StringFlag{Name: "store-password-file", TakesFile: true, Usage: "`FILE` File with the password for the PostgreSQL store, which then appears neither in --store nor in the list of processes."}}
}

// maxPassword is the largest file with a password, in bytes.
const maxPassword = 4 << 10

// storeAddress returns the address of the resource store, with the password of
// --store-password-file.
func (inv *invocation) storeAddress() (string, error) {
	address, path := inv.Text("store"), inv.Text("store-password-file")
	if path == "" {
		return address, nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return "", command.Usagef("--store-password-file needs a --store of the form postgres://USER@HOST/NAME")
	}
	if _, twice := u.User.Password(); twice || u.Query().Has("password") {
		return "", command.Usagef("--store-password-file: the address of --store has a password already; remove one of them")
	}
	file, err := command.Open(path)
	if err != nil {
		return "", command.Usagef("--store-password-file: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxPassword+1))
	if err != nil {
		return "", command.Usagef("--store-password-file: %w", err)
	}
	password := strings.TrimRight(string(data), "\r\n")
	if password == "" || len(password) > maxPassword || strings.ContainsAny(password, "\r\n\x00") {
		return "", command.Usagef("--store-password-file: %s must hold one line of at most %d bytes", path, maxPassword)
	}
	name := u.User.Username()
	if name == "" {
		name = cmp.Or(u.Query().Get("user"), inv.Getenv("PGUSER"))
	}
	if name == "" {
		return "", command.Usagef("--store-password-file needs a user in --store, as in postgres://USER@HOST/NAME")
	}
	u.User = url.UserPassword(name, password)
	return u.String(), nil
}

// resources runs fn with the service that the flags ask for.
func (inv *invocation) resources(ctx context.Context, o StoreOptions, obs *observer, fn func(svc *resources.Service) error) error {
	var err error
	if o.Store, err = inv.storeAddress(); err != nil {
		return err
	}
	o.Data, o.Load = inv.Text("data"), inv.List("load")
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
