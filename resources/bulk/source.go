package bulk

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/fhirxml"
	"github.com/roget-health/roget/resources/r4"
)

const (
	batchCount = 500     // documents stored at a time
	batchBytes = 1 << 20 // or this many bytes of them
)

// A source is a file to read.
type source struct {
	loader.File
	stdin   bool
	remote  bool // at the URL that is its path
	found   bool // in a folder or archive, not named by the caller
	xml     bool
	pending atomic.Int64 // units with a part of it, plus the reader
	refused atomic.Bool
}

// String returns the path for messages.
func (f *source) String() string { return f.Origin.String() }

// files lists the files to read.
func (m *importer) files(ctx context.Context, paths []string) ([]*source, error) {
	var list []*source
	for _, path := range paths {
		if path == "-" {
			list = append(list, &source{stdin: true, File: loader.File{Name: "-", Origin: loader.Origin{Path: "standard input"}}})
			continue
		}
		if m.only != "" {
			list = append(list, remoteFile(loader.Origin{Path: path}))
			continue
		}
		if IsURL(path) {
			remote, err := m.remoteFiles(ctx, path)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			list = append(list, remote...)
			continue
		}
		found, err := m.reading.Files(path)
		if err != nil {
			return nil, err
		}
		for _, file := range found {
			alone := len(found) == 1 && file.Origin.Path == path && file.Origin.Entry == ""
			if _, named := lines(file.Name); !alone && !named {
				m.report.Other++
				continue
			}
			if m.journal.has(file.Origin) {
				m.report.Done++
				continue
			}
			m.reading.Expect(file.Size)
			list = append(list, &source{File: file, found: !alone})
		}
	}
	m.report.Files = len(list)
	return list, nil
}

// lines reports whether the name of a file means that it has a resource a line; named reports
// whether it is any of the names of files with resources.
func lines(name string) (yes, named bool) {
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	yes = strings.HasSuffix(name, ".ndjson") || strings.HasSuffix(name, ".jsonl")
	return yes, yes || strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".xml")
}

