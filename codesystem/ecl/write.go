package ecl

import (
	"strconv"
	"strings"
)

// String returns the expression in brief syntax: without terms, comments, unneeded brackets and
// default values. Parsing it yields the same expression, and two expressions that only differ in
// such details have the same String.
func (e *Expression) String() string {
	var w writer
	e.root.write(&w)
	return w.String()
}

// writer collects the text of an expression.
type writer struct{ strings.Builder }

func (w *writer) text(parts ...string) {
	for _, s := range parts {
		w.WriteString(s)
	}
}

var (
	compoundWords   = [...]string{opAnd: "AND", opOr: "OR", opMinus: "MINUS"}
	comparisonSigns = [...]string{equal: "=", notEqual: "!=", less: "<", lessOrEqual: "<=", greater: ">", greaterOrEqual: ">="}
	historySuffixes = [...]string{historyMax: "", historyMin: "-MIN", historyMod: "-MOD"}
	activeSigns     = [...]string{activeOnly: "1", inactiveOnly: "0", activeOrNot: "*"}
)

// operand writes a constraint where the grammar requires a subExpressionConstraint.
func (w *writer) operand(c constraint) {
	if _, ok := c.(*sub); ok {
		c.write(w)
		return
	}
	w.text("(")
	c.write(w)
	w.text(")")
}

func (c *compound) write(w *writer) {
	for i, part := range c.parts {
		if i > 0 {
			w.text(" ", compoundWords[c.op], " ")
		}
		w.operand(part)
	}
}

func (r *refined) write(w *writer) {
	w.operand(r.focus)
	w.text(" : ")
	r.refinement.write(w)
}

func (d *dotted) write(w *writer) {
	w.operand(d.focus)
	for _, name := range d.names {
		w.text(" . ")
		w.operand(name)
	}
}

func (s *sub) write(w *writer) {
	for i := range hierarchyOps {
		if hierarchyOps[i].op == s.hierarchy {
			w.text(hierarchyOps[i].symbol, " ")
		}
	}
	if s.member != nil {
		s.member.write(w)
	}
	switch {
	case s.concept != nil:
		s.concept.write(w)
	case s.nested != nil:
		w.text("(")
		s.nested.write(w)
		w.text(")")
	default:
		w.text("*")
	}
	for _, all := range s.memberFilters {
		w.text(" {{ M ")
		for i := range all {
			w.comma(i)
			all[i].write(w)
		}
		w.text(" }}")
	}
	for _, f := range s.filters {
		f.write(w)
	}
	if s.history != nil {
		s.history.write(w)
	}
}

// comma separates the elements of a list.
func (w *writer) comma(i int) {
	if i > 0 {
		w.text(", ")
	}
}

func (c *conceptRef) write(w *writer) {
	switch {
	case c.scheme == "":
		w.text(c.code)
	case strings.IndexFunc(c.code, func(r rune) bool { return r > 'z' || !plainCode(byte(r)) }) < 0:
		w.text(c.scheme, "#", c.code)
	default:
		w.text(`"`, c.scheme, "#", c.code, `"`)
	}
}

func (m *memberOf) write(w *writer) {
	w.text("^ ")
	if m.all {
		w.text("[*] ")
	} else if len(m.fields) > 0 {
		w.text("[", strings.Join(m.fields, ", "), "] ")
	}
}

func (j *junction) write(w *writer) {
	for i, part := range j.parts {
		if i > 0 {
			w.text(" ", compoundWords[j.op], " ")
		}
		if _, ok := part.(*junction); ok {
			w.text("(")
			part.write(w)
			w.text(")")
			continue
		}
		part.write(w)
	}
}

func (c cardinality) write(w *writer) {
	if c == atLeastOnce {
		return
	}
	w.text("[", strconv.Itoa(c.min), "..")
	if c.max < 0 {
		w.text("*] ")
		return
	}
	w.text(strconv.Itoa(c.max), "] ")
}

func (g *group) write(w *writer) {
	g.count.write(w)
	w.text("{ ")
	g.body.write(w)
	w.text(" }")
}

func (a *attribute) write(w *writer) {
	a.count.write(w)
	if a.reverse {
		w.text("R ")
	}
	w.operand(a.name)
	w.text(" ", comparisonSigns[a.op], " ")
	a.value.write(w, termExact)
}

