package backend

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
	"github.com/roget-health/roget/engine/closure"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
)

// Resources opens the resource store of a command and passes a service on it to use.
func (Backend) Resources(ctx context.Context, o cliadapter.StoreOptions, obs cliadapter.Observer, use func(*resources.Service) error) error {
	return withStored(ctx, o, obs, func(_ resources.Store, _ *engine.Engine, svc *resources.Service) error { return use(svc) })
}

// Closures opens the resource store of a command and passes its closure tables to use.
func (Backend) Closures(ctx context.Context, o cliadapter.StoreOptions, obs cliadapter.Observer, use func(operation.Closures) error) error {
	return withStored(ctx, o, obs, func(store resources.Store, eng *engine.Engine, _ *resources.Service) error {
		return use(closuresIn(store, eng))
	})
}

// closuresIn returns the closure tables in a store; nil if the store cannot keep any.
func closuresIn(store resources.Store, eng *engine.Engine) operation.Closures {
	journal, ok := store.(resources.Journaler)
	if !ok {
		return nil
	}
	return closure.New(eng, journal, closure.Limits{}, nil)
}

// withStored opens the resource store of a command.
func withStored(ctx context.Context, o cliadapter.StoreOptions, obs cliadapter.Observer, use func(resources.Store, *engine.Engine, *resources.Service) error) error {
	var store resources.Store
	var err error
	if isPostgres(o.Store) { // first, so that a database that is down leaves no new data folder
		if store, err = openStore(ctx, o.Store, nil, nil); err != nil {
			return err
		}
		defer closing(store)
	}
	dir, err := openStoredData(ctx, o)
	if err != nil {
		return err
	}
	if dir != nil {
		defer closing(dir)
	}
	if store == nil {
		if store, err = openStored(ctx, o, dir); err != nil {
			return err
		}
		defer closing(store)
	}
	eng := engine.New()
	opts := []resources.Option{resources.WithTerminology(eng), resources.WithLifecycle(lifecycle(o.Lifecycle))}
	if o.Profiles {
		opts = append(opts, resources.WithProfiles())
	}
	if o.Relaxed {
		opts = append(opts, resources.WithoutValidation())
	}
	svc := resources.NewService(store, eng, opts...)
	if o.Terminology {
		if _, err := publish(ctx, eng, dir, o.Load, builtIn{base: true}, obs); err != nil {
			return err
		}
		if _, _, err := svc.Restore(ctx); err != nil {
			return fmt.Errorf("read the resource store: %w", err)
		}
	}
	if err := svc.OpenIndex(ctx, o.Write); err != nil {
		return fmt.Errorf("open the resource store: %w", err)
	}
	if o.Write {
		if err := svc.Reindex(ctx, nil); err != nil {
			return fmt.Errorf("index the resource store: %w", err)
		}
	}
	return use(store, eng, svc)
}

// lifecycle returns the mode that the flag --lifecycle names.
func lifecycle(mode string) resources.Lifecycle {
	switch mode {
	case "warn":
		return resources.WarnLifecycle
	case "off":
		return resources.IgnoreLifecycle
	}
	return resources.EnforceLifecycle
}

// openStoredData opens the data folder of a command on resources. It returns nil when the
// folder does not exist and the store is elsewhere.
func openStoredData(ctx context.Context, o cliadapter.StoreOptions) (*datadir.Dir, error) {
	usage := dataQuery
	if o.Write {
		usage = dataServe
	}
	dir, err := openData(ctx, o.Data, usage, nil)
	if errors.Is(err, fs.ErrNotExist) {
		if o.Store == "" {
			return nil, absentf("the data folder %s does not exist; roget import PATH --data %s makes it and stores resources in it", o.Data, o.Data)
		}
		return nil, nil
	}
	return dir, err
}

// openKept opens the store of a command. A SQLite file is opened read-only unless the
// command writes.
func openStored(ctx context.Context, o cliadapter.StoreOptions, dir *datadir.Dir) (resources.Store, error) {
	scheme, path, _ := strings.Cut(o.Store, ":")
	switch {
	case scheme == "memory":
		return nil, &cliadapter.UsageError{Err: errors.New("--store memory: is empty when a command starts and discarded when it ends; name sqlite:PATH or postgres://HOST/NAME, or leave out --store for the store of the data folder")}
	case o.Write || scheme != "sqlite" && o.Store != "":
		return openStore(ctx, o.Store, dir, nil)
	case o.Store == "":
		path = dir.Path(storeFile)
	}
	store, err := sqlite.OpenReadOnly(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, absentf("%s does not exist: no resources are stored yet; roget import PATH stores some", path)
	}
	if err != nil {
		return nil, err
	}
	return store, nil
}
