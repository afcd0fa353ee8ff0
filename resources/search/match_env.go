package search

import (
	"context"
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/r4"
)

// Env is what criteria need to know besides the values of the resource they are asked of:
// other resources, and sets of codes. It remembers what it was told, and is for one search
// of one state, by one goroutine.
type Env struct {
	reader      index.Reader
	at          index.Seq
	extractor   *index.Extractor
	tables      *definitions.Tables
	terminology Terminology
	bases       []string // Query.Bases

	sets     map[setKey]r4.Codes
	records  map[index.Key]index.Record // for chains; zero where there is none
	verdicts map[verdictKey]bool        // of criteria of chains and _has
	urls     map[urlKey][]index.Record

	loaded int // records that were read
}

// remembered bounds how many answers of one kind an Env keeps.
const remembered = 50_000

type (
	setKey struct {
		modifier Modifier
		system   string
		code     string // or value set, or expression
	}
	verdictKey struct {
		asked any // *Criterion of a Target, *Has
		key   index.Key
	}
	urlKey struct{ typ, url, version string }
)

// NewEnv is the Env of a search of the state that a reader had at a point, which is its At or
// earlier.
func NewEnv(t *definitions.Tables, terminology Terminology, r index.Reader, at index.Seq) *Env {
	return New(t, WithTerminology(terminology)).env(r, at)
}

// env is NewEnv for searches of one Searcher.
func (s *Searcher) env(r index.Reader, at index.Seq) *Env {
	return &Env{
		reader: r, at: at, extractor: s.extractor, tables: s.tables, terminology: s.terminology,
		sets:     map[setKey]r4.Codes{},
		records:  map[index.Key]index.Record{},
		verdicts: map[verdictKey]bool{},
		urls:     map[urlKey][]index.Record{},
	}
}

// Codes returns the codes that an alternative asks for with Below, Above, In, NotIn or ECL.
// What the Terminology does not know, or can't read, is an *Error, and so is a server
// without Terminology.
func (e *Env) Codes(ctx context.Context, m Modifier, a *Alternative) (r4.Codes, error) {
	key := setKey{m, a.Token.System, a.Token.Code}
	if m != Below && m != Above {
		key.code = a.Target
	}
	if m == NotIn {
		key.modifier = In
	}
	if set, known := e.sets[key]; known {
		return set, nil
	}
	param := Param{Name: a.Param.Code + ":" + m.String(), Value: a.Text}
	if e.terminology == nil {
		return nil, &Error{Param: param, Text: "this server has no terminology to answer :" + m.String()}
	}
	var set r4.Codes
	var err error
	switch key.modifier {
	case In:
		set, err = e.terminology.CodesIn(ctx, e.valueSet(a.Target))
	case ECL:
		set, err = e.terminology.CodesOf(ctx, a.Token.System, a.Target)
	default:
		set, err = e.terminology.CodesBelow(ctx, a.Token.System, a.Token.Code, m == Below)
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &Error{Param: param, Text: err.Error(), Cause: err}
	}
	e.sets[key] = set
	return set, nil
}

// valueSet returns the name of a value set without the base of this server: what is left is
// ValueSet/id. Any other name is a canonical.
func (e *Env) valueSet(name string) string {
	for _, base := range e.bases {
		if rest, is := strings.CutPrefix(name, base+"/"); is && strings.HasPrefix(rest, "ValueSet/") {
			return rest
		}
	}
	return name
}

// find returns the records of keys in the state of the search; a zero Record where there is
// none.
func (e *Env) find(ctx context.Context, keys []index.Key) ([]index.Record, error) {
	out := make([]index.Record, len(keys))
	var ask []index.Key
	var places []int
	for i, key := range keys {
		if rec, known := e.records[key]; known {
			out[i] = rec
			continue
		}
		ask, places = append(ask, key), append(places, i)
	}
	if len(ask) == 0 {
		return out, nil
	}
	if len(e.records) > remembered {
		clear(e.records)
	}
	e.loaded += len(ask)
	found, err := FindAt(ctx, e.reader, e.at, ask, index.WithValues)
	if err != nil {
		return nil, err
	}
	for i, rec := range found {
		e.records[ask[i]] = rec
		out[places[i]] = rec
	}
	return out, nil
}

// FindAt returns the versions of keys that could be seen at a point, which is the reader's At
// or earlier; a zero Record where there was none.
func FindAt(ctx context.Context, r index.Reader, at index.Seq, keys []index.Key, parts index.Parts) ([]index.Record, error) {
	found, err := r.Find(ctx, keys, parts)
	if err != nil {
		return nil, err
	}
	for i := range found {
		if found[i].Seq > at { // what was before
			former, err := r.Versions(ctx, index.VersionsRequest{Type: keys[i].Type, ID: keys[i].ID, Before: at + 1, Limit: 1, Parts: parts})
			if err != nil {
				return nil, err
			}
			found[i] = index.Record{}
			if len(former) > 0 {
				found[i] = former[0]
			}
		}
		if !found[i].VisibleAt(at) {
			found[i] = index.Record{}
		}
	}
	return found, nil
}

// load returns the records that ranges of entries lead to, as far as they could be seen at
// the point of the search, one list for each range.
func (e *Env) load(ctx context.Context, ranges []index.Range) ([][]index.Record, error) {
	var seqs []index.Seq
	var places []int
	type pair struct {
		seq   index.Seq
		place int
	}
	seen := map[pair]bool{}
	err := index.ScanMany(ctx, e.reader, ranges, 0, func(i int, _ []byte, seq index.Seq) bool {
		if seq <= e.at && !seen[pair{seq, i}] {
			seen[pair{seq, i}] = true
			seqs, places = append(seqs, seq), append(places, i)
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	e.loaded += len(seqs)
	out := make([][]index.Record, len(ranges))
	const batch = 1000
	for len(seqs) > 0 {
		n := min(batch, len(seqs))
		records, err := e.reader.Load(ctx, seqs[:n], index.WithValues)
		if err != nil {
			return nil, err
		}
		for i, rec := range records {
			if rec.Seq != 0 && rec.VisibleAt(e.at) {
				out[places[i]] = append(out[places[i]], rec)
			}
		}
		seqs, places = seqs[n:], places[n:]
	}
	return out, nil
}
