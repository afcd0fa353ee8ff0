package search

import (
	"context"
	"slices"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

// maxHierarchy is the number of resources above or below another one that a search may name.
const maxHierarchy = 10_000

// partOf returns the reference by which resources of a type are parts of others of that type, nil if
// they are not: Location.partof.
func partOf(t *definitions.Tables, typ string) *definitions.SearchParam {
	for _, code := range [...]string{"partof", "part-of"} {
		if p := t.SearchParam(typ, code); p != nil && slices.Contains(p.Targets, typ) {
			return p
		}
	}
	return nil
}

// hierarchy checks a reference with :below or :above, which needs a type whose resources are parts of
// each other. It returns the problem, "" if there is none.
func (p *parser) hierarchy(a *Alternative) string {
	r := &a.Reference
	if r.Key.ID == "" || r.Version != "" {
		return "expected id or Type/id of a resource of this server"
	}
	if r.Types == nil {
		r.Types = []string{r.Key.Type}
	}
	r.Types = slices.DeleteFunc(slices.Clone(r.Types), func(typ string) bool { return partOf(p.tables, typ) == nil })
	if len(r.Types) == 0 {
		return "resources of that type are not parts of each other"
	}
	return ""
}

// hierarchy returns a resource with all that are part of it, or with Above all that it is part of.
func (e *Env) hierarchy(ctx context.Context, m Modifier, a *Alternative) (map[index.Key]bool, error) {
	if keys, known := e.hierarchies[a]; known {
		return keys, nil
	}
	found := map[index.Key]bool{}
	for _, typ := range a.Reference.Types {
		part := partOf(e.tables, typ)
		next := []index.Key{{Type: typ, ID: a.Reference.Key.ID}}
		found[next[0]] = true
		for len(next) > 0 {
			if len(found) > maxHierarchy {
				return nil, &Error{Param: a.param(m), Text: "there are too many resources in this hierarchy"}
			}
			records, err := e.parts(ctx, part, next, m == Below)
			if err != nil {
				return nil, err
			}
			next = nil
			for i := range records {
				rec := &records[i]
				for value := range index.NewView(rec.Values).Param(part.Number) {
					key := value.KeyAt(e.bases)
					if m == Below {
						if !found[key] {
							continue
						}
						key = index.Key{Type: rec.Type, ID: rec.ID}
					}
					if key.Type == typ && !found[key] {
						found[key] = true
						next = append(next, key)
					}
				}
			}
		}
	}
	if e.hierarchies == nil {
		e.hierarchies = map[*Alternative]map[index.Key]bool{}
	}
	e.hierarchies[a] = found
	return found, nil
}

// parts returns the records of resources, or those that may be parts of them.
func (e *Env) parts(ctx context.Context, part *definitions.SearchParam, of []index.Key, below bool) ([]index.Record, error) {
	if !below {
		return e.find(ctx, of)
	}
	var ranges []index.Range
	for _, key := range of {
		ranges = append(ranges, e.extractor.Field(part).Reference(key)...)
	}
	lists, err := e.load(ctx, ranges)
	return slices.Concat(lists...), err
}

// inHierarchy reports whether a reference leads to a resource above or below the one that is asked.
func (e *Env) inHierarchy(ctx context.Context, m Modifier, a *Alternative, encoded []byte) (bool, error) {
	keys, err := e.hierarchy(ctx, m, a)
	if err != nil {
		return false, err
	}
	for value := range index.Decode(encoded) {
		if key := value.KeyAt(e.bases); key.ID != "" && keys[key] {
			return true, nil
		}
	}
	return false, nil
}
