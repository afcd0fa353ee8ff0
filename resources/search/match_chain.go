package search

import (
	"context"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

// chain reports that a reference of the resource with values v leads to one that meets
// what is asked of it.
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

// leads reports that a reference leads to a target that meets its criterion.
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

// has reports that another resource refers to one and meets what is asked of it.
func (e *Env) has(ctx context.Context, h *Has, key index.Key) (bool, error) {
	return e.verdict(ctx, h, key, func() (bool, error) {
		lists, err := e.load(ctx, e.extractor.Field(h.Param).Reference(key))
		if err != nil {
			return false, err
		}
		asked := Reference{Key: key, Bases: e.bases}
		for _, records := range lists {
			for i := range records {
				match, err := e.refers(ctx, h, &asked, &records[i])
				if match || err != nil {
					return match, err
				}
			}
		}
		return false, nil
	})
}

// refers reports that a record refers to what is asked, and meets the criterion of h.
func (e *Env) refers(ctx context.Context, h *Has, asked *Reference, rec *index.Record) (bool, error) {
	if rec.Type != h.Type {
		return false, nil
	}
	v := index.NewView(rec.Values)
	for value := range v.Param(h.Param.Number) {
		if value.Kind == index.Reference && asked.Matches(&value) {
			return h.Criterion.Match(ctx, rec, v, e)
		}
	}
	return false, nil
}

// verdict remembers what was found out about a resource.
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

// Canonical returns the resources of a type that a canonical names: those with the url and,
// unless version is "", the version; nil for a type without urls. They have Values.
func (e *Env) Canonical(ctx context.Context, typ, url, version string) ([]index.Record, error) {
	k := urlKey{typ, url, version}
	if records, known := e.urls[k]; known {
		return records, nil
	}
	param := e.tables.SearchParam(typ, "url")
	if param == nil || param.Kind != definitions.URI {
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
			if rec.Type == typ && hasURL(v, param.Number, url) && (version == "" || e.hasVersion(v, typ, version)) {
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

// hasVersion compares the business version of a resource.
func (e *Env) hasVersion(v index.View, typ, version string) bool {
	param := e.tables.SearchParam(typ, "version")
	if param == nil {
		return false
	}
	for value := range v.Param(param.Number) {
		if value.Code == version {
			return true
		}
	}
	return false
}
