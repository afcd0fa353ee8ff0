package search

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/r4"
)

// vocabularies holds the tokens in use of each parameter that was searched with a set of codes, by
// parameter number.
type vocabularies struct {
	mu sync.Mutex
	of map[uint32]*vocabulary
}

func (v *vocabularies) get(number uint32) *vocabulary {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.of == nil {
		v.of = map[uint32]*vocabulary{}
	}
	if v.of[number] == nil {
		v.of[number] = &vocabulary{number: number}
	}
	return v.of[number]
}

// vocabulary holds the tokens that resources use, or have used, as values of a parameter. Of a set
// of codes only these are looked up. It is read from the store once, and then updated from the
// versions that brought new tokens.
type vocabulary struct {
	number uint32

	mu      sync.RWMutex
	read    bool
	at      index.Seq // everything in the store up to this point is included
	terms   []term
	numbers map[term]struct{}
	systems []string // by number
	long    []index.Term
	// composed are the terms that a set may have without listing them, by number.
	composed []int
	// codes holds the numbers that the codes of terms have in an index of the terminology.
	codes map[numbering][]uint32
}

// term is a token in use.
type term struct {
	system uint32
	code   string
}

// numbering identifies an index in which the codes of a system were looked up.
type numbering struct {
	key    any
	system uint32
}

const (
	// maxNews is the number of versions with new tokens that are read one by one. If there are
	// more, the whole vocabulary is read again.
	maxNews = 2_000
	// maxNumberings is the number of numberings that are cached.
	maxNumberings = 8
	// unnumbered is the number of a code that an index does not have.
	unnumbered = math.MaxUint32
)

// known reports whether the vocabulary has been read.
func (v *vocabulary) known() bool {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.read
}

// Warm reads which tokens are in use, which the first search for a large set of codes would do
// otherwise.
func (s *Searcher) Warm(ctx context.Context, r index.Reader) error {
	q := &Query{}
	run := s.newRun(r, q, r.At())
	for _, typ := range s.tables.Resources() {
		for _, p := range s.tables.SearchParams(typ) {
			if p.Kind != definitions.Token || ofRecord(p) {
				continue
			}
			if err := s.used.get(p.Number).refresh(ctx, run, run.field(p)); err != nil {
				return fmt.Errorf("read the tokens in use of %s.%s: %w", typ, p.Code, err)
			}
		}
	}
	return nil
}

