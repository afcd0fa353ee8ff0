package search

import (
	"context"
	"fmt"
	"slices"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

// inclusion gathers the resources that a page includes besides its matches, each once.
type inclusion struct {
	run   *run
	seen  map[index.Key]bool // matches and included resources
	found []match
	cut   bool // the limit was exceeded
}

// include adds to a page the resources that _include and _revinclude request. With :iterate it
// continues from the included resources until it finds nothing new.
func (r *run) include(ctx context.Context, page *Page, matches []match) error {
	q := r.query
	if len(q.Include) == 0 && len(q.RevInclude) == 0 || len(matches) == 0 {
		return nil
	}
	in := &inclusion{run: r, seen: map[index.Key]bool{}}
	for i := range matches {
		in.seen[matches[i].key()] = true
	}
	from := matches
	for round := 0; len(from) > 0 && !in.cut; round++ {
		before := len(in.found)
		for i := range q.Include {
			if round == 0 || q.Include[i].Iterate {
				if err := in.forward(ctx, &q.Include[i], from); err != nil {
					return err
				}
			}
		}
		for i := range q.RevInclude {
			if round == 0 || q.RevInclude[i].Iterate {
				if err := in.reverse(ctx, &q.RevInclude[i], from); err != nil {
					return err
				}
			}
		}
		from = in.found[before:]
	}
	var err error
	if page.Included, err = r.weigh(ctx, in.found, r.searcher.limits.Bytes); err != nil {
		return err
	}
	if in.cut || len(page.Included) < len(in.found) {
		page.Issues = append(page.Issues, Issue{
			Severity: Warning, Code: "incomplete",
			Text: fmt.Sprintf("the page includes only the first %d resources; request fewer matches with _count", len(page.Included)),
		})
	}
	return nil
}

func (m *match) key() index.Key { return index.Key{Type: m.rec.Type, ID: m.rec.ID} }

// add includes the new ones among records of a type ("" for any), up to the limit.
func (in *inclusion) add(records []index.Record, typ string) {
	for i := range records {
		m := match{rec: records[i]}
		if m.rec.Seq == 0 || typ != "" && m.rec.Type != typ || in.seen[m.key()] {
			continue
		}
		if len(in.found) == in.run.searcher.limits.Included {
			in.cut = true
			return
		}
		in.seen[m.key()] = true
		in.found = append(in.found, m)
	}
}

// forward follows references from resources.
func (in *inclusion) forward(ctx context.Context, inc *Include, from []match) error {
	var keys []index.Key
	asked := map[index.Key]bool{}
	for i := range from {
		rec := &from[i].rec
		if inc.Source != "" && rec.Type != inc.Source {
			continue
		}
		view := index.NewView(rec.Values)
		for _, param := range in.run.referencesOf(inc, rec.Type) {
			for value := range view.Param(param.Number) {
				if key := value.KeyAt(in.run.query.Bases); key.ID != "" {
					if (inc.Target == "" || inc.Target == key.Type) && !in.seen[key] && !asked[key] {
						asked[key] = true
						keys = append(keys, key)
					}
					continue
				}
				if err := in.canonical(ctx, inc, param, &value); err != nil {
					return err
				}
			}
		}
	}
	for batch := range slices.Chunk(keys, in.run.bounds.maxBatch) {
		if in.cut {
			return nil
		}
		records, err := in.run.find(ctx, batch, index.WithValues)
		if err != nil {
			return err
		}
		in.add(records, inc.Target)
	}
	return nil
}

// canonical follows a reference by canonical URL.
func (in *inclusion) canonical(ctx context.Context, inc *Include, param *definitions.SearchParam, value *index.Value) error {
	if value.URL == "" {
		return nil
	}
	types := param.Targets
	if types == nil {
		types = in.run.searcher.tables.Resources()
	}
	for _, typ := range types {
		if inc.Target != "" && inc.Target != typ {
			continue
		}
		records, err := in.run.env.Canonical(ctx, typ, value.URL, value.Version)
		if err != nil {
			return err
		}
		in.add(records, inc.Target)
	}
	return nil
}

// referencesOf returns the parameters of a type that an include follows.
func (r *run) referencesOf(inc *Include, typ string) []*definitions.SearchParam {
	if inc.Params != nil {
		return inc.Params
	}
	var params []*definitions.SearchParam
	for _, p := range r.searcher.tables.SearchParams(typ) {
		if p.Kind == definitions.Reference && p.Expression != "" {
			params = append(params, p)
		}
	}
	return params
}

// reverse finds the resources that refer to the given ones.
func (in *inclusion) reverse(ctx context.Context, inc *Include, from []match) error {
	var ranges []index.Range
	wanted := newLinked(in.run.searcher.tables, in.run.query.Bases)
	for i := range from {
		rec := &from[i].rec
		if inc.Target != "" && inc.Target != rec.Type {
			continue
		}
		view := index.NewView(rec.Values)
		for _, param := range in.run.referencesOf(inc, inc.Source) {
			if refersTo(param, rec.Type) {
				ranges = wanted.add(ranges, in.run.field(param), rec, view)
			}
		}
	}
	limit := in.run.searcher.limits.Included
	seqs, whole, err := in.run.gather(ctx, ranges, 4*limit)
	if err != nil {
		return err
	}
	s := newListStream(seqs, false)
	var batch []index.Seq
	for len(s.places) > 0 && !in.cut {
		n := min(len(s.places), in.run.bounds.maxBatch)
		batch = batch[:0]
		for _, p := range s.places[:n] {
			batch = append(batch, p.seq(false))
		}
		s.places = s.places[n:]
		records, err := in.run.load(ctx, batch, index.WithValues)
		if err != nil {
			return err
		}
		for i := range records {
			if rec := &records[i]; !rec.VisibleAt(in.run.at) || !in.refers(inc, rec, wanted) {
				rec.Forget(ctx)
				records[i] = index.Record{}
			}
		}
		in.add(records, inc.Source)
	}
	in.cut = in.cut || !whole
	return nil
}

// refers reports whether a record refers to one of the wanted resources.
func (in *inclusion) refers(inc *Include, rec *index.Record, wanted *linked) bool {
	view := index.NewView(rec.Values)
	for _, param := range in.run.referencesOf(inc, rec.Type) {
		for value := range view.Param(param.Number) {
			if wanted.holds(&value) {
				return true
			}
		}
	}
	return false
}
