package ecl

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/roget-health/roget/codesystem"
)

// naive evaluates expressions by walking over lists, one concept at a time.
type naive struct {
	w   *world
	err error
}

type concepts map[*worldConcept]bool

func (n *naive) fail(err error) concepts {
	if n.err == nil {
		n.err = err
	}
	return concepts{}
}

func (n *naive) where(holds func(c *worldConcept) bool) concepts {
	set := concepts{}
	for _, c := range n.w.concepts {
		if holds(c) {
			set[c] = true
		}
	}
	return set
}

func (n *naive) eval(c constraint) concepts {
	switch c := c.(type) {
	case *compound:
		parts := make([]concepts, len(c.parts))
		for i := range parts {
			parts[i] = n.eval(c.parts[i])
		}
		return n.where(func(x *worldConcept) bool {
			in := parts[0][x]
			for _, p := range parts[1:] {
				switch c.op {
				case opAnd:
					in = in && p[x]
				case opOr:
					in = in || p[x]
				case opMinus:
					in = in && !p[x]
				}
			}
			return in
		})
	case *refined:
		focus := n.eval(c.focus)
		return n.where(func(x *worldConcept) bool { return focus[x] && n.refines(c.refinement, x, nil) })
	case *dotted:
		set := n.eval(c.focus)
		for _, name := range c.names {
			names := n.attributeNames(name)
			next := concepts{}
			for x := range set {
				for _, r := range n.relsOf(x) {
					if v := n.w.find(r.value); names[r.name] && r.typ == "Code" && v != nil {
						next[v] = true
					}
				}
			}
			set = next
		}
		return set
	}
	return n.sub(c.(*sub))
}

// relsOf returns the relationships of a concept, including those of the hierarchy.
func (n *naive) relsOf(c *worldConcept) []worldRel {
	rels := slices.Clone(c.rels)
	for _, p := range c.parents {
		rels = append(rels, worldRel{name: isA, typ: "Code", value: p.code})
	}
	return rels
}

func (n *naive) sub(s *sub) concepts {
	wide := false
	for _, f := range s.filters {
		if cf, ok := f.(*conceptFilters); ok {
			for _, one := range cf.all {
				wide = wide || one.subject == subjectActive
			}
		}
	}
	var set concepts
	switch {
	case s.member != nil:
		set = n.members(s)
	case s.concept != nil:
		c := n.w.find(s.concept.code)
		if c == nil {
			return n.fail(ErrUnknownConcept)
		}
		set = concepts{c: true}
	case s.nested != nil:
		set = n.eval(s.nested)
	default:
		set = n.where(func(c *worldConcept) bool { return wide || !c.inactive })
	}
	set = n.hierarchy(s.hierarchy, set, wide)
	for _, f := range s.filters {
		set = n.filtered(f, set)
	}
	if s.history != nil {
		set = n.supplemented(s.history, set)
	}
	return set
}

// above reports whether a is a proper ancestor of c.
func above(a, c *worldConcept) bool {
	for _, p := range c.parents {
		if p == a || above(a, p) {
			return true
		}
	}
	return false
}

func (n *naive) hierarchy(op hierarchyOp, set concepts, wide bool) concepts {
	if op == self {
		return set
	}
	return n.where(func(c *worldConcept) bool {
		related := false
		for x := range set {
			switch op {
			case descendantOf, descendantOrSelfOf, top:
				related = related || above(x, c)
			case childOf, childOrSelfOf:
				related = related || slices.Contains(c.parents, x)
			case ancestorOf, ancestorOrSelfOf, bottom:
				related = related || above(c, x)
			case parentOf, parentOrSelfOf:
				related = related || slices.Contains(x.parents, c)
			}
		}
		switch op {
		case top, bottom:
			return set[c] && !related
		case descendantOrSelfOf, childOrSelfOf, ancestorOrSelfOf, parentOrSelfOf:
			if set[c] {
				return true
			}
		}
		return related && (wide || !c.inactive)
	})
}

// attributeNames returns the codes of attributes.
func (n *naive) attributeNames(c constraint) map[string]bool {
	names := map[string]bool{}
	used := map[string]bool{}
	for _, c := range n.w.concepts {
		for _, r := range c.rels {
			used[r.name] = true
		}
	}
	if s, ok := c.(*sub); ok && s.bare() {
		if s.wildcard() {
			if len(used) > 0 {
				return used
			}
			return map[string]bool{"moduleId": true, "effectiveTime": true, "sufficientlyDefined": true}
		}
		if s.concept != nil && (used[s.concept.code] || s.concept.code == isA) {
			return map[string]bool{s.concept.code: true}
		}
	}
	for x := range n.eval(c) {
		names[x.code] = true
	}
	return names
}