// refresh adds what is new in the state of a run.
func (v *vocabulary) refresh(ctx context.Context, r *run, field index.Field) error {
	v.mu.RLock()
	read, at := v.read, v.at
	v.mu.RUnlock()
	var news []index.Seq
	if read {
		if at >= r.reader.At() {
			return nil
		}
		for _, rng := range field.News() {
			rng.After, rng.AfterSeq = rng.From, at
			err := r.scan(ctx, rng, func(_ []byte, seq index.Seq) bool {
				news = append(news, seq)
				return len(news) <= maxNews
			})
			if err != nil {
				return err
			}
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.numbers == nil {
		v.numbers = map[term]struct{}{}
	}
	if !read || len(news) > maxNews {
		for _, rng := range field.Terms() {
			err := r.scan(ctx, rng, func(entry []byte, _ index.Seq) bool {
				v.add(index.TermOf(entry))
				return true
			})
			if err != nil {
				return err
			}
		}
	} else if len(news) > 0 {
		records, err := index.Unrestricted(r.reader).Load(ctx, news, index.WithValues)
		if err != nil {
			return err
		}
		for i := range records {
			for value := range index.NewView(records[i].Values).Param(v.number) {
				if value.Kind == index.Token {
					v.add(index.Term{System: value.System, Code: value.Code})
				}
			}
		}
	}
	v.read, v.at = true, max(v.at, r.reader.At())
	return nil
}

// add adds a term. The caller holds the lock.
func (v *vocabulary) add(t index.Term) {
	switch {
	case t.Long():
		v.long = append(v.long, t)
		return
	case t.Code == "" && t.System == "":
		return
	}
	new := term{system: v.systemNumber(t.System), code: t.Code}
	if _, known := v.numbers[new]; !known {
		if v.numbers[new] = struct{}{}; r4.Composed(new.code) {
			v.composed = append(v.composed, len(v.terms))
		}
		v.terms = append(v.terms, new)
	}
}

// systemNumber returns the number of a system, of which there are few.
func (v *vocabulary) systemNumber(system string) uint32 {
	if n, ok := v.knownSystem(system); ok {
		return n
	}
	v.systems = append(v.systems, system)
	return uint32(len(v.systems) - 1) //nolint:gosec // a query names few systems
}

func (v *vocabulary) knownSystem(system string) (uint32, bool) {
	for i, s := range v.systems {
		if s == system {
			return uint32(i), true
		}
	}
	return 0, false
}

// used returns the ranges of the tokens in use that are in a set of codes.
func (v *vocabulary) used(codes r4.Codes, field index.Field) []index.Range {
	v.mu.Lock() // numbered writes to the cache
	defer v.mu.Unlock()
	var ranges []index.Range
	composes := composes(codes)
	take := func(system, code string) {
		if !composes || !r4.Composed(code) { // those follow
			ranges = append(ranges, field.Token(system, code)...)
		}
	}
	if codes.Len() < len(v.terms) {
		v.eachUsed(codes, take)
	} else {
		v.eachMember(codes, take)
	}
	for i := 0; composes && i < len(v.composed); i++ {
		t := &v.terms[v.composed[i]]
		if system := v.systems[t.system]; codes.Contains(system, t.code) {
			ranges = append(ranges, field.Token(system, t.code)...)
		}
	}
	for i := range v.long {
		ranges = append(ranges, field.Term(&v.long[i])...)
	}
	return ranges
}

// composes reports whether a set has codes that it does not list, such as expressions.
func composes(codes r4.Codes) bool {
	c, ok := codes.(r4.Composing)
	return ok && c.Composes()
}

// eachUsed iterates over the set.
func (v *vocabulary) eachUsed(codes r4.Codes, take func(system, code string)) {
	last, number, known := "", uint32(0), false
	first := true
	codes.Each(func(system, code string) bool {
		if first || system != last {
			number, known = v.knownSystem(system)
			last, first = system, false
		}
		if known {
			if _, used := v.numbers[term{number, code}]; used {
				take(system, code)
			}
		}
		return true
	})
}

// eachMember iterates over the tokens in use.
func (v *vocabulary) eachMember(codes r4.Codes, take func(system, code string)) {
	type asked struct {
		numbers  []uint32
		contains func(uint32) bool
	}
	of := make([]asked, len(v.systems))
	for i, system := range v.systems {
		if key, number, contains := codes.Numbering(system); key != nil {
			of[i] = asked{v.numbered(numbering{key, uint32(i)}, number), contains}
		}
	}
	for i := range v.terms {
		t := &v.terms[i]
		in := false
		if a := &of[t.system]; a.numbers != nil {
			n := a.numbers[i]
			in = n != unnumbered && a.contains(n)
		} else {
			in = v.systems[t.system] != "" && codes.Contains(v.systems[t.system], t.code)
		}
		if in {
			take(v.systems[t.system], t.code)
		}
	}
}

// numbered returns the numbers of the terms of a system, by term.
func (v *vocabulary) numbered(by numbering, number func(string) (uint32, bool)) []uint32 {
	numbers, cached := v.codes[by]
	if !cached {
		if v.codes == nil || len(v.codes) >= maxNumberings {
			v.codes = map[numbering][]uint32{} // this also drops indexes that no longer exist
		}
	}
	for i := len(numbers); i < len(v.terms); i++ {
		n := uint32(unnumbered)
		if t := &v.terms[i]; t.system == by.system {
			if found, ok := number(t.code); ok {
				n = found
			}
		}
		numbers = append(numbers, n)
	}
	v.codes[by] = numbers
	return numbers
}
