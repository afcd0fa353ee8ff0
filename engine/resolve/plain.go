package resolve

import (
	"slices"

	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// A Set is a compiled set, with what $validate-code reports about its members.
type Set struct {
	*valueset.Set
	// Plain is true if Notes is all there is to report about a member, so that the definition need
	// not be walked. Codes that are inactive, deprecated or written differently are checked
	// separately.
	Plain bool
	Notes issue.List
	// Outcome is Notes as an OperationOutcome in JSON, empty if there are none.
	Outcome []byte
	named   []*r4.Header // code systems that the definition and its imports name
	// implicit is the value set, if it is implicit.
	implicit *Implicit
}

// evaluated determines what a walk through the definition of a value set would report about its
// members.
func (s *Source) evaluated(t *Target, set *valueset.Set) *Set {
	e := &Set{Set: set}
	vs, err := t.Definition()
	if err != nil || vs.Compose == nil || vs.Language != "" {
		return e
	}
	if names, err := catalog.SupplementsNamed(nil, vs); err != nil || len(names) > 0 || len(valueset.Parameters(vs.Compose)) > 0 {
		return e
	}
	e.note("ValueSet", &vs.Header, &vs.Header)
	e.Plain = s.plainParts(e, vs, vs.Compose.Include) && s.plainParts(e, vs, vs.Compose.Exclude)
	e.Notes, e.named = slices.Clip(e.Notes), slices.Clip(e.named)
	if len(e.Notes) > 0 {
		e.Outcome = (&r4.OperationOutcome{Issue: e.Notes}).AppendJSON(nil)
	}
	return e
}

// note adds the message about the status of a resource, and reports whether there is one.
func (e *Set) note(typ string, h, user *r4.Header) bool {
	m := issue.StatusMessage(h, user)
	if m != nil {
		e.Notes.Add(m.Issue("", typ, r4.JoinCanonical(h.URL, h.Version)))
	}
	return m != nil
}

// plainParts reports whether the includes or excludes of vs are plain. They are not if a message
// concerns only one of several code systems, because it is reported for its codes only.
func (s *Source) plainParts(e *Set, vs *r4.ValueSet, parts []r4.Include) bool {
	for i := range parts {
		inc := &parts[i]
		if slices.ContainsFunc(inc.Concept, func(c r4.ConceptReference) bool { return len(c.Extension) > 0 }) {
			return false
		}
		for _, canonical := range inc.ValueSet {
			if !s.plainImport(e, vs, canonical) {
				return false
			}
		}
		if inc.System == "" {
			continue
		}
		r, _ := s.State.Shelf(catalog.KindCodeSystem).Find(inc.System, s.Rules.Choose(inc.System, inc.Version))
		if r == nil || r.Grammar != nil || r.Content == "fragment" || r.Content == "example" || !e.name(&r.Header) || !r.HasCodes(s.Strict) {
			return false
		}
		if e.note("CodeSystem", &r.Header, &vs.Header) && (len(inc.ValueSet) > 0 || !e.isOnly(&r.Header)) {
			return false
		}
	}
	return true
}

// name adds a code system to e.named, and reports whether all of its url have the same version.
func (e *Set) name(h *r4.Header) bool {
	for _, other := range e.named {
		if other.URL == h.URL {
			return other.Version == h.Version
		}
	}
	e.named = append(e.named, h)
	return true
}

// isOnly reports whether all codes of a set belong to one code system.
func (e *Set) isOnly(h *r4.Header) bool {
	used := e.Systems()
	return len(used) == 1 && used[0].System == h.URL && used[0].Version == h.Version
}

// plainImport reports whether there is nothing to report about the members of an import of vs.
func (s *Source) plainImport(e *Set, vs *r4.ValueSet, canonical string) bool {
	t, err := s.Target("valueSet", canonical, "")
	if err != nil || t.record == nil || issue.StatusMessage(&t.record.Header, &vs.Header) != nil {
		return false
	}
	imported, ok := s.sets.Get(setKey{generation: s.State.Generation, rules: s.ruleKey(), record: t.record.Seq})
	if !ok || !imported.Plain || len(imported.Notes) > 0 {
		return false
	}
	return !slices.ContainsFunc(imported.named, func(h *r4.Header) bool { return !e.name(h) })
}