// accepts tests the value of a relationship.
func (n *naive) accepts(op comparison, v *value, r worldRel) bool {
	switch v.kind {
	case valueConcepts:
		if s, ok := v.set.(*sub); ok && s.bare() && s.wildcard() {
			return op == equal
		}
		set := n.eval(v.set)
		x := n.w.find(r.value)
		return r.typ == "Code" && x != nil && set[x] == (op == equal)
	case valueNumber:
		have, err := strconv.ParseFloat(r.value, 64)
		want, _ := strconv.ParseFloat(v.number, 64)
		return r.typ == "Integer" && err == nil && compare(op, have, want)
	case valueBoolean:
		return r.typ == "Boolean" && (r.value == strconv.FormatBool(v.boolean)) == (op == equal)
	}
	return r.typ == "String" && anyTerm(v.terms, r.value) == (op == equal)
}

func compare(op comparison, a, b float64) bool {
	switch op {
	case equal:
		return a == b
	case notEqual:
		return a != b
	case less:
		return a < b
	case lessOrEqual:
		return a <= b
	case greater:
		return a > b
	}
	return a >= b
}

var wordSplit = regexp.MustCompile(`[^a-z0-9]+`)

// anyTerm reports whether a search term matches a text.
func anyTerm(terms []searchTerm, text string) bool {
	exactly := text
	text = strings.ToLower(text)
	for _, t := range terms {
		want := strings.ToLower(t.text)
		if t.kind == termExact {
			if t.text == exactly {
				return true
			}
			continue
		}
		if t.kind == termWild {
			if regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(want), `\*`, ".*") + "$").MatchString(text) {
				return true
			}
			continue
		}
		all := true
		for _, w := range wordSplit.Split(want, -1) {
			found := w == ""
			for _, have := range wordSplit.Split(text, -1) {
				found = found || strings.HasPrefix(have, w)
			}
			all = all && found
		}
		if all {
			return true
		}
	}
	return false
}

// refines tests a refinement: of the whole concept, or of a group of its relationships.
func (n *naive) refines(r refinement, c *worldConcept, inGroup []worldRel) bool {
	switch r := r.(type) {
	case *junction:
		for _, part := range r.parts {
			if n.refines(part, c, inGroup) == (r.op == opOr) {
				return r.op == opOr
			}
		}
		return r.op == opAnd
	case *group:
		if allReversed(r.body) {
			if n.refines(r.body, c, nil) {
				return r.count.holds(1)
			}
			return r.count.holds(0)
		}
		groups := map[int][]worldRel{}
		alone := -1
		for _, rel := range n.relsOf(c) {
			if rel.name == isA && !n.mentions(r.body, isA) {
				continue
			}
			key := rel.group
			if key == 0 {
				key = alone
				alone--
			}
			groups[key] = append(groups[key], rel)
		}
		count := 0
		for _, rels := range groups {
			if n.refines(r.body, c, rels) {
				count++
			}
		}
		return r.count.holds(count)
	}
	a := r.(*attribute)
	names := n.attributeNames(a.name)
	seen := map[[4]string]bool{}
	if a.reverse {
		for _, source := range n.w.concepts {
			for _, rel := range n.relsOf(source) {
				if names[rel.name] && rel.typ == "Code" && rel.value == c.code && n.accepts(a.op, &a.value, worldRel{typ: "Code", value: source.code}) {
					seen[[4]string{source.code}] = true
				}
			}
		}
		return a.count.holds(len(seen))
	}
	rels := inGroup
	if rels == nil {
		rels = n.relsOf(c)
	}
	for _, rel := range rels {
		if names[rel.name] && n.accepts(a.op, &a.value, rel) {
			seen[[4]string{rel.name, rel.typ, rel.value, strconv.Itoa(rel.group)}] = true
		}
	}
	return a.count.holds(len(seen))
}

func allReversed(r refinement) bool {
	if j, ok := r.(*junction); ok {
		return !slices.ContainsFunc(j.parts, func(part refinement) bool { return !allReversed(part) })
	}
	return r.(*attribute).reverse
}

