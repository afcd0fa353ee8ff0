package bulk

import (
	"context"
	"errors"
	"io"
	"runtime"
	"sync"
	"time"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources"
	"golang.org/x/sync/errgroup"
)

// A Target is where resources are imported. *resources.Service implements it.
type Target interface {
	Load(ctx context.Context, items []resources.LoadItem) ([]resources.LoadResult, error)
	Transaction(ctx context.Context, b *resources.Bundle, opts resources.TransactionOptions) ([]resources.Outcome, error)
}

// Options configure an import. The zero Options are good defaults.
type Options struct {
	// Workers is the number of batches and bundles that are stored concurrently. Default: one more
	// than there are processors, so that one can wait for the disk while the others work.
	Workers int
	// NewIDs gives resources that a bundle creates (POST) new ids, as over HTTP. Otherwise they
	// keep their ids, so that an import can be repeated.
	NewIDs bool
	// Journal is a file that records the stored files, "" for none. An import skips files that are
	// in it, unchanged, with the same Into. The journal is removed when everything is stored.
	Journal string
	// Into is the name of the store in the journal.
	Into string
	// Stdin is read for the path "-".
	Stdin io.Reader
	// Unparsed lets Each pass resources without Document.
	Unparsed bool
	// Remote opens the file at a URL. Without it, a path that is a URL is an error.
	Remote func(ctx context.Context, url string) (io.ReadCloser, error)
	// Limits bound the input. MaxDocument bounds one resource, or one bundle.
	Limits loader.Limits
	// Progress, if not nil, is called from time to time, never concurrently.
	Progress func(loader.Progress)
	// Warn, if not nil, is called for files in folders that are not read although they may have been
	// meant: pipes, devices, and links out of the folder.
	Warn func(string)
	// Refused, if not nil, is called for resources that were not stored, never concurrently.
	Refused func(Refusal)
}

// A Refusal describes resources that were not stored, and the reason.
type Refusal struct {
	File  string // path
	Place string // in the file: "line 12", "Bundle.entry[3]", or both; "" for the whole file
	Count int    // number of resources
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

// A Report is the summary of an import.
type Report struct {
	Files     int            `json:"files"`     // files that were read
	Done      int            `json:"done"`      // files skipped because they are in the journal
	Other     int            `json:"other"`     // files in folders skipped because of their names
	Stored    int            `json:"stored"`    // resources that were new or changed
	Unchanged int            `json:"unchanged"` // resources whose content was already stored
	Deleted   int            `json:"deleted"`
	Refused   int            `json:"refused"`
	Types     map[string]int `json:"types"` // resources by type, stored or unchanged
	Bytes     int64          `json:"bytes"` // size of the files on disk
	Time      time.Duration  `json:"-"`
}

// maxWaiting is how many bytes of resources may wait for resources that they refer to.
const maxWaiting = 256 << 20

// Import stores the resources in files and folders; "-" is Options.Stdin, and the http or https URL of
// the manifest of a bulk export stands for its files. A file contains one
// resource in JSON or XML, several in sequence, or one a line (.ndjson, .jsonl), and may be
// compressed with gzip. In folders and zip archives only files ending in .json, .ndjson, .jsonl and
// .xml, or one of these with .gz, are read; XML that is not FHIR is skipped.
//
// A Bundle of type transaction is stored as one, all or nothing; the entries of a batch one by one;
// the resources of a collection or searchset, and resources outside bundles, by their ids. Requests
// to read (GET) are skipped. Resources that refer to missing resources by a search
// (Patient?identifier=…) wait until everything else is stored, so the order of files does not
// matter.
//
// An error of the target, the files or ctx ends the import; everything stored so far stays.
// Resources that are refused do not end it.
func Import(ctx context.Context, target Target, paths []string, o Options) (Report, error) {
	return newImporter(ctx, target, o).all(ctx, paths)
}

func newImporter(ctx context.Context, target Target, o Options) *importer {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0) + 1
	}
	m := &importer{target: target, opts: o}
	m.report.Types = map[string]int{}
	m.reading = loader.Begin(ctx, loader.Options{Limits: o.Limits, Progress: o.Progress, Warn: o.Warn})
	return m
}

// all reads and stores everything, and returns the summary.
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
	// judge, if not nil, is called for each document instead of counting it as stored or refused,
	// and bundles are documents.
	judge func(it *item, r *resources.LoadResult)
	// visit, if not nil, is called with each document, including bundles, and nothing is stored.
	visit func(it item) error
	// only, if not "", is the type of all documents, which bundles are, too.
	only string

	mu      sync.Mutex
	report  Report
	waiting []*unit // for resources that they refer to
	bytes   int     // of waiting
	last    bool    // units do not wait any more
}

func (m *importer) run(ctx context.Context, paths []string) (err error) {
	if m.journal, err = openJournal(m.opts.Journal, m.opts.Into); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.journal.close(err == nil && m.report.Refused == 0)) }()
	files, err := m.files(ctx, paths)
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

// refuse counts and reports resources that were not stored.
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
		case o.VersionID == 0: // neither stored nor found
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

// Produce imports the output of a program. produce is called with a writer for NDJSON, concurrently
// with the import. Its context ends when the import does. Otherwise it is like Import of standard
// input. The error may come from produce, too.
func Produce(ctx context.Context, target Target, produce func(ctx context.Context, w io.Writer) error, o Options) (Report, error) {
	ctx, cancel := context.WithCancel(ctx)
	in, out := io.Pipe()
	produced := make(chan error, 1)
	go func() {
		err := produce(ctx, out)
		out.CloseWithError(err)
		produced <- err
	}()
	o.Stdin = in
	report, err := Import(ctx, target, []string{"-"}, o)
	cancel()
	in.CloseWithError(context.Canceled)
	if failed := <-produced; err == nil {
		err = failed
	}
	return report, err
}
