package search

import (
	"context"
	"slices"
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/r4"
)

// A Terminology answers the token modifiers :below, :above, :in, :not-in and :ecl. engine.Engine
// implements it. Implementations are safe for concurrent use.
//
// Errors are those of the implementation; they fail the search.
type Terminology interface {
	// CodesBelow returns a code and all its descendants, or with below false the code and all its
	// ancestors.
	CodesBelow(ctx context.Context, system, code string, below bool) (r4.Codes, error)
	// CodesIn returns the codes of a value set, including implicit ones, named by its canonical
	// (url or url|version) or as ValueSet/id.
	CodesIn(ctx context.Context, valueSet string) (r4.Codes, error)
	// CodesOf returns the codes that an ECL expression selects in a code system.
	CodesOf(ctx context.Context, system, expression string) (r4.Codes, error)
	// Lacks reports whether a code system that is loaded with all its codes does not have a code.
	Lacks(ctx context.Context, system, code string) bool
	// Generation changes whenever an answer may have changed.
	Generation() uint64
}

// An Env provides what criteria need besides the values of a resource: other resources and sets of
// codes. It caches them, and is for one search of one state, by one goroutine.
type Env struct {
	reader      index.Reader
	at          index.Seq
	extractor   *index.Extractor
	tables      *definitions.Tables
	terminology Terminology
	bases       []string // Query.Bases

	sets     map[setKey]r4.Codes
	records  map[index.Key]index.Record // for chains; zero if the resource does not exist
	verdicts map[verdictKey]bool        // of criteria of chains and _has
	urls     map[urlKey][]index.Record
	// members are verdicts about sets of codes, by the encoded values of a parameter: many resources
	// have the same codes.
	members map[*Alternative]map[string]bool

	hierarchies map[*Alternative]map[index.Key]bool

	loaded int // records that were read
	trace  *trace
}

// remembered bounds how many answers of each kind an Env caches.
const remembered = 50_000

type (
	setKey struct {
		modifier Modifier
		system   string
		code     string // or value set, or expression
	}
	verdictKey struct {
		asked any // *Criterion of a Target, or *Has
		key   index.Key
	}
	urlKey struct{ typ, url, version string }
)

// NewEnv returns the Env for a search of the state that a reader had at a point, which is its At or
// earlier.
func NewEnv(t *definitions.Tables, terminology Terminology, r index.Reader, at index.Seq) *Env {
	return New(t, WithTerminology(terminology)).env(r, at)
}

// NewEnv returns an Env for deciding criteria on resources of the present state of a reader. bases are
// the base URLs of this server.
func (s *Searcher) NewEnv(r index.Reader, bases []string) *Env {
	env := s.env(r, r.At())
	env.bases = bases
	return env
}

// Ready returns an error if criteria cannot be decided: a value set or code system that is not
// loaded, an expression that cannot be parsed, or no terminology.
func (e *Env) Ready(ctx context.Context, criteria []Criterion) error {
	for i := range criteria {
		c := &criteria[i]
		switch {
		case c.Chain != nil:
			for k := range c.Chain.Targets {
				if err := e.Ready(ctx, []Criterion{c.Chain.Targets[k].Criterion}); err != nil {
					return err
				}
			}
			continue
		case c.Has != nil:
			if err := e.Ready(ctx, []Criterion{c.Has.Criterion}); err != nil {
				return err
			}
			continue
		case c.Group != nil:
			if err := e.Ready(ctx, c.Group.Of); err != nil {
				return err
			}
			continue
		}
		for k := range c.Alternatives {
			a := &c.Alternatives[k]
			if c.Modifier != In && c.Modifier != NotIn && c.Modifier != ECL && (c.Modifier != Below && c.Modifier != Above || a.Kind != definitions.Token) {
				continue
			}
			if _, err := e.Codes(ctx, c.Modifier, a); err != nil {
				return err
			}
		}
	}
	return nil
}

// Codes returns the codes that an alternative requests with Below, Above, In, NotIn or ECL. It
// returns an *Error if the Terminology does not know the system or value set, cannot parse the
// expression, or is absent.
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
	if e.terminology == nil {
		return nil, &Error{Param: a.param(m), Text: "this server has no terminology, which the modifier :" + m.String() + " needs"}
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
		return nil, &Error{Param: a.param(m), Text: err.Error(), Cause: err}
	}
	e.sets[key] = set
	return set, nil
}

// param returns the parameter of an alternative as if it were alone in a request.
func (a *Alternative) param(m Modifier) Param {
	return Param{Name: a.Param.Code + ":" + m.String(), Value: a.Text}
}

// valueSet removes the base URL of this server from the name of a value set, which leaves
// ValueSet/id. Any other name is a canonical.
func (e *Env) valueSet(name string) string {
	for _, base := range e.bases {
		if rest, is := strings.CutPrefix(name, base+"/"); is && strings.HasPrefix(rest, "ValueSet/") {
			return rest
		}
	}
	return name
}

// find returns the records of keys in the searched state, a zero Record for each that does not
// exist.
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
	e.trace.reads(len(ask))
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