// mentions reports whether a body names an attribute.
func (n *naive) mentions(r refinement, name string) bool {
	if j, ok := r.(*junction); ok {
		return slices.ContainsFunc(j.parts, func(part refinement) bool { return n.mentions(part, name) })
	}
	return n.attributeNames(r.(*attribute).name)[name]
}

// codes returns the codes that a constraint means, nil for all.
func (n *naive) codes(c constraint) map[string]bool {
	switch s := c.(type) {
	case *sub:
		if s.bare() && s.concept != nil {
			return map[string]bool{s.concept.code: true}
		}
		if s.bare() && s.wildcard() {
			return nil
		}
	case *compound:
		all := map[string]bool{}
		for _, part := range s.parts {
			p, ok := part.(*sub)
			if !ok || !p.bare() || p.concept == nil || s.op != opOr {
				all = nil
				break
			}
			all[p.concept.code] = true
		}
		if all != nil {
			return all
		}
	}
	all := map[string]bool{}
	for x := range n.eval(c) {
		all[x.code] = true
	}
	return all
}

func (n *naive) codeIn(t *test, code string) bool {
	codes := n.codes(t.set)
	return (codes == nil || codes[code]) == (t.op == equal)
}

func timeIn(op comparison, times []string, have string) bool {
	switch op {
	case equal:
		return slices.Contains(times, have)
	case notEqual:
		return !slices.Contains(times, have)
	}
	for _, want := range times {
		a, _ := strconv.ParseFloat(have, 64)
		b, _ := strconv.ParseFloat(want, 64)
		if have == "" || want == "" || !compare(op, a, b) {
			return false
		}
	}
	return true
}

func activeIn(t *test, active bool) bool {
	in := t.active == activeOrNot || active == (t.active == activeOnly)
	return in == (t.op == equal)
}

func (n *naive) filtered(f filter, set concepts) concepts {
	if d, ok := f.(*descriptionFilters); ok {
		return n.where(func(c *worldConcept) bool {
			if !set[c] {
				return false
			}
			all := slices.Clone(c.descriptions)
			detailed := false
			for _, x := range n.w.concepts {
				detailed = detailed || n.w.detailed && len(x.descriptions) > 0
			}
			if !detailed {
				all = append(all, worldDescription{text: c.display, language: "en", use: synonymType})
			}
			return slices.ContainsFunc(all, func(one worldDescription) bool { return n.described(d, one) })
		})
	}
	return n.where(func(c *worldConcept) bool {
		if !set[c] {
			return false
		}
		for i := range f.(*conceptFilters).all {
			t := &f.(*conceptFilters).all[i].test
			in := false
			switch t.subject {
			case subjectActive:
				in = activeIn(t, !c.inactive)
			case subjectModule:
				in = n.codeIn(t, c.module)
			case subjectTime:
				in = timeIn(t.op, t.times, c.time)
			case subjectStatus:
				in = n.codeIn(t, map[bool]string{true: definedStatus, false: primitiveStatus}[c.defined])
			}
			if !in {
				return false
			}
		}
		return true
	})
}

func (n *naive) described(fs *descriptionFilters, d worldDescription) bool {
	spoken := false
	for i := range fs.all {
		f := &fs.all[i]
		in := false
		switch f.subject {
		case subjectTerm:
			in = anyTerm(f.terms, d.text) == (f.op == equal)
		case subjectLanguage:
			in = slices.Contains(f.languages, d.language) == (f.op == equal)
		case subjectType:
			in = n.codeIn(&f.test, d.use)
		case subjectModule:
			in = n.codeIn(&f.test, d.module)
		case subjectTime:
			in = timeIn(f.op, f.times, d.time)
		case subjectActive:
			spoken = true
			in = activeIn(&f.test, !d.inactive)
		case subjectID:
			in = slices.Contains(f.ids, d.id) == (f.op == equal)
		case subjectDialect:
			for _, one := range f.dialects {
				var refsets map[string]bool
				if one.set != nil {
					refsets = n.codes(one.set)
				} else {
					code, ok := codesystem.DialectRefset(one.alias)
					if !ok {
						n.fail(ErrUnknownDialect)
					}
					refsets = map[string]bool{code: true}
				}
				for refset, preferred := range d.accept {
					if refsets == nil || refsets[refset] {
						in = in || one.accept.any() || preferred && one.accept.preferred || !preferred && one.accept.acceptable
					}
				}
			}
			in = in == (f.op == equal)
		}
		if !in {
			return false
		}
	}
	return spoken || !d.inactive
}

