package resources

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"

	"github.com/roget-health/roget/resources/index"
)

// A staleIndex has the types whose search index is of another format. It never changes; a view keeps the
// one from before it was opened.
type staleIndex struct {
	types map[string]bool
	// owners are types by the number of a parameter, or of the type, in an entry. A number that several
	// types share has "".
	owners               map[uint32]string
	all, done, resources int  // types at first; resources done, and about how many there were at first
	idle                 bool // this service does not write
}

// Indexing describes how far Reindex is, "" if no type has an index of another format.
func (s *Service) Indexing() string {
	if stale := s.stale.Load(); stale != nil {
		return stale.String()
	}
	return ""
}

func (s *staleIndex) String() string {
	return fmt.Sprintf("%d of %d types and %d of about %d resources are done", s.all-len(s.types), s.all, s.done, s.resources)
}

// owners returns staleIndex.owners.
func (s *Service) owners() map[uint32]string {
	owners := map[uint32]string{}
	tables := s.tools().tables
	for _, typ := range tables.Resources() {
		owners[numberIn(index.TypeRange(typ).From)] = typ
		for _, p := range tables.SearchParams(typ) {
			if other, known := owners[p.Number]; known && other != typ {
				owners[p.Number] = ""
			} else {
				owners[p.Number] = typ
			}
		}
	}
	return owners
}

// numberIn returns the number in the beginning of an entry that says whose it is, 0 for none: entries of
// types and of the vocabulary have it after 0 and a key.
func numberIn(entry []byte) uint32 {
	if len(entry) >= 9 && binary.BigEndian.Uint32(entry) == 0 {
		entry = entry[5:]
	}
	if len(entry) < 4 {
		return 0
	}
	return binary.BigEndian.Uint32(entry)
}

// progress records that types are done, and more resources.
func (s *Service) progress(types []string, resources int) {
	stale := *s.stale.Load()
	stale.types = maps.Clone(stale.types)
	for _, typ := range types {
		delete(stale.types, typ)
	}
	stale.done += resources
	s.stale.Store(&stale)
}

// refusal returns ErrIndexing about a type, "" for several.
func (s *staleIndex) refusal(typ string) error {
	if typ == "" {
		typ = "all types"
	}
	if s.idle {
		return fmt.Errorf("%w: it is needed of %s; run roget serve on the store, which does that", ErrIndexing, typ)
	}
	return fmt.Errorf("%w: it is needed of %s; %v; try again later", ErrIndexing, typ, s)
}

// over returns a reader that refuses what needs the index of stale types. Without any it is r.
func (s *staleIndex) over(r index.Reader) index.Reader {
	if s == nil {
		return r
	}
	stale := staleReader{r, s}
	if counter, can := r.(index.Counter); can {
		return countingStale{stale, counter}
	}
	return stale
}

// A staleReader returns ErrIndexing for entries and values of stale types. Documents and histories do not
// need the index.
type staleReader struct {
	index.Reader
	stale *staleIndex
}

type countingStale struct {
	staleReader
	index.Counter
}

// A staleTx is a Tx with the Reader of stale types.
type staleTx struct {
	staleReader
	tx Tx
}

// Write implements Tx.
func (t staleTx) Write(ctx context.Context, w Write) (Version, error) { return t.tx.Write(ctx, w) }

// Scan implements index.Reader.
func (r staleReader) Scan(ctx context.Context, rng index.Range, fn func(entry []byte, seq index.Seq) bool) error {
	if typ := r.stale.owners[numberIn(rng.From)]; typ == "" || r.stale.types[typ] {
		return r.stale.refusal(typ)
	}
	return r.Reader.Scan(ctx, rng, fn)
}

// Load implements index.Reader.
func (r staleReader) Load(ctx context.Context, seqs []index.Seq, parts index.Parts) ([]index.Record, error) {
	records, err := r.Reader.Load(ctx, seqs, parts)
	return r.fresh(records, parts, err)
}

// Find implements index.Reader.
func (r staleReader) Find(ctx context.Context, keys []index.Key, parts index.Parts) ([]index.Record, error) {
	records, err := r.Reader.Find(ctx, keys, parts)
	return r.fresh(records, parts, err)
}

// Versions implements index.Reader.
func (r staleReader) Versions(ctx context.Context, q index.VersionsRequest) ([]index.Record, error) {
	records, err := r.Reader.Versions(ctx, q)
	return r.fresh(records, q.Parts, err)
}

func (r staleReader) fresh(records []index.Record, parts index.Parts, err error) ([]index.Record, error) {
	if err != nil || parts&index.WithValues == 0 {
		return records, err
	}
	for i := range records {
		if r.stale.types[records[i].Type] {
			return nil, r.stale.refusal(records[i].Type)
		}
	}
	return records, nil
}
