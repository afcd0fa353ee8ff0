package index

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/roget-health/roget/budget"
)

// PageBytes is the default size of the documents, in bytes, after which a page ends early.
const PageBytes = 64 << 20

// Weigh works in two steps, so that most pages are read with one query: it reads small documents
// together with their sizes, smallChunk at a time, until it has smallBytes of them, and of all
// others the size only, sizeChunk at a time.
const (
	smallChunk = 50
	smallBytes = 128 << 10
	sizeChunk  = 1000
)

// fillBytes is the size of the documents that Fill loads at a time, unless one is larger.
const fillBytes = 1 << 20

// ErrDamaged is returned if stored data is not what was written.
var ErrDamaged = errors.New("stored data is damaged")

// Weigh loads versions with the sizes of their documents, up to and including the one that brings
// the size to maxBytes, so at least one. It returns the size in bytes. Small documents may have
// been loaded; Fill loads the others. The versions are those that r has led to: it returns
// ErrDamaged if one is not there.
func Weigh(ctx context.Context, r Reader, seqs []Seq, maxBytes int) (records []Record, size int, err error) {
	return weigh(ctx, r.Load, seqs, maxBytes)
}

// WeighLast is Weigh, after which nothing but Fill is read from r.
func WeighLast(ctx context.Context, r Reader, seqs []Seq, maxBytes int) (records []Record, size int, err error) {
	load := r.Load
	if last, can := r.(LastLoader); can && len(seqs) <= smallChunk {
		load = last.LoadLast
	}
	return weigh(ctx, load, seqs, maxBytes)
}

func weigh(ctx context.Context, load func(context.Context, []Seq, Parts) ([]Record, error), seqs []Seq, maxBytes int) (records []Record, size int, err error) {
	parts, n := WithSmallBody, smallChunk
	for len(records) < len(seqs) && size < maxBytes {
		rest := seqs[len(records):]
		batch, err := load(ctx, rest[:min(n, len(rest))], parts)
		if err != nil {
			return nil, 0, err
		}
		for i := range batch {
			if batch[i].Seq == 0 {
				return nil, 0, fmt.Errorf("seq %d: %w: the document of the version is missing", rest[i], ErrDamaged)
			}
			if size += batch[i].Size; size >= maxBytes {
				batch = batch[:i+1]
				break
			}
		}
		if records == nil && len(batch) == len(seqs) {
			return batch, size, nil
		}
		records = append(records, batch...)
		if size >= smallBytes {
			parts, n = WithSize, sizeChunk
		}
	}
	return records, size, nil
}

// missing reports whether the document of a record was left out because of its size.
func (r *Record) missing() bool { return r.Body == nil && r.Size > 0 && !r.Deleted }

// ErrForgotten is returned for a version that was removed while its page was read.
var ErrForgotten = errors.New("a resource was removed because of its age while it was read; repeat the request")

// Fill loads the documents that Weigh left out, a few at a time, and looks at ctx in between.
// Versions do not change, so r may be a reader of a later state, unless it has removed one.
func Fill(ctx context.Context, r Reader, records []Record) error {
	var seqs []Seq
	var at []int
	size := 0
	load := func() error {
		if len(seqs) == 0 {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		loaded, err := r.Load(ctx, seqs, WithBody)
		if err != nil {
			return err
		}
		for i := range loaded {
			if loaded[i].Seq == 0 {
				return fmt.Errorf("%s/%s: %w", records[at[i]].Type, records[at[i]].ID, ErrForgotten)
			}
			records[at[i]].Body = loaded[i].Body
		}
		seqs, at, size = seqs[:0], at[:0], 0
		return nil
	}
	for i := range records {
		if !records[i].missing() {
			continue
		}
		if size+records[i].Size > fillBytes {
			if err := load(); err != nil {
				return err
			}
		}
		seqs, at, size = append(seqs, records[i].Seq), append(at, i), size+records[i].Size
	}
	return load()
}

// Missing reports whether Fill has anything to load.
func Missing(records []Record) bool {
	for i := range records {
		if records[i].missing() {
			return true
		}
	}
	return false
}

// Weight returns the memory in bytes that the documents of records need while they are written:
// all of them, and two copies of the largest, in the store and in the response.
func Weight(records []Record) int64 {
	sum, largest := 0, 0
	for i := range records {
		sum, largest = sum+records[i].Size, max(largest, records[i].Size)
	}
	return int64(sum) + 2*int64(largest)
}

// Forget drops the values of a record, and gives back the memory that the store has borrowed for them.
func (r *Record) Forget(ctx context.Context) {
	budget.Repay(ctx, int64(len(r.Values)))
	r.Values = nil
}

// LoadBodies loads versions with their documents within a transaction. It does not wait for memory,
// as others wait for the transaction, but returns budget.ErrBusy.
func LoadBodies(ctx context.Context, r Reader, seqs []Seq) ([]Record, error) {
	records, _, err := Weigh(ctx, r, seqs, math.MaxInt)
	if err == nil && Missing(records) {
		if err = budget.Try(ctx, Weight(records)); err == nil {
			err = Fill(ctx, r, records)
		}
	}
	return records, err
}