// column finds a field of a reference set.
func (r *worldRefset) column(name string) int {
	return slices.IndexFunc(r.columns, func(c codesystem.RefsetColumn) bool { return strings.EqualFold(c.Name, name) })
}

func (n *naive) members(s *sub) concepts {
	var codes map[string]bool
	switch {
	case s.wildcard():
	case s.concept != nil:
		known := n.w.find(s.concept.code) != nil
		for _, r := range n.w.refsets {
			known = known || r.code == s.concept.code
		}
		if !known {
			return n.fail(ErrUnknownConcept)
		}
		codes = map[string]bool{s.concept.code: true}
	default:
		codes = n.codes(s.nested)
	}
	field := ""
	if s.member.all || len(s.member.fields) > 1 {
		return n.fail(ErrFields)
	}
	if len(s.member.fields) == 1 && !strings.EqualFold(s.member.fields[0], componentField) {
		field = s.member.fields[0]
		if err := n.field(field); err != nil {
			return n.fail(err)
		}
		if strings.HasPrefix(strings.ToLower(field), "map") {
			return n.fail(ErrFields)
		}
	}
	spoken := false
	for _, fs := range s.memberFilters {
		for _, f := range fs {
			spoken = spoken || f.subject == subjectActive
			if f.subject == subjectField && !strings.EqualFold(f.field, componentField) {
				if err := n.field(f.field); err != nil {
					return n.fail(err)
				}
			}
		}
	}
	set := concepts{}
	for _, r := range n.w.refsets {
		if codes != nil && !codes[r.code] {
			continue
		}
		for _, row := range r.rows {
			in := spoken || row.active
			for _, fs := range s.memberFilters {
				for i := range fs {
					in = in && n.rowIn(&fs[i], r, row)
				}
			}
			if !in {
				continue
			}
			if field == "" {
				set[row.component] = true
			} else if at := r.column(field); at >= 0 {
				set[n.w.find(row.values[at])] = true
			}
		}
	}
	return set
}

// field fails for a field that no reference set has.
func (n *naive) field(name string) error {
	for _, r := range n.w.refsets {
		if r.column(name) >= 0 {
			return nil
		}
	}
	return ErrUnknownField
}

func (n *naive) rowIn(f *memberFilter, r *worldRefset, row worldRow) bool {
	switch f.subject {
	case subjectActive:
		return activeIn(&f.test, row.active)
	case subjectModule:
		return n.codeIn(&f.test, row.module)
	case subjectTime:
		return timeIn(f.op, f.times, row.time)
	}
	text := row.component.code
	if !strings.EqualFold(f.field, componentField) {
		at := r.column(f.field)
		if at < 0 {
			return false
		}
		text = row.values[at]
	}
	switch f.value.kind {
	case valueConcepts:
		return n.codeIn(&test{op: f.op, set: f.value.set}, text)
	case valueTimes:
		return timeIn(f.op, f.value.times, text)
	case valueNumber:
		have, err := strconv.ParseFloat(text, 64)
		want, _ := strconv.ParseFloat(f.value.number, 64)
		return err == nil && compare(f.op, have, want)
	case valueBoolean:
		if text == "0" || text == "1" {
			text = strconv.FormatBool(text == "1")
		}
		return (text == strconv.FormatBool(f.value.boolean)) == (f.op == equal)
	}
	return anyTerm(f.value.terms, text) == (f.op == equal)
}

func (n *naive) supplemented(h *history, set concepts) concepts {
	codes := map[string]bool{}
	all := slices.Concat(historyMaxSets)
	switch h.profile {
	case historyMin:
		all = []string{"900000000000527005"}
	case historyMod:
		all = []string{"900000000000527005", "900000000000526001", "900000000000528000", "1186924009"}
	case historySets:
		if codes = n.codes(h.sets); codes != nil {
			all = nil
		} else {
			codes = map[string]bool{}
		}
	}
	for _, code := range all {
		codes[code] = true
	}
	out := maps.Clone(set)
	for _, r := range n.w.refsets {
		at := r.column(targetField)
		for _, row := range r.rows {
			if codes[r.code] && at >= 0 && row.active && set[n.w.find(row.values[at])] {
				out[row.component] = true
			}
		}
	}
	return out
}

// sentinels are the errors of evaluation.
func sentinelOf(err error) error {
	for _, e := range []error{ErrUnknownConcept, ErrUnknownDialect, ErrUnknownField, ErrFields} {
		if errors.Is(err, e) {
			return e
		}
	}
	return nil
}
