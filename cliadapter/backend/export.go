package backend

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"

	"github.com/roget-health/roget/adapters/subscriptions"
	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/httpadapter"
	"github.com/roget-health/roget/resources/export"
)

// checkImports returns an error, and the flag that it is about, for options of imports that are wrong.
func checkImports(o *cliadapter.ExportOptions) (flag string, err error) {
	if err := subscriptions.Hosts(o.ImportHosts).Check(); err != nil {
		return "import-hosts", err
	}
	switch {
	case o.Imports == "" && len(o.ImportHosts) > 0:
		return "import-hosts", errors.New("name a folder for imports, too, with --imports")
	case o.Imports != "" && len(o.ImportHosts) == 0:
		return "imports", errors.New("name the hosts whose files may be imported with --import-hosts")
	case o.Imports != "" && o.Folder != "" && filepath.Clean(o.Imports) == filepath.Clean(o.Folder):
		return "imports", errors.New("this is the folder of --exports; name another one")
	}
	return "", nil
}

// openJobs opens the folders of exports and imports, before the store is maintained: exports that are
// under way hold the state that they show. Those that there are no folders for are nil.
func (s *Service) openJobs(o *cliadapter.ServeOptions) (exports, imports httpadapter.Jobs, err error) {
	open := func(flag, folder string, in export.ImportOptions) (httpadapter.Jobs, error) {
		if folder == "" {
			return nil, nil
		}
		jobs, err := export.Open(folder, s.resources, export.Options{Keep: o.Exports.Keep, Log: o.Logger, Import: in})
		if err != nil {
			return nil, fmt.Errorf("the folder of --%s: %w", flag, err)
		}
		s.jobs = append(s.jobs, jobs)
		s.fact(slog.String(flag, folder))
		return jobs, nil
	}
	if exports, err = open("exports", o.Exports.Folder, export.ImportOptions{}); err != nil {
		return nil, nil, err
	}
	imports, err = open("imports", o.Exports.Imports, export.ImportOptions{
		Target: s.resources, Remote: cliadapter.NewRemote("import-hosts", o.Exports.ImportHosts), MaxResource: int(o.MaxBody),
		Reserve: func(ctx context.Context, bodies [][]byte) (release func(), err error) {
			return s.handler.Reserve(ctx, bodies)
		},
	})
	return exports, imports, err
}

// startJobs runs exports and imports in the background, one of each at a time. The returned function
// interrupts them and waits.
func (s *Service) startJobs(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	for _, jobs := range s.jobs {
		group.Go(func() { jobs.Run(ctx) })
	}
	return func() {
		cancel()
		group.Wait()
	}
}
