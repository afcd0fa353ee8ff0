package search

import (
	"slices"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

// linked are resources that references may lead to: by their keys, or by canonical.
type linked struct {
	tables *definitions.Tables
	bases  []string
	keys   map[index.Key]bool
	urls   map[string][]string // url to the versions of resources with it, "" among them
}

func newLinked(t *definitions.Tables, bases []string) *linked {
	return &linked{tables: t, bases: bases, keys: map[index.Key]bool{}, urls: map[string][]string{}}
}

// add adds a record with the values v, and appends the ranges of references to it.
func (l *linked) add(ranges []index.Range, f index.Field, rec *index.Record, v index.View) []index.Range {
	key := index.Key{Type: rec.Type, ID: rec.ID}
	l.keys[key] = true
	ranges = append(ranges, f.Reference(key)...)
	url := urlOf(l.tables, rec.Type)
	if url == nil {
		return ranges
	}
	for value := range v.Param(url.Number) {
		if value.URL != "" {
			l.urls[value.URL] = append(append(l.urls[value.URL], ""), versionsOf(l.tables, rec.Type, v)...)
			ranges = append(ranges, f.URL(value.URL)...)
		}
	}
	return ranges
}

// holds reports whether a reference leads to one of the resources.
func (l *linked) holds(v *index.Value) bool {
	if v.Kind != index.Reference {
		return false
	}
	if key := v.KeyAt(l.bases); key.ID != "" {
		return l.keys[key]
	}
	return slices.Contains(l.urls[v.URL], v.Version)
}

// urlOf returns the parameter with the canonical URL of a type, nil if it has none. The url of a
// Device is its address in a network: it has several versions.
func urlOf(t *definitions.Tables, typ string) *definitions.SearchParam {
	p, version := t.SearchParam(typ, "url"), t.Type(typ).Element("version")
	if p == nil || p.Expression != typ+".url" || version == nil || version.Repeats() {
		return nil
	}
	return p
}

// versionsOf returns the business version of a resource.
func versionsOf(t *definitions.Tables, typ string, v index.View) (versions []string) {
	if p := t.SearchParam(typ, "version"); p != nil {
		for value := range v.Param(p.Number) {
			versions = append(versions, value.Code)
		}
	}
	return versions
}
