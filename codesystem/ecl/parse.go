package ecl

import "strings"

// Parse reads an expression constraint in brief or long syntax. Case is ignored in words, except
// in the R of a reversed attribute. The error is a *SyntaxError.
//
// Where the grammar of the specification allows two readings, Parse requires brackets, as the text
// of the specification does: AND and OR must not be mixed without them, in refinements either.
func Parse(text string) (*Expression, error) {
	if len(text) > MaxLength {
		return nil, &SyntaxError{Offset: MaxLength, Near: nearby(text, 0), Want: "the expression is too long; at most 256 KiB are read"}
	}
	if at := validText(text); at >= 0 {
		return nil, &SyntaxError{Offset: at, Want: "expected UTF-8", Near: "?"}
	}
	p := &parser{text: text}
	p.space()
	root := p.expression()
	p.space()
	if p.err == nil && p.at < len(text) {
		p.fail("expected an operator (AND, OR, MINUS), a refinement (:), a dot, a filter ({{) or the end")
	}
	if p.err != nil {
		return nil, p.err
	}
	return &Expression{root: root}, nil
}

// expression reads an expressionConstraint: refined, compound, dotted or sub.
func (p *parser) expression() constraint {
	begin := pos(p.at)
	first := p.sub()
	p.space()
	switch {
	case p.take(":"):
		p.space()
		return &refined{begin, first, p.refinement(false)}
	case p.peek(0) == '.':
		d := &dotted{pos: begin, focus: first}
		for p.err == nil && p.take(".") {
			p.space()
			d.names = append(d.names, p.sub())
			p.space()
		}
		if p.at < len(p.text) && p.peek(0) != ')' {
			p.fail("expected brackets around the part with a dot before something follows it")
		}
		return d
	}
	op, ok := p.join()
	if !ok {
		return first
	}
	c := &compound{begin, op, []constraint{first, p.sub()}}
	for p.err == nil {
		p.space()
		at := p.at
		next, more := p.join()
		if !more {
			break
		}
		if next != op || op == opMinus {
			p.failAt(at, "expected brackets around the parts: %s does not say which operator comes first", mixture(op, next))
			break
		}
		c.parts = append(c.parts, p.sub())
	}
	if c := p.peek(0); p.err == nil && (c == ':' || c == '.') {
		p.fail("expected brackets around the operands joined before this %c", c)
	}
	return c
}

// mixture names two operators side by side.
func mixture(a, b compoundOp) string {
	return compoundWords[a] + " beside " + compoundWords[b]
}

// sub reads a subExpressionConstraint.
func (p *parser) sub() constraint {
	p.enter()
	defer p.leave()
	s := &sub{pos: pos(p.at)}
	s.hierarchy = p.hierarchyOp()
	s.member = p.memberOf()
	p.focus(s)
	p.suffixes(s)
	if len(s.memberFilters) > 0 && s.member == nil {
		p.failAt(s.memberFilters[0][0].offset(), "expected member-of (^) before what a member filter is applied to")
	}
	if inner, ok := s.nested.(*sub); ok && inner.bare() {
		s.concept, s.nested = inner.concept, inner.nested
	}
	if s.nested != nil && s.bare() {
		return s.nested
	}
	return s
}

// focus reads an eclFocusConcept or an expression in brackets.
func (p *parser) focus(s *sub) {
	switch {
	case p.take("*"):
	case p.take("("):
		p.space()
		s.nested = p.expression()
		p.space()
		p.want(")", "at the end of the bracketed expression, or an operator")
	case p.word() == "any" && p.peek(3) != '#':
		p.at += len("any")
	default:
		s.concept = p.concept()
	}
}

// hierarchyOp reads a constraintOperator and the space after it, if there is one.
func (p *parser) hierarchyOp() hierarchyOp {
	word := p.word()
	for i := range hierarchyOps {
		h := &hierarchyOps[i]
		if p.take(h.symbol) {
			p.space()
			return h.op
		}
		if word == h.words && p.peek(len(word)) != '#' {
			p.at += len(word)
			if !p.space() && p.peek(0) != '(' {
				p.fail("expected white space after %s", h.words)
			}
			return h.op
		}
	}
	return self
}

// memberOf reads a memberOf with its fields; nil if there is none.
func (p *parser) memberOf() *memberOf {
	m := &memberOf{pos: pos(p.at)}
	if !p.take("^") {
		if p.word() != "memberof" || p.peek(len("memberof")) == '#' {
			return nil
		}
		p.at += len("memberof")
	}
	p.space()
	if !p.take("[") {
		return m
	}
	p.space()
	switch {
	case p.take("*") || p.takeWord("any") == 0:
		m.all = true
	default:
		for p.err == nil {
			m.fields = append(m.fields, p.field())
			p.space()
			if !p.take(",") {
				break
			}
			p.space()
		}
	}
	p.space()
	p.want("]", "at the end of the fields, or a comma")
	p.space()
	return m
}

