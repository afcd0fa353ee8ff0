// Package searchtest is for tests of searches. It contains a store of a few documents in memory,
// and the table of searches with their expected results (Rows), which every store is tested with.
package searchtest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/r4"
)

// A Reader is an index.Reader over versions that are added one by one. It must not be used
// concurrently while versions are added.
type Reader struct {
	extractor *index.Extractor
	known     index.Vocabulary
	records   []index.Record // ascending by Seq
	newest    map[index.Key]int
	entries   []entry
	sorted    bool
}

type entry struct {
	bytes []byte
	seq   index.Seq
}

// NewReader returns an empty Reader.
func NewReader(t *definitions.Tables) *Reader {
	return &Reader{extractor: index.NewExtractor(t), newest: map[index.Key]int{}}
}

// Add stores a document, which must have an id, as a new version at a time that is not before the
// last one. It returns its Seq.
func (r *Reader) Add(body []byte, at time.Time) (index.Seq, error) {
	d, err := document.Parse(body, r4.Limits{})
	if err != nil {
		return 0, err
	}
	values, err := r.extractor.Extract(d)
	if err != nil {
		return 0, fmt.Errorf("values of %s: %w", d.ResourceType(), err)
	}
	rec := index.Record{
		Type: d.ResourceType(), ID: d.Root().Get("id").Text(),
		Values: values.Append(nil), Body: bytes.Clone(body),
	}
	seq := r.write(rec, at)
	for _, e := range values.Entries(&r.known) {
		r.entries = append(r.entries, entry{e, seq})
	}
	terms := values.Terms(&r.known)
	for _, e := range terms {
		r.entries = append(r.entries, entry{e, 0})
	}
	r.known.Add(terms)
	r.sorted = false
	return seq, nil
}

// Delete stores a deletion.
func (r *Reader) Delete(key index.Key, at time.Time) index.Seq {
	return r.write(index.Record{Type: key.Type, ID: key.ID, Deleted: true}, at)
}

// write numbers a version and ends the previous one.
func (r *Reader) write(rec index.Record, at time.Time) index.Seq {
	rec.Seq, rec.Until, rec.VersionID = index.SeqAt(at), index.Current, 1
	if n := len(r.records); n > 0 && r.records[n-1].Seq >= rec.Seq {
		rec.Seq = r.records[n-1].Seq + 1
	}
	rec.LastUpdated = rec.Seq.Time()
	key := index.Key{Type: rec.Type, ID: rec.ID}
	if i, found := r.newest[key]; found {
		r.records[i].Until = rec.Seq
		rec.VersionID = r.records[i].VersionID + 1
	}
	r.newest[key] = len(r.records)
	r.records = append(r.records, rec)
	return rec.Seq
}

// At returns the Seq of the last version.
func (r *Reader) At() index.Seq {
	if len(r.records) == 0 {
		return 0
	}
	return r.records[len(r.records)-1].Seq
}

func compareEntries(a, b entry) int {
	if c := bytes.Compare(a.bytes, b.bytes); c != 0 {
		return c
	}
	return cmp.Compare(a.seq, b.seq)
}

// Scan implements index.Reader.
func (r *Reader) Scan(ctx context.Context, rng index.Range, fn func(entry []byte, seq index.Seq) bool) error {
	if !r.sorted {
		slices.SortFunc(r.entries, compareEntries)
		r.sorted = true
	}
	low, _ := slices.BinarySearchFunc(r.entries, entry{rng.From, -1 << 62}, compareEntries)
	high := len(r.entries)
	if rng.To != nil {
		high, _ = slices.BinarySearchFunc(r.entries, entry{rng.To, -1 << 62}, compareEntries)
	}
	part := r.entries[low:max(low, high)]
	if rng.Reverse {
		part = slices.Clone(part)
		slices.Reverse(part)
	}
	for _, e := range part {
		if rng.After != nil {
			c := compareEntries(e, entry{rng.After, rng.AfterSeq})
			if !rng.Reverse && c <= 0 || rng.Reverse && c >= 0 {
				continue
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if !fn(e.bytes, e.seq) {
			return nil
		}
	}
	return nil
}

// part removes from a record what was not requested.
func part(rec index.Record, parts index.Parts) index.Record {
	if parts&index.WithValues == 0 {
		rec.Values = nil
	}
	rec.Size = len(rec.Body)
	if parts&index.WithBody == 0 && (parts&index.WithSmallBody == 0 || rec.Size > index.SmallBody) {
		rec.Body = nil
	}
	return rec
}

// Load implements index.Reader.
func (r *Reader) Load(ctx context.Context, seqs []index.Seq, parts index.Parts) ([]index.Record, error) {
	out := make([]index.Record, len(seqs))
	for i, seq := range seqs {
		at, found := slices.BinarySearchFunc(r.records, seq, func(rec index.Record, seq index.Seq) int { return cmp.Compare(rec.Seq, seq) })
		if found {
			out[i] = part(r.records[at], parts)
		}
	}
	return out, ctx.Err()
}

// Find implements index.Reader.
func (r *Reader) Find(ctx context.Context, keys []index.Key, parts index.Parts) ([]index.Record, error) {
	out := make([]index.Record, len(keys))
	for i, key := range keys {
		if at, found := r.newest[key]; found {
			out[i] = part(r.records[at], parts)
		}
	}
	return out, ctx.Err()
}

// Count implements index.Counter.
func (r *Reader) Count(ctx context.Context, typ string) (n int, err error) {
	for i := range r.records {
		if rec := &r.records[i]; rec.Type == typ && rec.VisibleAt(r.At()) {
			n++
		}
	}
	return n, ctx.Err()
}

// Versions implements index.Reader.
func (r *Reader) Versions(ctx context.Context, q index.VersionsRequest) ([]index.Record, error) {
	var out []index.Record
	for _, rec := range slices.Backward(r.records) {
		switch {
		case q.Type != "" && rec.Type != q.Type, q.ID != "" && rec.ID != q.ID:
		case q.Before != 0 && rec.Seq >= q.Before, rec.Seq < q.Since:
		case q.Limit > 0 && len(out) == q.Limit:
			return out, nil
		default:
			out = append(out, part(rec, q.Parts))
		}
	}
	return out, ctx.Err()
}
