package ecl

import "strings"

// suffixes reads the filters and the history supplement after a focus.
func (p *parser) suffixes(s *sub) {
	for p.err == nil {
		at, _ := skipSpace(p.text, p.at)
		if !strings.HasPrefix(p.text[at:], "{{") {
			return
		}
		if p.at = at; s.history != nil {
			p.fail("expected brackets around the part with a history supplement before it is filtered")
			return
		}
		p.at += 2
		p.space()
		if p.take("+") {
			s.history = p.history(pos(at))
		} else {
			p.filters(s, pos(at))
		}
		p.space()
		p.want("}}", "at the end of this filter, or a comma")
	}
}

// history reads a historySupplement after its plus sign.
func (p *parser) history(at pos) *history {
	h := &history{pos: at}
	p.space()
	if p.takeWord("history") < 0 {
		p.fail("expected HISTORY after +")
		return h
	}
	if c := p.peek(0); c == '-' || c == '_' {
		p.at++
		switch p.takeWord("min", "mod", "max") {
		case 0:
			h.profile = historyMin
		case 1:
			h.profile = historyMod
		case 2:
		default:
			p.fail("expected MIN, MOD or MAX")
		}
		return h
	}
	p.space()
	if p.take("(") {
		p.space()
		h.profile, h.sets = historySets, p.expression()
		p.space()
		p.want(")", "at the end of the reference sets of a history supplement")
	}
	return h
}

// The words with which filters begin.
var (
	conceptWords     = []string{"definitionstatusid", "definitionstatus", "moduleid", "effectivetime", "active"}
	descriptionWords = []string{"term", "language", "typeid", "type", "dialectid", "dialect", "moduleid", "effectivetime", "active", "id"}
)

// filters reads the filters between {{ and }}: of members after M, of concepts after C, else of
// descriptions, where the D is optional.
func (p *parser) filters(s *sub, at pos) {
	switch p.filterKind() {
	case 'c':
		f := &conceptFilters{pos: at}
		for more := true; more; more = p.another() {
			f.all = append(f.all, p.conceptFilter())
		}
		s.filters = append(s.filters, f)
	case 'm':
		var all []memberFilter
		for more := true; more; more = p.another() {
			all = append(all, p.memberFilter())
		}
		s.memberFilters = append(s.memberFilters, all)
	default:
		f := &descriptionFilters{pos: at}
		for more := true; more; more = p.another() {
			f.all = append(f.all, p.descriptionFilter())
		}
		s.filters = append(s.filters, f)
	}
}

// filterKind consumes the letter for the kind of the filters. White space after it is optional;
// before the name of a field it may only be omitted after a capital M.
func (p *parser) filterKind() byte {
	word := p.word()
	kind := byte('d')
	if word == "" || index(descriptionWords, word) >= 0 {
		return kind
	}
	switch rest := word[1:]; {
	case rest == "" && (word == "c" || word == "d" || word == "m"),
		word[0] == 'c' && index(conceptWords, rest) >= 0,
		word[0] == 'd' && index(descriptionWords, rest) >= 0,
		p.peek(0) == 'M' && rest != "":
		kind = word[0]
		p.at++
		p.space()
	}
	return kind
}

func index(words []string, word string) int {
	for i, w := range words {
		if w == word {
			return i
		}
	}
	return -1
}

// another consumes a comma and reports whether another filter follows.
func (p *parser) another() bool {
	p.space()
	if p.err != nil || !p.take(",") {
		return false
	}
	p.space()
	return true
}

// conceptFilter reads a conceptFilter.
func (p *parser) conceptFilter() (f conceptFilter) {
	f.pos = pos(p.at)
	switch p.takeWord(conceptWords...) {
	case 0:
		f.subject = subjectStatus
		p.conceptsOf(&f.test)
	case 1:
		f.subject = subjectStatus
		p.operator(&f.test)
		f.set = p.tokens("primitive or defined", definitionStatuses)
	case 2:
		f.subject = subjectModule
		p.conceptsOf(&f.test)
	case 3:
		p.timeTest(&f.test)
	case 4:
		p.activeTest(&f.test)
	default:
		p.fail("expected a filter of concepts: definitionStatus, definitionStatusId, moduleId, effectiveTime or active")
	}
	return f
}

