package search

import (
	"cmp"
	"context"
	"slices"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

// run is one search at work on one state.
type run struct {
	searcher *Searcher
	reader   index.Reader
	query    *Query
	at       index.Seq // the state that counts
	env      *Env
	bounds   *bounds

	// all says that every match is wanted, whatever a walk was planned for.
	all bool
	// budget is the effort after which counting ends; 0: none.
	budget int
	// effort is what was done so far: an entry scanned counts 1, a record loaded costLoad.
	effort int
}

// costLoad is what loading a record and looking at its values takes, in entries scanned.
const costLoad = 12

// costSeek is what finding a place in the index takes, in entries scanned.
const costSeek = 16

// spent is the effort so far, that of criteria on other resources included.
func (r *run) spent() int { return r.effort + costLoad*r.env.loaded }

// scan is Reader.Scan, counted.
func (r *run) scan(ctx context.Context, rng index.Range, fn func(entry []byte, seq index.Seq) bool) error {
	return r.reader.Scan(ctx, rng, func(entry []byte, seq index.Seq) bool {
		r.effort++
		return fn(entry, seq)
	})
}

// gather reads the versions of ranges, but no more than most entries; whole is false when
// there are more. A version may come more than once.
func (r *run) gather(ctx context.Context, ranges []index.Range, most int) (seqs []index.Seq, whole bool, err error) {
	whole = true
	err = index.ScanMany(ctx, r.reader, ranges, most+1, func(_ int, _ []byte, seq index.Seq) bool {
		if len(seqs) == most {
			whole = false
			return false
		}
		seqs = append(seqs, seq)
		return true
	})
	r.effort += len(seqs) + len(ranges)
	return seqs, whole, err
}

// load is Reader.Load, counted.
func (r *run) load(ctx context.Context, seqs []index.Seq, parts index.Parts) ([]index.Record, error) {
	r.effort += costLoad * len(seqs)
	return r.reader.Load(ctx, seqs, parts)
}

// field returns a parameter as the key space has it.
func (r *run) field(p *definitions.SearchParam) index.Field { return r.searcher.extractor.Field(p) }

// find returns what keys named in the state that counts; a zero Record where there was none.
func (r *run) find(ctx context.Context, keys []index.Key, parts index.Parts) ([]index.Record, error) {
	r.effort += costLoad * len(keys)
	return FindAt(ctx, r.reader, r.at, keys, parts)
}

// prefetch reads at once what the chains of a type lead to from records.
func (r *run) prefetch(ctx context.Context, of *TypeQuery, records []index.Record) error {
	var keys []index.Key
	for i := range of.Criteria {
		chain := of.Criteria[i].Chain
		if chain == nil {
			continue
		}
		for j := range records {
			for value := range index.NewView(records[j].Values).Param(chain.Param.Number) {
				if key := value.KeyAt(r.query.Bases); key.ID != "" && chain.leadsTo(key.Type) {
					keys = append(keys, key)
				}
			}
		}
	}
	if len(keys) == 0 {
		return nil
	}
	slices.SortFunc(keys, func(a, b index.Key) int { return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.ID, b.ID)) })
	_, err := r.env.find(ctx, slices.Compact(keys))
	return err
}

// leadsTo reports that a chain has a use for resources of a type.
func (c *Chain) leadsTo(typ string) bool {
	return slices.ContainsFunc(c.Targets, func(t Target) bool { return t.Type == typ })
}
