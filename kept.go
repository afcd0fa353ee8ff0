package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/roget-health/roget/adapters/datadir"
	"github.com/roget-health/roget/adapters/sqlite"
	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources"
)

// Resources makes a service on a resource store for one command.
func (backend) Resources(ctx context.Context, o cliadapter.StoreOptions, obs cliadapter.Observer, use func(*resources.Service) error) error {
	dir, err := openKeptData(ctx, o)
	if err != nil {
		return err
	}
	if dir != nil {
		defer closing(dir)
	}
	store, err := openKept(ctx, o, dir)
	if err != nil {
		return err
	}
	defer closing(store)
	eng := engine.New()
	opts := []resources.Option{resources.WithTerminology(eng), resources.WithLifecycle(lifecycle(o.Lifecycle))}
	if o.Relaxed {
		opts = append(opts, resources.WithoutValidation())
	}
	svc := resources.NewService(store, eng, opts...)
	if o.Terminology {
		if err := publish(ctx, eng, dir, o.Load, builtIn{base: true}, obs); err != nil {
			return err
		}
		if _, _, err := svc.Restore(ctx); err != nil {
			return fmt.Errorf("read the resource store: %w", err)
		}
	}
	if o.Write {
		if err := svc.Reindex(ctx, nil); err != nil {
			return fmt.Errorf("prepare the resource store for searches: %w", err)
		}
	}
	return use(svc)
}

// lifecycle reads the mode of --lifecycle.
func lifecycle(mode string) resources.Lifecycle {
	switch mode {
	case "warn":
		return resources.WarnLifecycle
	case "off":
		return resources.IgnoreLifecycle
	}
	return resources.EnforceLifecycle
}

// openKeptData opens the data folder of a command on resources. It is nil where there is
// none and none is needed.
func openKeptData(ctx context.Context, o cliadapter.StoreOptions) (*datadir.Dir, error) {
	usage := dataQuery
	if o.Write {
		usage = dataServe
	}
	dir, err := openData(ctx, o.Data, usage, nil)
	if errors.Is(err, fs.ErrNotExist) {
		if o.Store == "" {
			return nil, fmt.Errorf("data folder %s: %w; roget import PATH --data %s stores resources in it", o.Data, fs.ErrNotExist, o.Data)
		}
		return nil, nil
	}
	return dir, err
}

// openKept opens the store: one in a file only to read, unless it is to be written.
func openKept(ctx context.Context, o cliadapter.StoreOptions, dir *datadir.Dir) (resources.Store, error) {
	scheme, path, _ := strings.Cut(o.Store, ":")
	switch {
	case scheme == "memory":
		return nil, &cliadapter.UsageError{Err: errors.New("--store memory: keeps nothing after the command has ended")}
	case o.Write || scheme != "sqlite" && o.Store != "":
		return openStore(ctx, o.Store, dir)
	case o.Store == "":
		path = dir.Path(storeFile)
	}
	store, err := sqlite.OpenReadOnly(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there are no resources in %s: %w; roget import PATH stores some", path, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	return store, nil
}