// memberFilter reads a memberFilter.
func (p *parser) memberFilter() (f memberFilter) {
	f.pos = pos(p.at)
	switch p.takeWord("moduleid", "effectivetime", "active") {
	case 0:
		f.subject = subjectModule
		p.conceptsOf(&f.test)
	case 1:
		p.timeTest(&f.test)
	case 2:
		p.activeTest(&f.test)
	default:
		f.subject = subjectField
		f.field = p.field()
		p.space()
		f.op = p.comparison()
		p.space()
		f.value = p.value(f.op, termMatch)
	}
	return f
}

// descriptionFilter reads a descriptionFilter.
func (p *parser) descriptionFilter() (f descriptionFilter) {
	f.pos = pos(p.at)
	switch p.takeWord(descriptionWords...) {
	case 0:
		f.subject = subjectTerm
		p.operator(&f.test)
		if !p.termsAhead() && p.peek(0) != '"' && p.peek(0) != '(' {
			p.fail("expected a search term in quotation marks, match: or wild:")
		}
		f.terms = p.searchTerms(termMatch)
	case 1:
		f.subject = subjectLanguage
		p.operator(&f.test)
		f.languages = p.elements(p.languageCode)
	case 2:
		f.subject = subjectType
		p.conceptsOf(&f.test)
	case 3:
		f.subject = subjectType
		p.operator(&f.test)
		f.set = p.tokens("syn, fsn or def", descriptionTypes)
	case 4:
		f.subject = subjectDialect
		p.operator(&f.test)
		f.dialects = p.dialects(true)
	case 5:
		f.subject = subjectDialect
		p.operator(&f.test)
		f.dialects = p.dialects(false)
	case 6:
		f.subject = subjectModule
		p.conceptsOf(&f.test)
	case 7:
		p.timeTest(&f.test)
	case 8:
		p.activeTest(&f.test)
	case 9:
		f.subject = subjectID
		p.operator(&f.test)
		f.ids = p.elements(func() string { return p.identifier("a description identifier") })
	default:
		p.fail("expected a filter of descriptions: term, language, type, typeId, dialect, dialectId, moduleId, effectiveTime, active or id; filters of concepts begin with C, of members with M")
	}
	return f
}

// operator reads = or != and the space around it.
func (p *parser) operator(t *test) {
	p.space()
	t.op = p.equality()
	p.space()
}

// elements reads one element or a set of them.
func (p *parser) elements(one func() string) (all []string) {
	if !p.take("(") {
		return []string{one()}
	}
	p.space()
	all = append(all, one())
	for p.err == nil && p.separated() {
		all = append(all, one())
	}
	p.want(")", "at the end of the set")
	return all
}

// languageCode reads a languageCode, in lower case.
func (p *parser) languageCode() string {
	word := p.word()
	if len(word) != 2 {
		p.fail("expected a language code of two letters")
		return ""
	}
	p.at += len(word)
	return word
}

// token is a word that stands for a concept.
type token struct{ word, code string }

// The words of the brief syntax, each followed by its word in the long syntax.
var (
	definitionStatuses = []token{{"primitive", primitiveStatus}, {"defined", definedStatus}}
	descriptionTypes   = []token{
		{"syn", synonymType},
		{"synonym", synonymType},
		{"fsn", fullNameType},
		{"fullyspecifiedname", fullNameType},
		{"def", definitionType},
		{"definition", definitionType},
	}
	acceptabilities = []token{
		{"accept", acceptableID},
		{"acceptable", acceptableID},
		{"prefer", preferredID},
		{"preferred", preferredID},
	}
)

// tokens reads one of several words, or a set of them, as the concepts they stand for.
func (p *parser) tokens(what string, known []token) constraint {
	begin := pos(p.at)
	var refs []constraint
	p.elements(func() string {
		word := p.word()
		for _, t := range known {
			if t.word == word {
				refs = append(refs, &sub{pos: pos(p.at), concept: &conceptRef{pos: pos(p.at), code: t.code}})
				p.at += len(word)
				return ""
			}
		}
		p.fail("expected %s", what)
		return ""
	})
	return unionOf(begin, refs)
}

// unionOf joins concepts by OR.
func unionOf(at pos, parts []constraint) constraint {
	if len(parts) == 1 {
		return parts[0]
	}
	return &compound{at, opOr, parts}
}

