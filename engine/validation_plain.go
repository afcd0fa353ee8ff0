package engine

import (
	"slices"

	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// isPlain reports that there is nothing to say about the members of a value set but that
// they are: then the compiled set answers, and its definition need not be walked. It
// looks at what the walk would find, and is false where that takes a closer look.
func (s *source) isPlain(t *target, set *valueset.Set) bool {
	vs, err := t.definition()
	if err != nil || vs.Compose == nil || vs.Language != "" || statusMessage(&vs.Header, &vs.Header) != nil {
		return false
	}
	if names, err := supplementsNamed(nil, vs); err != nil || len(names) > 0 {
		return false
	}
	used := set.Systems()
	for i := range used {
		if slices.ContainsFunc(used[:i], func(u valueset.UsedSystem) bool { return u.System == used[i].System }) {
			return false
		}
	}
	return s.plainParts(vs, vs.Compose.Include) && s.plainParts(vs, vs.Compose.Exclude)
}

// plainParts looks at the includes or excludes of vs.
func (s *source) plainParts(vs *r4.ValueSet, parts []r4.Include) bool {
	for i := range parts {
		inc := &parts[i]
		if slices.ContainsFunc(inc.Concept, func(c r4.ConceptReference) bool { return len(c.Extension) > 0 }) {
			return false
		}
		for _, canonical := range inc.ValueSet {
			t, err := s.target("valueSet", canonical, "")
			if err != nil || t.record == nil || statusMessage(&t.record.Header, &vs.Header) != nil {
				return false
			}
			imported, ok := s.engine.cache.Get(setKey{generation: s.state.generation, rules: s.ruleKey(), record: t.record.seq})
			if !ok || !imported.plain {
				return false
			}
		}
		if inc.System == "" {
			continue
		}
		r, _ := s.state.shelves[kindCodeSystem].find(inc.System, s.rules.choose(inc.System, inc.Version))
		if r == nil || r.Grammar != nil || r.Content == "fragment" || !r.hasCodes() || statusMessage(&r.Header, &vs.Header) != nil {
			return false
		}
	}
	return true
}
