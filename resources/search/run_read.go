package search

import (
	"context"

	"github.com/roget-health/roget/resources/index"
)

// costLoad is the cost of loading a record and examining its values, in scanned entries.
const costLoad = 12

// costSeek is the cost of moving to another place of the index, in scanned entries.
const costSeek = 16

// scan is Reader.Scan, with its effort counted.
func (r *run) scan(ctx context.Context, rng index.Range, fn func(entry []byte, seq index.Seq) bool) error {
	return r.reader.Scan(ctx, rng, func(entry []byte, seq index.Seq) bool {
		r.effort++
		return fn(entry, seq)
	})
}

// gather reads up to limit versions of ranges. whole is false if there are more. A version may be
// repeated.
func (r *run) gather(ctx context.Context, ranges []index.Range, limit int) (seqs []index.Seq, whole bool, err error) {
	whole = true
	err = index.ScanMany(ctx, r.reader, ranges, limit+1, func(_ int, _ []byte, seq index.Seq) bool {
		if len(seqs) == limit {
			whole = false
			return false
		}
		seqs = append(seqs, seq)
		return true
	})
	r.effort += len(seqs) + len(ranges)
	return seqs, whole, err
}

// load is Reader.Load, with its effort counted.
func (r *run) load(ctx context.Context, seqs []index.Seq, parts index.Parts) ([]index.Record, error) {
	r.effort += costLoad * len(seqs)
	r.trace.reads(len(seqs))
	return r.reader.Load(ctx, seqs, parts)
}

// find returns the records of keys in the searched state, a zero Record for each that did not
// exist.
func (r *run) find(ctx context.Context, keys []index.Key, parts index.Parts) ([]index.Record, error) {
	r.effort += costLoad * len(keys)
	r.trace.reads(len(keys))
	return FindAt(ctx, r.reader, r.at, keys, parts)
}
