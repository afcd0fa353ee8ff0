package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/bulk"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/validate"
)

// An Input is a file to import: NDJSON with resources of one type.
type Input struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

// A Remote reads files of other hosts.
type Remote interface {
	// Check returns an error with the remedy for a URL that may not be read.
	Check(url string) error
	// Open opens the file at a URL.
	Open(ctx context.Context, url string) (io.ReadCloser, error)
}

// ImportOptions are the settings of imports.
type ImportOptions struct {
	Target bulk.Target // where resources are stored
	Remote Remote
	// MaxResource is the maximum size of a resource in bytes; default 256 MiB.
	MaxResource int
	// Reserve, if not nil, waits for the memory for work on bodies.
	Reserve func(ctx context.Context, bodies [][]byte) (release func(), err error)
}

const (
	maxInputs = 1000 // files of an import
	maxURL    = 4096 // bytes
	maxIssues = 20   // errors about one resource
)

// errUnchecked is the error of an import that needs a grant and continues in another process.
var errUnchecked = errors.New("the server was restarted, and cannot check the permissions of the request any more; send the request again")

// check returns an *InvalidError unless files can be imported.
func (o *ImportOptions) check(inputs []Input) error {
	if n := len(inputs); n == 0 || n > maxInputs {
		return &InvalidError{"input", fmt.Sprintf("%d files; name at least one and at most %d", n, maxInputs)}
	}
	for i, in := range inputs {
		if len(in.URL) > maxURL {
			return &InvalidError{"input.url", fmt.Sprintf("that of file %d has %d bytes; at most %d are allowed", i+1, len(in.URL), maxURL)}
		}
		if err := o.Remote.Check(in.URL); err != nil {
			return &InvalidError{"input.url", fmt.Sprintf("%q: %v", clip(in.URL), err)}
		}
	}
	return nil
}

// importing is an import that is being done. Resources are refused while others are stored.
type importing struct {
	*run
	mu     sync.Mutex // for run
	failed error      // the first error of writing
}

// do imports files, from the one where the job stands.
func (m *importing) do(ctx context.Context) error {
	q := &m.job.Request
	if q.TokenNeeded && m.entry.grant == nil {
		return errUnchecked
	}
	for m.job.Section < len(q.Inputs) {
		if err := m.input(ctx, q.Inputs[m.job.Section]); err != nil {
			return err
		}
		m.job.Section++
		if err := m.save(); err != nil {
			return err
		}
	}
	return nil
}

// input imports a file from its start.
func (m *importing) input(ctx context.Context, in Input) error {
	o, at := &m.jobs.options.Import, m.job.Section
	m.job.Counts[at] = 0
	m.job.Files = slices.DeleteFunc(m.job.Files, func(f File) bool { return f.Input == at })
	_, err := bulk.Lines(ctx, m, in.Type, in.URL, bulk.Options{
		Workers: 1, Remote: o.Remote.Open, Limits: loader.Limits{MaxDocument: o.MaxResource}, Refused: m.refused,
	})
	return errors.Join(err, m.failed, m.close())
}

// Transaction implements bulk.Target. Lines of a file are no transactions.
func (m *importing) Transaction(context.Context, *resources.Bundle, resources.TransactionOptions) ([]resources.Outcome, error) {
	return nil, resources.ErrBundle
}

// Load implements bulk.Target.
func (m *importing) Load(ctx context.Context, items []resources.LoadItem) ([]resources.LoadResult, error) {
	o := &m.jobs.options.Import
	if o.Reserve != nil {
		bodies := make([][]byte, len(items))
		for i := range items {
			bodies[i] = items[i].Body
		}
		release, err := o.Reserve(ctx, bodies)
		if err != nil {
			return nil, err
		}
		defer release()
	}
	results, err := o.Target.Load(ctx, items)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range results {
		if results[i].Err == nil {
			m.job.Counts[m.job.Section]++
		}
	}
	if time.Since(m.saved) >= saveEvery {
		err = m.save()
	}
	return results, errors.Join(err, m.failed)
}

// refused writes why a resource was not stored. Of a file with more errors than a file may have, the
// others are only counted.
func (m *importing) refused(r bulk.Refusal) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failed != nil {
		return
	}
	if m.file == nil {
		at := m.job.Section
		m.failed = m.create(File{Name: fmt.Sprintf("OperationOutcome.%d.ndjson", at+1), Type: "OperationOutcome", Input: at})
		if m.failed != nil {
			return
		}
	}
	f := &m.job.Files[len(m.job.Files)-1]
	if f.Count++; f.Bytes < m.jobs.options.MaxFile {
		var n int
		n, m.failed = m.out.Write(append(outcomeOf(&r).AppendJSON(nil), '\n'))
		f.Bytes += int64(n)
	}
}

// outcomeOf returns why a resource was not stored, with its line.
func outcomeOf(r *bulk.Refusal) *r4.OperationOutcome {
	outcome := &r4.OperationOutcome{}
	if invalid, ok := errors.AsType[*validate.Invalid](r.Err); ok {
		for _, found := range invalid.Issues {
			if found.Severity == validate.Error && len(outcome.Issue) < maxIssues {
				outcome.Issue = append(outcome.Issue, found.R4())
			}
		}
	} else {
		outcome.Issue = []r4.Issue{{Severity: "error", Code: "processing", Diagnostics: r.Err.Error()}}
	}
	if r.Place != "" {
		for i := range outcome.Issue {
			outcome.Issue[i].Diagnostics = r.Place + ": " + outcome.Issue[i].Diagnostics
		}
	}
	return outcome
}
