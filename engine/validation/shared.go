package validation

import (
	"context"
	"encoding/json"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/resolve"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// A Shared is what the checks of one request have in common: what one of them prepares, the others
// use. The zero Shared is ready to be used. It is for one goroutine, for engines of one family, and
// for value sets and documents that do not change meanwhile.
type Shared struct {
	filters     map[filterKey]preparedFilter
	lists       map[*r4.Include]*list
	layouts     map[*r4.ValueSet]*layout
	contained   map[*json.RawMessage]map[string]containedSet
	prepared    map[setKey]*preparation
	grammars    map[setKey]bool
	sets        []compiledSet // the latest first
	codeSystems map[*byte]readSystem
}

// Bounds of a Shared. What does not fit is prepared again.
const (
	maxFilters  = 256      // a regular expression may take 200 KiB
	maxSetBytes = 64 << 20 // of compiled sets besides the latest
)

// A setKey identifies a value set, by its definition, and what else its preparation depends on.
type setKey struct {
	vs         *r4.ValueSet
	generation uint64
	rules      string
	under      resolve.Rules
}

func keyOf(s *resolve.Source, vs *r4.ValueSet) setKey {
	return setKey{vs: vs, generation: s.State.Generation, rules: s.RuleKey(), under: s.Under}
}

// A filterKey is a filter of an include with its index, and what its supplements depend on.
type filterKey struct {
	index  *codesystem.Index
	filter *r4.Filter
	set    setKey
}

type preparedFilter struct {
	filter *valueset.Filter
	err    error
}

// filter returns a compiled filter of a value set, or why it cannot be compiled.
func (s *Shared) filter(src *resolve.Source, vs *r4.ValueSet, x *codesystem.Index, f *r4.Filter) (*valueset.Filter, error) {
	key := filterKey{x, f, keyOf(src, vs)}
	if p, ok := s.filters[key]; ok {
		return p.filter, p.err
	}
	supplements, err := src.SupplementsFor(vs, x)
	if err != nil {
		return nil, err
	}
	filter, err := valueset.CompileFilter(x, *f, supplements...)
	if len(s.filters) < maxFilters {
		put(&s.filters, key, preparedFilter{filter, err})
	}
	return filter, err
}

// layout returns the includes of a value set that has a compose.
func (s *Shared) layout(vs *r4.ValueSet) *layout {
	l := s.layouts[vs]
	if l == nil {
		l = newLayout(vs.Compose)
		put(&s.layouts, vs, l)
	}
	return l
}

type containedSet struct {
	vs  *r4.ValueSet
	err error
}

// containedIn returns a contained value set, always the same pointer. It may refer to other
// contained value sets.
func (s *Shared) containedIn(vs *r4.ValueSet, id string) (*r4.ValueSet, error) {
	if len(vs.Contained) == 0 {
		return valueset.Contained(vs, id) // which returns the error
	}
	byID := s.contained[&vs.Contained[0]]
	if c, ok := byID[id]; ok {
		return c.vs, c.err
	}
	inner, err := valueset.Contained(vs, id)
	if err == nil {
		inner.Contained = vs.Contained
	}
	put(&byID, id, containedSet{inner, err})
	put(&s.contained, &vs.Contained[0], byID)
	return inner, err
}

// A compiledSet is a compiled value set, or why it cannot be compiled.
type compiledSet struct {
	key setKey
	set *valueset.Set
	err error
}

// set returns a compiled value set that keep has kept.
func (s *Shared) set(key setKey) (compiledSet, bool) {
	for i := range s.sets {
		if s.sets[i].key == key {
			return s.sets[i], true
		}
	}
	return compiledSet{}, false
}

// keep keeps a compiled value set, and as many of the earlier ones as there is room for.
func (s *Shared) keep(c compiledSet) {
	s.sets = append([]compiledSet{c}, s.sets...)
	bytes := int64(0)
	for i := 1; i < len(s.sets); i++ {
		if s.sets[i].set != nil {
			bytes += s.sets[i].set.Cost()
		}
		if bytes > maxSetBytes || i == maxFilters {
			s.sets = s.sets[:i:i]
		}
	}
}

type readSystem struct {
	index *codesystem.Index
	err   error
}

// CodeSystem returns the index of a CodeSystem document that came with a request. s may be nil.
func (s *Shared) CodeSystem(ctx context.Context, name string, body []byte) (*codesystem.Index, error) {
	if s == nil || len(body) == 0 {
		return catalog.ReadCodeSystem(ctx, name, body)
	}
	r, known := s.codeSystems[&body[0]]
	if !known {
		r.index, r.err = catalog.ReadCodeSystem(ctx, name, body)
		if ctx.Err() == nil {
			put(&s.codeSystems, &body[0], r)
		}
	}
	return r.index, r.err
}

// put adds to a map, which may be nil.
func put[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}
