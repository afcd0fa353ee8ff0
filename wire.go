package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strings"

	"github.com/roget-health/roget/adapters/datadir"
	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/adapters/postgres"
	"github.com/roget-health/roget/adapters/sqlite"
	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources"
)

// backend is the work behind the commands, put together from the drivers named here
// and nowhere else.
type backend struct{}

var _ cliadapter.Backend = backend{}

// storeFile is the resource store in a data folder.
const storeFile = "roget.db"

// openStore opens the resource store at an address; "" is SQLite in the data folder.
func openStore(ctx context.Context, address string, dir *datadir.Dir) (resources.Store, error) {
	if address == "" {
		return openSQLite(ctx, dir.Path(storeFile))
	}
	scheme, rest, _ := strings.Cut(address, ":")
	switch scheme {
	case "memory":
		return memory.New(), nil
	case "sqlite":
		return openSQLite(ctx, rest)
	case "postgres", "postgresql":
		return postgres.Open(ctx, address)
	}
	// The address is not shown: there may be a password in it.
	return nil, &cliadapter.UsageError{Err: errors.New("--store: there is memory:, sqlite:PATH and postgres://HOST/NAME")}
}

// openSQLite opens the store in a file; an error says what else there is to do.
func openSQLite(ctx context.Context, path string) (resources.Store, error) {
	store, err := sqlite.Open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("%w; the store needs a folder that can be written to, or take another one with --store (memory: keeps nothing)", err)
	}
	return store, nil
}

// Query makes an engine for one question. The resource store of the data folder is
// opened only when it is there.
func (backend) Query(ctx context.Context, src cliadapter.Sources, obs cliadapter.Observer, ask func(*engine.Engine) error) error {
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
	if err := publish(ctx, eng, dir, src.Load, builtIn{samples: src.Samples, base: src.Base}, obs); err != nil {
		return err
	}
	if dir != nil {
		if err := restoreStored(ctx, eng, dir); err != nil {
			return err
		}
	}
	return ask(eng)
}

// restoreStored publishes what clients of the HTTP service have stored in a data folder.
func restoreStored(ctx context.Context, eng *engine.Engine, dir *datadir.Dir) error {
	path := dir.Path(storeFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	store, err := sqlite.OpenReadOnly(ctx, path)
	if err != nil {
		return err
	}
	defer closing(store)
	if _, _, err := resources.NewService(store, eng).Restore(ctx); err != nil {
		return fmt.Errorf("read the resource store: %w", err)
	}
	return nil
}

// closing closes what was only read from, or whose writes are durable already: there is
// nothing to lose by an error.
func closing(c io.Closer) { _ = c.Close() }

// dataUse tells what a data folder is opened for.
type dataUse int

const (
	dataQuery  dataUse = iota // must be there
	dataServe                 // made when absent
	dataLoad                  // made when absent; damaged packs may be replaced
	dataVerify                // must be there; damaged packs stay as they are
)

// openData opens a data folder. Packs that are damaged are compiled again where their
// sources are as they were.
func openData(ctx context.Context, path string, use dataUse, log *slog.Logger) (*datadir.Dir, error) {
	opts := datadir.Options{
		Create: use == dataServe || use == dataLoad, Tolerate: use == dataLoad || use == dataVerify, Logger: log,
	}
	if use != dataVerify {
		opts.Rebuild = compileSources
	}
	dir, err := datadir.Open(ctx, path, opts)
	if errors.Is(err, fs.ErrNotExist) && !opts.Create {
		return nil, fmt.Errorf("data folder %s: %w; make it with roget load PATH --data %s", path, fs.ErrNotExist, path)
	}
	return dir, err
}

// publish fills an engine: what is built in, the packs of the data folder, and files
// and folders that are read directly. What comes later comes first in answers.
func publish(ctx context.Context, eng *engine.Engine, dir *datadir.Dir, load []string, built builtIn, obs cliadapter.Observer) error {
	entries, err := built.entries(ctx)
	if err != nil {
		return err
	}
	if err := eng.Publish(entries...); err != nil {
		return err
	}
	if dir != nil {
		if err := eng.Publish(dir.Entries()...); err != nil {
			return err
		}
	}
	if len(load) == 0 {
		return nil
	}
	loaded, err := readEntries(ctx, load, obs)
	if err != nil {
		return err
	}
	return eng.Publish(loaded...)
}