// conceptsOf reads a comparison with a subExpressionConstraint or with an eclConceptReferenceSet,
// which is equivalent to its concepts joined by OR.
func (p *parser) conceptsOf(t *test) {
	p.operator(t)
	if t.set = p.referenceSet(); t.set == nil && p.err == nil {
		t.set = p.sub()
	}
}

// referenceSet reads an eclConceptReferenceSet; nil if something else comes next.
func (p *parser) referenceSet() constraint {
	begin := p.at
	if p.peek(0) != '(' || !p.listAhead(false) {
		return nil
	}
	var refs []constraint
	p.elements(func() string {
		at := pos(p.at)
		refs = append(refs, &sub{pos: at, concept: p.reference()})
		return ""
	})
	return unionOf(pos(begin), refs)
}

// reference reads an eclConceptReference.
func (p *parser) reference() *conceptRef {
	c := &conceptRef{pos: pos(p.at)}
	if !digit(p.peek(0)) {
		p.fail("expected a concept identifier")
		return c
	}
	return p.concept()
}

// listAhead reports whether the bracket here begins a list of concepts: a concept, followed by
// another concept or, where acceptability is allowed, by a bracket.
func (p *parser) listAhead(acceptability bool) bool {
	at, err := p.at, p.err
	defer func() { p.at, p.err = at, err }()
	p.at++
	p.space()
	if !digit(p.peek(0)) {
		return false
	}
	p.concept()
	p.space()
	c := p.peek(0)
	return p.err == nil && (digit(c) || acceptability && (c == '(' || c == ')'))
}

// timeTest reads an effectiveTimeFilter after its word.
func (p *parser) timeTest(t *test) {
	t.subject = subjectTime
	p.space()
	t.op = p.comparison()
	p.space()
	t.times = p.times()
}

// activeTest reads an activeFilter after its word.
func (p *parser) activeTest(t *test) {
	t.subject = subjectActive
	p.operator(t)
	switch {
	case p.take("1") || p.takeWord("true") == 0:
		t.active = activeOnly
	case p.take("0") || p.takeWord("false") == 0:
		t.active = inactiveOnly
	case p.take("*") || p.take(`"*"`) || p.takeWord("any") == 0: // the examples of the specification quote it
		t.active = activeOrNot
	default:
		p.fail("expected 1, true, 0, false or *")
	}
}

// dialects reads the part of a dialectFilter after its operator. Acceptability after all of them
// applies to those without an acceptability.
func (p *parser) dialects(ids bool) (all []dialect) {
	one := func() string {
		d := dialect{pos: pos(p.at)}
		if ids {
			d.set = &sub{pos: pos(p.at), concept: p.reference()}
		} else {
			d.alias = p.dialectAlias()
		}
		d.accept = p.acceptability()
		all = append(all, d)
		return ""
	}
	switch {
	case ids && (p.peek(0) != '(' || !p.listAhead(true)):
		all = []dialect{{pos: pos(p.at), set: p.sub()}}
	case p.peek(0) == '(':
		p.elements(one)
	default:
		one()
	}
	common := p.acceptability()
	for i := range all {
		if all[i].accept.any() {
			all[i].accept = common
		}
	}
	return all
}

// dialectAlias reads a dialectAlias, in lower case.
func (p *parser) dialectAlias() string {
	begin := p.at
	for b := p.peek(0); letter(b) || digit(b) || b == '-'; b = p.peek(0) {
		p.at++
	}
	alias := p.text[begin:p.at]
	if !schemeAlias(alias) { // the same form
		p.failAt(begin, "expected the alias of a dialect, such as en-us")
	}
	return strings.ToLower(alias)
}

// acceptability reads an acceptabilitySet, if there is one.
func (p *parser) acceptability() (a acceptance) {
	at, _ := skipSpace(p.text, p.at)
	if at >= len(p.text) || p.text[at] != '(' {
		return a
	}
	p.at = at
	p.elements(func() string {
		code := ""
		if digit(p.peek(0)) {
			code = p.reference().code
		} else if set, ok := p.tokens("prefer, accept or their concepts", acceptabilities).(*sub); ok {
			code = set.concept.code
		}
		switch code {
		case preferredID:
			a.preferred = true
		case acceptableID:
			a.acceptable = true
		default:
			a.others = true
		}
		return ""
	})
	return a
}
