package catalog

import (
	"cmp"
	"iter"
	"maps"
	"slices"
)

// records maps a key, such as a url, to its records in order of precedence. It has two layers, so
// that a small change of a large map is cheap: under is never modified, and over takes precedence.
// Lists are replaced, never modified.
type records struct {
	under, over map[string][]*Record
}

// get returns the records of a key. The slice must not be modified.
func (t *records) get(key string) []*Record {
	if list, ok := t.over[key]; ok {
		return list
	}
	return t.under[key]
}

// empty reports whether there has never been a record.
func (t *records) empty() bool { return len(t.under) == 0 && len(t.over) == 0 }

// own returns a copy whose upper layer may be modified.
func (t *records) own() records {
	over := maps.Clone(t.over)
	if over == nil {
		over = map[string][]*Record{}
	}
	return records{under: t.under, over: over}
}

// fold merges the layers if the upper one has grown to the square root of the lower one, which
// minimizes copying when records come one by one. The upper layer must not be shared yet.
func (t *records) fold() {
	n := len(t.over)
	if len(t.under) > 0 && n*n <= 1024+2*len(t.under) {
		return
	}
	all := t.over
	if len(t.under) > 0 {
		all = maps.Clone(t.under)
		maps.Copy(all, t.over)
	}
	maps.DeleteFunc(all, func(_ string, list []*Record) bool { return len(list) == 0 })
	t.under, t.over = all, nil
}

// all iterates over the keys that have records, in no order.
func (t *records) all() iter.Seq2[string, []*Record] {
	return func(yield func(string, []*Record) bool) {
		for key, list := range t.over {
			if len(list) > 0 && !yield(key, list) {
				return
			}
		}
		for key, list := range t.under {
			if _, ok := t.over[key]; !ok && !yield(key, list) {
				return
			}
		}
	}
}

// insert adds a record to those of a key.
func (t *records) insert(key string, r *Record) {
	old := t.get(key)
	list := append(make([]*Record, 0, len(old)+1), old...)
	list = append(list, r)
	slices.SortFunc(list, precedence)
	t.over[key] = list
}

// discard removes a record of a key.
func (t *records) discard(key string, r *Record) {
	list := t.get(key)
	i := slices.Index(list, r)
	if i < 0 {
		return
	}
	t.over[key] = slices.Delete(slices.Clone(list), i, i+1)
}

// precedence compares records of a url. The record to use by default comes first.
func precedence(a, b *Record) int {
	present := func(r *Record) int {
		if r.Content == "not-present" {
			return 0
		}
		return 1
	}
	return cmp.Or(
		stubs(a, b),
		cmp.Compare(b.layer, a.layer),
		cmp.Compare(present(b), present(a)),
		CompareVersions(b.Header.Version, a.Header.Version),
		cmp.Compare(b.Seq, a.Seq),
	)
}

// stubs orders a grammar before a published code system of its canonical without content
// (content=not-present). FHIR publishes such a resource for every grammar it uses.
func stubs(a, b *Record) int {
	beats := func(a, b *Record) bool { return a.Grammar != nil && b.Content == "not-present" }
	switch {
	case beats(a, b):
		return -1
	case beats(b, a):
		return 1
	}
	return 0
}