// FindAt returns the versions of keys that were visible at a point, which is the reader's At or
// earlier, with a zero Record for each that did not exist.
func FindAt(ctx context.Context, r index.Reader, at index.Seq, keys []index.Key, parts index.Parts) ([]index.Record, error) {
	found, err := r.Find(ctx, keys, parts)
	if err != nil {
		return nil, err
	}
	for i := range found {
		if found[i].Seq > at { // find the version before it
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

// load returns the records that ranges of entries lead to and that are visible in the searched
// state, one list for each range.
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
	e.trace.reads(len(seqs))
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

// chain reports whether a reference among the values v leads to a resource that meets the criterion
// of the chain.
func (e *Env) chain(ctx context.Context, c *Chain, v index.View) (bool, error) {
	for value := range v.Param(c.Param.Number) {
		for i := range c.Targets {
			match, err := e.leads(ctx, &c.Targets[i], &value)
			if match || err != nil {
				return match, err
			}
		}
	}
	return false, nil
}

// leads reports whether a reference leads to a target that meets its criterion.
func (e *Env) leads(ctx context.Context, t *Target, v *index.Value) (bool, error) {
	if v.Kind != index.Reference {
		return false, nil
	}
	if key := v.KeyAt(e.bases); key.ID != "" {
		if key.Type != t.Type {
			return false, nil
		}
		return e.verdict(ctx, &t.Criterion, key, func() (bool, error) {
			found, err := e.find(ctx, []index.Key{key})
			if err != nil || found[0].Seq == 0 {
				return false, err
			}
			return t.Criterion.Match(ctx, &found[0], index.NewView(found[0].Values), e)
		})
	}
	if v.URL == "" {
		return false, nil
	}
	records, err := e.Canonical(ctx, t.Type, v.URL, v.Version)
	if err != nil {
		return false, err
	}
	for i := range records {
		match, err := t.Criterion.Match(ctx, &records[i], index.NewView(records[i].Values), e)
		if match || err != nil {
			return match, err
		}
	}
	return false, nil
}

// has reports whether another resource refers to a record with the values v and meets the criterion
// of h.
func (e *Env) has(ctx context.Context, h *Has, rec *index.Record, v index.View) (bool, error) {
	return e.verdict(ctx, h, index.Key{Type: rec.Type, ID: rec.ID}, func() (bool, error) {
		asked := newLinked(e.tables, e.bases)
		lists, err := e.load(ctx, asked.add(nil, e.extractor.Field(h.Param), rec, v))
		if err != nil {
			return false, err
		}
		for _, records := range lists {
			for i := range records {
				match, err := e.refers(ctx, h, asked, &records[i])
				if match || err != nil {
					return match, err
				}
			}
		}
		return false, nil
	})
}

// refers reports whether a record refers to what is asked, and meets the criterion of h.
func (e *Env) refers(ctx context.Context, h *Has, asked *linked, rec *index.Record) (bool, error) {
	if rec.Type != h.Type {
		return false, nil
	}
	v := index.NewView(rec.Values)
	for value := range v.Param(h.Param.Number) {
		if asked.holds(&value) {
			return h.Criterion.Match(ctx, rec, v, e)
		}
	}
	return false, nil
}

// verdict caches what find decides about a resource.
func (e *Env) verdict(ctx context.Context, asked any, key index.Key, find func() (bool, error)) (bool, error) {
	k := verdictKey{asked, key}
	if match, known := e.verdicts[k]; known {
		return match, nil
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	match, err := find()
	if err != nil {
		return false, err
	}
	if len(e.verdicts) > remembered {
		clear(e.verdicts)
	}
	e.verdicts[k] = match
	return match, nil
}

// maxMembers and maxMemberBytes bound the verdicts of Env.members for each set, and the values that they
// are about.
const (
	maxMembers     = 4_096
	maxMemberBytes = 512
)

// inSet returns what was decided about the values of a parameter and the set of an alternative.
func (e *Env) inSet(a *Alternative, encoded []byte) (match, known bool) {
	match, known = e.members[a][string(encoded)]
	return match, known
}

// noteInSet remembers a verdict for inSet.
func (e *Env) noteInSet(a *Alternative, encoded []byte, match bool) {
	if len(encoded) > maxMemberBytes {
		return
	}
	if e.members == nil {
		e.members = map[*Alternative]map[string]bool{}
	}
	of := e.members[a]
	if of == nil || len(of) >= maxMembers {
		of = map[string]bool{}
		e.members[a] = of
	}
	of[string(encoded)] = match
}

// Canonical returns the resources of a type that a canonical names: those with the url and, unless
// it is "", the version. It returns nil for a type without URLs. The records have Values.
func (e *Env) Canonical(ctx context.Context, typ, url, version string) ([]index.Record, error) {
	k := urlKey{typ, url, version}
	if records, known := e.urls[k]; known {
		return records, nil
	}
	param := urlOf(e.tables, typ)
	if param == nil {
		return nil, nil
	}
	lists, err := e.load(ctx, e.extractor.Field(param).URL(url))
	if err != nil {
		return nil, err
	}
	var out []index.Record
	for _, records := range lists {
		for _, rec := range records {
			v := index.NewView(rec.Values)
			if rec.Type == typ && hasURL(v, param.Number, url) && (version == "" || slices.Contains(versionsOf(e.tables, typ, v), version)) {
				out = append(out, rec)
			}
		}
	}
	if len(e.urls) > remembered {
		clear(e.urls)
	}
	e.urls[k] = out
	return out, nil
}

func hasURL(v index.View, number uint32, url string) bool {
	for value := range v.Param(number) {
		if value.URL == url {
			return true
		}
	}
	return false
}