// read reads files, several concurrently.
func (m *importer) read(ctx context.Context, files []*source) error {
	queue := make(chan *source)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer close(queue)
		for _, f := range files {
			select {
			case queue <- f:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	for range min(runtime.GOMAXPROCS(0), max(len(files), 1)) {
		g.Go(func() error {
			b := &batcher{m: m}
			for f := range queue {
				f.pending.Add(1)
				err := b.file(ctx, f)
				if err != nil {
					return err
				}
				m.release(f)
			}
			return b.flush(ctx)
		})
	}
	return g.Wait()
}

// release decrements the pending units of a file, and records it once everything is stored.
func (m *importer) release(f *source) {
	if f.pending.Add(-1) == 0 && !f.refused.Load() && !f.stdin {
		m.journal.add(f.Origin)
	}
}

// A batcher reads files and gathers single documents in batches.
type batcher struct {
	m     *importer
	batch *unit
	bytes int
}

func (b *batcher) file(ctx context.Context, f *source) error {
	in, err := b.open(ctx, f)
	if err != nil {
		b.m.refuse(Refusal{File: f.String(), Count: 1, Err: err}, f)
		return nil
	}
	defer func() { _ = in.Close() }() // only read from
	if yes, _ := lines(f.Name); yes {
		return b.lines(ctx, f, in)
	}
	text := bufio.NewReaderSize(in, 4096)
	switch head, _ := text.Peek(4096); {
	case isTar(head):
		return b.archive(ctx, f, text)
	case fhirxml.IsXML(head):
		return b.xml(ctx, f, text)
	}
	return b.values(ctx, f, text)
}

func (b *batcher) open(ctx context.Context, f *source) (io.ReadCloser, error) {
	if f.remote {
		return b.download(ctx, f)
	}
	if !f.stdin {
		return b.m.reading.Open(&f.File)
	}
	if b.m.opts.Stdin == nil {
		return nil, errors.New("no standard input is available")
	}
	return b.m.reading.Stream(b.m.opts.Stdin, f.Origin)
}

// lines reads a resource a line.
func (b *batcher) lines(ctx context.Context, f *source, in io.Reader) error {
	r := bufio.NewReaderSize(in, 256<<10)
	limit := b.m.reading.Limits().MaxDocument
	for number := 1; ; number++ {
		text, err := line(r, limit)
		if text = bytes.TrimSpace(text); len(text) > 0 {
			if err := b.add(ctx, f, fmt.Sprintf("line %d", number), text); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return b.broken(ctx, f, fmt.Sprintf("line %d", number), err)
		}
	}
}

// line reads up to the end of a line. The caller owns the text. io.EOF is returned with the last
// line.
func line(r *bufio.Reader, limit int) ([]byte, error) {
	var text []byte
	for {
		part, err := r.ReadSlice('\n')
		text = append(text, part...)
		switch {
		case len(text) > limit:
			return nil, fmt.Errorf("%w: a resource has more than %d bytes", loader.ErrTooLarge, limit)
		case !errors.Is(err, bufio.ErrBufferFull):
			return text, err
		}
	}
}

// values reads a sequence of JSON values.
func (b *batcher) values(ctx context.Context, f *source, in io.Reader) error {
	var s r4.Scanner
	s.Reset(in, r4.Limits{MaxBytes: b.m.reading.Limits().MaxBytes})
	for s.More() {
		place := ""
		if line := s.Line(); line > 1 {
			place = fmt.Sprintf("line %d", line)
		}
		text := s.Raw(b.m.reading.Limits().MaxDocument)
		if s.Err() != nil {
			break
		}
		if err := b.add(ctx, f, place, bytes.Clone(text)); err != nil {
			return err
		}
	}
	if err := s.Err(); err != nil {
		return b.broken(ctx, f, "", err)
	}
	return nil
}

// broken refuses the rest of a file.
func (b *batcher) broken(ctx context.Context, f *source, place string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	b.m.refuse(Refusal{File: f.String(), Place: place, Count: 1, Err: err}, f)
	return nil
}

// add adds a resource: a bundle as such, others to the batch.
func (b *batcher) add(ctx context.Context, f *source, place string, text []byte) error {
	alone := item{source: f, place: place, LoadItem: resources.LoadItem{Body: text}}
	if b.m.visit != nil {
		return b.m.visit(alone)
	}
	if b.m.only != "" {
		if err := b.m.accept(text); err != nil {
			return b.broken(ctx, f, place, err)
		}
		return b.document(ctx, alone)
	}
	if b.m.judge != nil || !bytes.Contains(text, []byte(`"Bundle"`)) {
		return b.document(ctx, alone)
	}
	if typ, _ := keyOf(text); typ != "Bundle" {
		return b.document(ctx, alone)
	}
	bundle, err := resources.ParseBundle(text)
	switch {
	case err != nil:
		return b.broken(ctx, f, place, err)
	case bundle.Type == "history":
		return b.broken(ctx, f, place, fmt.Errorf("%w: a history cannot be imported", resources.ErrBundle))
	case slices.Contains([]string{"transaction", "batch", "collection", "searchset"}, bundle.Type):
		return b.bundle(ctx, f, place, bundle)
	}
	return b.document(ctx, alone) // a document or message is itself a resource
}

// bundle adds the entries of a bundle.
func (b *batcher) bundle(ctx context.Context, f *source, place string, bundle *resources.Bundle) error {
	switch {
	case bundle.Type == "transaction":
		return b.unit(ctx, f, place, requests(bundle, b.m.opts.NewIDs))
	case bundle.Type != "batch" && linked(bundle):
		return b.unit(ctx, f, place, collected(bundle))
	}
	for i := range bundle.Entries {
		e := &bundle.Entries[i]
		it, ok := resources.LoadItem{Body: e.Resource}, e.Resource != nil
		if bundle.Type == "batch" {
			if it, ok = alone(e, b.m.opts.NewIDs); !ok {
				one := requests(&resources.Bundle{Entries: bundle.Entries[i : i+1]}, b.m.opts.NewIDs)
				for j := range one.numbers {
					one.numbers[j] = i
				}
				if err := b.unit(ctx, f, place, one); err != nil {
					return err
				}
			}
		}
		if !ok {
			continue
		}
		if err := b.document(ctx, item{source: f, place: within(place, i), LoadItem: it}); err != nil {
			return err
		}
	}
	return nil
}

// unit sends a bundle that is stored as one.
func (b *batcher) unit(ctx context.Context, f *source, place string, u *unit) error {
	if len(u.bundle.Entries) == 0 {
		return nil
	}
	u.source, u.place = f, place
	f.pending.Add(1)
	return b.m.send(ctx, u)
}

// document adds a document to the batch.
func (b *batcher) document(ctx context.Context, it item) error {
	if b.batch == nil {
		b.batch = &unit{}
	}
	it.pending.Add(1)
	b.batch.documents = append(b.batch.documents, it)
	b.bytes += len(it.Body)
	if len(b.batch.documents) >= batchCount || b.bytes >= batchBytes {
		return b.flush(ctx)
	}
	return nil
}

func (b *batcher) flush(ctx context.Context) error {
	if b.batch == nil {
		return nil
	}
	u := b.batch
	b.batch, b.bytes = nil, 0
	return b.m.send(ctx, u)
}