// field reads a refsetFieldName.
func (p *parser) field() string {
	word := p.word()
	name := p.text[p.at : p.at+len(word)]
	if name == "" {
		p.fail("expected the name of a reference set field, made of letters")
	}
	p.at += len(name)
	return name
}

// concept reads an eclConceptReference or an altIdentifier, with the term after it.
func (p *parser) concept() *conceptRef {
	c := &conceptRef{pos: pos(p.at)}
	switch first := p.peek(0); {
	case digit(first):
		c.code = p.identifier(conceptIdentifier)
	case first == '"':
		begin := p.at
		var ok bool
		if c.scheme, c.code, ok = strings.Cut(p.quoted("an alternate identifier", ""), "#"); !ok || !schemeAlias(c.scheme) || c.code == "" {
			p.failAt(begin, `expected an alternate identifier as "scheme#code"`)
		}
	case letter(first):
		p.alternate(c)
	default:
		p.fail("expected a concept: its identifier, * for any, or an expression in brackets")
	}
	c.scheme = strings.ToLower(c.scheme)
	p.term()
	return c
}

// alternate reads an altIdentifier that does not begin with a quotation mark.
func (p *parser) alternate(c *conceptRef) {
	begin := p.at
	for b := p.peek(0); letter(b) || digit(b) || b == '-'; b = p.peek(0) {
		p.at++
	}
	c.scheme = p.text[begin:p.at]
	if !schemeAlias(c.scheme) || !p.take("#") {
		p.failAt(begin, "expected a concept: its identifier, * for any, or an expression in brackets; a code that is not a SNOMED CT identifier is written %s", asAlternate(p.text[begin:]))
		return
	}
	if p.peek(0) == '"' {
		c.code = p.quoted("the code of an alternate identifier", "")
	} else {
		from := p.at
		for b := p.peek(0); plainCode(b); b = p.peek(0) {
			p.at++
		}
		c.code = p.text[from:p.at]
	}
	if c.code == "" {
		p.fail("expected the code of an alternate identifier")
	}
}

// schemeAlias reports whether s is an altIdentifierSchemeAlias: a letter, then letters, digits and
// dashes. Numbers in it have no leading zeros.
func schemeAlias(s string) bool {
	for i := range len(s) {
		c := s[i]
		switch {
		case letter(c):
		case i == 0 || !digit(c) && c != '-':
			return false
		case c == '0' && !digit(s[i-1]) && i+1 < len(s) && digit(s[i+1]):
			return false
		}
	}
	return s != ""
}

// plainCode reports whether a byte of a code needs no quotation marks.
func plainCode(c byte) bool {
	return letter(c) || digit(c) || c == '-' || c == '.' || c == '_'
}

// conceptIdentifier describes the sctId of a concept in errors.
const conceptIdentifier = "a concept identifier"

// identifier reads an sctId.
func (p *parser) identifier(what string) string {
	begin := p.at
	id := p.digits()
	if len(id) < 6 || len(id) > 18 || id[0] == '0' || p.peek(0) == '-' {
		hint := ""
		if what == conceptIdentifier {
			hint = "; any other code is written " + asAlternate(p.text[begin:])
		}
		p.failAt(begin, "expected %s of 6 to 18 digits that does not begin with 0%s", what, hint)
	}
	return id
}

// asAlternate returns the code at the beginning of a text as an altIdentifier in any code system,
// for an error.
func asAlternate(text string) string {
	code := text
	if end := strings.IndexAny(text, " \t\r\n()[]{}|,\"*"); end >= 0 {
		code = text[:end]
	}
	return `code#"` + nearby(strings.TrimRight(code, ":"), 0) + `"`
}

// term skips the term in pipes after a concept.
func (p *parser) term() {
	at, ok := skipSpace(p.text, p.at)
	if !ok || at >= len(p.text) || p.text[at] != '|' {
		return
	}
	end := strings.IndexByte(p.text[at+1:], '|')
	if end < 0 {
		p.failAt(at, "expected | at the end of this term")
		return
	}
	term := strings.Trim(p.text[at+1:at+1+end], " \t\r\n")
	for i := range len(term) {
		if c := term[i]; c < ' ' || c == 0x7f {
			p.failAt(at, "expected a term without tabs, line ends and control characters")
			return
		}
	}
	if term == "" {
		p.failAt(at, "expected a term between the pipes, or no pipes")
		return
	}
	p.at = at + end + 2
}