// write writes a value. untyped is the kind of texts that need not be stated.
func (v *value) write(w *writer, untyped termKind) {
	switch v.kind {
	case valueConcepts:
		w.operand(v.set)
	case valueNumber:
		w.text("#", v.number)
	case valueTerms:
		w.terms(v.terms, untyped)
	case valueBoolean:
		w.text(strconv.FormatBool(v.boolean))
	case valueTimes:
		w.times(v.times)
	}
}

func (w *writer) terms(terms []searchTerm, untyped termKind) {
	w.set(len(terms), func(i int) { terms[i].write(w, len(terms) > 1 || untyped != termMatch) })
}

func (w *writer) times(times []string) {
	w.set(len(times), func(i int) { w.text(`"`, times[i], `"`) })
}

// set writes one element, or several in brackets.
func (w *writer) set(n int, one func(i int)) {
	if n == 1 {
		one(0)
		return
	}
	w.text("(")
	for i := range n {
		if i > 0 {
			w.text(" ")
		}
		one(i)
	}
	w.text(")")
}

// write escapes the text again. A term to match that could be mistaken for something else is
// written with its kind.
func (t *searchTerm) write(w *writer, typed bool) {
	text := t.text
	switch {
	case t.kind == termWild:
		w.text(`wild:"`, strings.ReplaceAll(text, `"`, `\"`), `"`)
		return
	case t.kind == termMatch && (typed || strings.Contains(text, "#")):
		w.text("match:")
	}
	w.text(`"`, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text), `"`)
}

func (t *test) write(w *writer, name string) {
	w.text(name, " ", comparisonSigns[t.op], " ")
	switch t.subject {
	case subjectTime:
		w.times(t.times)
	case subjectActive:
		w.text(activeSigns[t.active])
	case subjectModule, subjectType, subjectStatus:
		w.operand(t.set)
	}
}

// subjectNames are the words of filters; types and states are written as identifiers.
var subjectNames = [...]string{
	subjectTerm: "term", subjectLanguage: "language", subjectType: "typeId", subjectDialect: "dialect",
	subjectModule: "moduleId", subjectTime: "effectiveTime", subjectActive: "active", subjectID: "id",
	subjectStatus: "definitionStatusId",
}

func (f *descriptionFilters) write(w *writer) {
	w.text(" {{ D ")
	for i := range f.all {
		w.comma(i)
		f.all[i].write(w)
	}
	w.text(" }}")
}

func (f *conceptFilters) write(w *writer) {
	w.text(" {{ C ")
	for i := range f.all {
		w.comma(i)
		f.all[i].write(w, subjectNames[f.all[i].subject])
	}
	w.text(" }}")
}

func (f *memberFilter) write(w *writer) {
	if f.subject != subjectField {
		f.test.write(w, subjectNames[f.subject])
		return
	}
	w.text(f.field, " ", comparisonSigns[f.op], " ")
	f.value.write(w, termMatch)
}

func (f *descriptionFilter) write(w *writer) {
	name := subjectNames[f.subject]
	if f.subject == subjectDialect && f.dialects[0].set != nil {
		name = "dialectId"
	}
	f.test.write(w, name)
	switch f.subject {
	case subjectTerm:
		w.terms(f.terms, termMatch)
	case subjectLanguage:
		w.set(len(f.languages), func(i int) { w.text(f.languages[i]) })
	case subjectID:
		w.set(len(f.ids), func(i int) { w.text(f.ids[i]) })
	case subjectDialect:
		w.set(len(f.dialects), func(i int) { f.dialects[i].write(w) })
	}
}

func (d *dialect) write(w *writer) {
	if d.set != nil {
		w.operand(d.set)
	} else {
		w.text(d.alias)
	}
	d.accept.write(w)
}

func (a acceptance) write(w *writer) {
	if a.any() {
		return
	}
	var words []string
	if a.preferred {
		words = append(words, preferredID)
	}
	if a.acceptable {
		words = append(words, acceptableID)
	}
	if a.others {
		words = append(words, unmetAcceptability)
	}
	w.text(" (", strings.Join(words, " "), ")")
}

// unmetAcceptability stands for an acceptability that is neither preferred nor acceptable.
const unmetAcceptability = "900000000000511003"

func (h *history) write(w *writer) {
	w.text(" {{ + HISTORY")
	if h.profile == historySets {
		w.text(" (")
		h.sets.write(w)
		w.text(")")
	} else {
		w.text(historySuffixes[h.profile])
	}
	w.text(" }}")
}
