// Package backend assembles the program: it implements the work behind the commands of
// cliadapter with the engine, the HTTP handler and the drivers of stores. No other package names
// a driver.
package backend

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"strings"

	"github.com/roget-health/roget/adapters/datadir"
	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/adapters/postgres"
	"github.com/roget-health/roget/adapters/sqlite"
	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources"
)

// Backend implements the work behind the commands. It opens data folders, resource stores and
// sources, and runs the server.
type Backend struct{}

var _ cliadapter.Backend = Backend{}

// storeFile is the name of the resource store in a data folder.
const storeFile = "roget.db"

// openStore opens the resource store at an address; "" means SQLite in the data folder.
func openStore(ctx context.Context, address string, dir *datadir.Dir, log *slog.Logger, options ...sqlite.Option) (resources.Store, error) {
	if address == "" {
		return openSQLite(ctx, dir.Path(storeFile), log, options...)
	}
	scheme, rest, _ := strings.Cut(address, ":")
	switch scheme {
	case "memory":
		return memory.New(), nil
	case "sqlite":
		return openSQLite(ctx, rest, log, options...)
	case "postgres", "postgresql":
		return postgres.Open(ctx, address)
	}
	return nil, checkStore(address)
}

// openSQLite opens the store in a file. Its errors suggest other stores.
func openSQLite(ctx context.Context, path string, log *slog.Logger, options ...sqlite.Option) (resources.Store, error) {
	makeStorePrivate(path, log)
	store, err := sqlite.Open(ctx, path, options...)
	if errors.Is(err, sqlite.ErrLost) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%w; name another data folder with --data, or another store with --store (memory: stores nothing on disk)", err)
	}
	return store, nil
}

// Query publishes sources to a new engine and passes it to ask. The resource store of the data folder
// is opened only if it exists, and not if the sources name another one.
func (Backend) Query(ctx context.Context, src cliadapter.Sources, obs cliadapter.Observer, ask func(*engine.Engine) error) error {
	var dir *datadir.Dir
	if src.Data != "" {
		var err error
		dir, err = openData(ctx, src.Data, dataQuery, nil)
		switch {
		case errors.Is(err, fs.ErrNotExist) && src.Optional:
		case err != nil:
			return err
		default:
			defer closing(dir)
		}
	}
	eng := engine.New()
	if _, err := publish(ctx, eng, dir, src.Load, builtIn{samples: src.Samples, base: src.Base}, obs); err != nil {
		return err
	}
	if err := restoreStored(ctx, eng, src.Store, dir); err != nil {
		return err
	}
	return ask(eng)
}

// restoreStored publishes the terminology resources that HTTP clients stored: those in the store at an
// address, else those in a data folder, which may have none.
func restoreStored(ctx context.Context, eng *engine.Engine, address string, dir *datadir.Dir) error {
	if address == "" {
		if dir == nil {
			return nil
		}
		if exists, err := sqlite.Exists(dir.Path(storeFile)); !exists {
			return err
		}
	}
	store, err := openStored(ctx, cliadapter.StoreOptions{Store: address}, dir)
	if err != nil {
		return err
	}
	defer closing(store)
	if _, _, err := resources.NewService(store, eng).Restore(ctx); err != nil {
		return fmt.Errorf("read the resource store: %w", err)
	}
	return nil
}

// closing closes something that was only read from, or whose writes are durable already. Its
// error loses nothing and is ignored.
func closing(c io.Closer) { _ = c.Close() }

// A dataUse is the purpose for which a data folder is opened.
type dataUse int

const (
	dataQuery  dataUse = iota // must exist
	dataServe                 // created if absent
	dataLoad                  // created if absent; corrupted packs may be replaced
	dataVerify                // must exist; corrupted packs are left alone
)

// openData opens a data folder. Corrupted packs are compiled again if their sources are
// unchanged.
func openData(ctx context.Context, path string, use dataUse, log *slog.Logger, options ...func(*datadir.Options)) (*datadir.Dir, error) {
	opts := datadir.Options{
		Create: use == dataServe || use == dataLoad, Tolerate: use == dataLoad || use == dataVerify, Logger: log,
	}
	if use != dataVerify {
		opts.Rebuild = compileSources
	}
	for _, option := range options {
		option(&opts)
	}
	if err := checkRestored(path); err != nil {
		return nil, err
	}
	if opts.Create {
		makePrivate(path, log)
	}
	dir, err := datadir.Open(ctx, path, opts)
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("%w; the data folder and all files in it must belong to the user who runs roget", err)
	}
	if errors.Is(err, fs.ErrNotExist) && !opts.Create {
		return nil, absentf("the data folder %s does not exist; roget load PATH --data %s makes it", path, path)
	}
	return dir, err
}

// publish fills an engine with the built-in content, the packs of the data folder, and the files
// and folders of load, in this order. Later sources take precedence over earlier ones. It returns
// the entries of load.
func publish(ctx context.Context, eng *engine.Engine, dir *datadir.Dir, load []string, built builtIn, obs cliadapter.Observer) ([]*engine.Entry, error) {
	entries, err := built.entries(ctx)
	if err != nil {
		return nil, err
	}
	if err := eng.Publish(entries...); err != nil {
		return nil, err
	}
	if dir != nil {
		if err := eng.Publish(dir.Entries()...); err != nil {
			return nil, err
		}
	}
	if len(load) == 0 {
		return nil, nil
	}
	loaded, err := readEntries(ctx, load, obs)
	if err != nil {
		return nil, err
	}
	return loaded, eng.Publish(loaded...)
}

// An absentError is about a file or folder that does not exist. It matches fs.ErrNotExist.
type absentError struct{ text string }

func absentf(format string, args ...any) error { return &absentError{fmt.Sprintf(format, args...)} }

func (e *absentError) Error() string        { return e.text }
func (e *absentError) Is(target error) bool { return target == fs.ErrNotExist }
