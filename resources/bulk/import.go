package bulk

import (
	"context"
	"errors"
	"io"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources"
)

// Target is what resources are imported into; a *resources.Service is one.
type Target interface {
	Load(ctx context.Context, items []resources.LoadItem) ([]resources.LoadResult, error)
	Transaction(ctx context.Context, b *resources.Bundle, opts resources.TransactionOptions) ([]resources.Outcome, error)
}

// Options say how to import. The zero Options are good defaults.
type Options struct {
	// Workers is how many batches and bundles are stored at a time. Default: one more than
	// there are processors, so that one waits for the medium while the others work.
	Workers int
	// NewIDs lets resources that a bundle creates (POST) get new ids, as they would over HTTP.
	// Otherwise they keep the ids they have, so that an import can be repeated.
	NewIDs bool
	// Journal is a file that records what is done, "" for none. An import that finds files in
	// it, unchanged, with the same Into passes over them. It is removed when all is stored.
	Journal string
	// Into names the store in the journal.
	Into string
	// Stdin is what the path "-" reads.
	Stdin io.Reader
	// Limits bound what is read. MaxDocument bounds one resource, or one bundle.
	Limits loader.Limits
	// Progress, when not nil, is called now and then, never by two goroutines at a time.
	Progress func(loader.Progress)
	// Refused, when not nil, is called for what was not stored, never by two goroutines at a time.
	Refused func(Refusal)
}

// Refusal tells what was not stored, and why.
type Refusal struct {
	File  string // path
	Place string // in the file: "line 12", "Bundle.entry[3]", or both; "" for all of it
	Count int    // how many resources
	Err   error
}

// Error returns place and cause.
func (r *Refusal) Error() string {
	if r.Place == "" {
		return r.File + ": " + r.Err.Error()
	}
	return r.File + ": " + r.Place + ": " + r.Err.Error()
}

// Unwrap returns the cause.
func (r *Refusal) Unwrap() error { return r.Err }

// Report tells what an import has done.
type Report struct {
	Files     int            `json:"files"`     // that were read
	Done      int            `json:"done"`      // files passed over: the journal has them
	Other     int            `json:"other"`     // files of folders passed over for their names
	Stored    int            `json:"stored"`    // resources that were new, or changed
	Unchanged int            `json:"unchanged"` // resources that were there already, just so
	Deleted   int            `json:"deleted"`
	Refused   int            `json:"refused"`
	Types     map[string]int `json:"types"` // resources by type, stored or unchanged
	Bytes     int64          `json:"bytes"` // of the files, as stored
	Time      time.Duration  `json:"-"`
}

// maxWaiting is how many bytes of resources may wait for what they refer to.
const maxWaiting = 256 << 20

// Import stores what is in files and folders, "-" for Options.Stdin. A file holds one
// resource, several one after the other, or one a line (.ndjson, .jsonl), and may be
// compressed with gzip; of folders and zip archives only files ending in .json, .ndjson and
// .jsonl, or these with .gz, are read.
//
// A Bundle of type transaction is stored as such, all or nothing; the entries of a batch one
// by one; the resources of a collection or searchset by their ids, as is a resource that
// stands alone. Requests to read (GET) are left out. What refers to resources that are not
// there yet by a search (Patient?identifier=…) waits until all else is stored, so the order of
// files does not matter.
//
// The error is of the target, the files or ctx, and ends the import: what was stored until
// then stays. Resources that are refused end nothing.
func Import(ctx context.Context, target Target, paths []string, o Options) (Report, error) {
	return newImporter(ctx, target, o).all(ctx, paths)
}

func newImporter(ctx context.Context, target Target, o Options) *importer {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0) + 1
	}
	m := &importer{target: target, opts: o}
	m.report.Types = map[string]int{}
	m.reading = loader.Begin(ctx, loader.Options{Limits: o.Limits, Progress: o.Progress})
	return m
}

// all reads and stores everything, and sums up.
func (m *importer) all(ctx context.Context, paths []string) (Report, error) {
	began := time.Now()
	err := errors.Join(m.run(ctx, paths), m.reading.Close())
	m.report.Time = time.Since(began)
	m.report.Bytes = m.reading.Progress().BytesRead
	return m.report, err
}

// An importer is one call of Import.
type importer struct {
	target  Target
	opts    Options
	reading *loader.Reading
	journal *journal
	units   chan *unit
	// judge, when not nil, is told of each document instead of what is stored and refused,
	// and bundles are documents.
	judge func(it *item, r *resources.LoadResult)
	// visit, when not nil, is given each document, bundles among them, and that is all.
	visit func(it item) error

	mu      sync.Mutex
	report  Report
	waiting []*unit // for what they refer to
	bytes   int     // of waiting
	last    bool    // nothing waits any more
}

func (m *importer) run(ctx context.Context, paths []string) (err error) {
	if m.journal, err = openJournal(m.opts.Journal, m.opts.Into); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.journal.close(err == nil && m.report.Refused == 0)) }()
	files, err := m.files(paths)
	if err != nil {
		return err
	}
	if err := m.storeAll(ctx, func(ctx context.Context) error { return m.read(ctx, files) }); err != nil {
		return err
	}
	for {
		m.mu.Lock()
		waited, stored := m.waiting, m.report.Stored
		m.waiting, m.bytes = nil, 0
		m.mu.Unlock()
		if len(waited) == 0 {
			return nil
		}
		err := m.storeAll(ctx, func(ctx context.Context) error {
			for _, u := range waited {
				if err := m.send(ctx, u); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		m.last = m.report.Stored == stored
	}
}

// storeAll stores the units that produce sends.
func (m *importer) storeAll(ctx context.Context, produce func(ctx context.Context) error) error {
	m.units = make(chan *unit)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer close(m.units)
		return produce(ctx)
	})
	for range m.opts.Workers {
		g.Go(func() error {
			for u := range m.units {
				if err := m.store(ctx, u); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// send hands a unit to a worker.
func (m *importer) send(ctx context.Context, u *unit) error {
	select {
	case m.units <- u:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// refuse counts and tells what was not stored.
func (m *importer) refuse(r Refusal, f *source) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.report.Refused += r.Count
	f.refused.Store(true)
	if m.opts.Refused != nil {
		m.opts.Refused(r)
	}
}

// stored counts outcomes.
func (m *importer) stored(outcomes []resources.Outcome) {
	n := 0
	m.mu.Lock()
	for i := range outcomes {
		o := &outcomes[i]
		switch {
		case o.VersionID == 0: // nothing to tell
			continue
		case o.Deleted:
			m.report.Deleted++
			continue
		case o.Changed:
			m.report.Stored++
		default:
			m.report.Unchanged++
		}
		n++
		m.report.Types[o.Type]++
	}
	m.mu.Unlock()
	m.reading.Count(0, n, 0)
}
