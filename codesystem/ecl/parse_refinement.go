package ecl

import (
	"strconv"
	"strings"
)

// refinement reads an eclRefinement, or within a group an eclAttributeSet, which contains no
// groups, and the space after it.
func (p *parser) refinement(grouped bool) refinement {
	begin := pos(p.at)
	first := p.subRefinement(grouped)
	op, more := p.join()
	if !more {
		return first
	}
	j := &junction{begin, op, nil}
	j.add(first)
	for p.err == nil {
		if op == opMinus {
			p.failAt(int(begin), "expected AND or OR between refinements; for MINUS put brackets around each operand")
			break
		}
		j.add(p.subRefinement(grouped))
		p.space()
		at := p.at
		next, again := p.join()
		if !again {
			break
		}
		if next != op {
			p.failAt(at, "expected brackets around the parts: %s does not say which operator comes first", mixture(op, next))
		}
	}
	return j
}

// add appends a part. If the part is joined by the same operator, its parts are appended instead.
func (j *junction) add(part refinement) {
	if inner, ok := part.(*junction); ok && inner.op == j.op {
		j.parts = append(j.parts, inner.parts...)
		return
	}
	j.parts = append(j.parts, part)
}

// subRefinement reads a subRefinement or a subAttributeSet: an attribute, a group, or
// either in brackets.
func (p *parser) subRefinement(grouped bool) refinement {
	p.enter()
	defer p.leave()
	begin := p.at
	count := p.cardinality()
	switch {
	case p.peek(0) == '{':
		if grouped {
			p.fail("expected an attribute: a group cannot contain groups")
		}
		p.take("{")
		p.space()
		g := &group{pos: pos(begin), count: count, body: p.refinement(true)}
		p.want("}", "at the end of the group, or AND, OR or a comma")
		return g
	case p.at == begin && p.peek(0) == '(' && !p.nameInBrackets():
		p.at++
		p.space()
		r := p.refinement(grouped)
		p.want(")", "at the end of the bracketed refinement, or AND, OR or a comma")
		return r
	}
	return p.attribute(begin, count)
}

// nameInBrackets reports whether the bracket here encloses the name of an attribute, not a
// refinement: a comparison follows it, perhaps after filters.
func (p *parser) nameInBrackets() bool {
	at := closing(p.text, p.at)
	for at >= 0 {
		at, _ = skipSpace(p.text, at)
		if !strings.HasPrefix(p.text[at:], "{{") {
			break
		}
		end := closingBraces(p.text, at)
		if end < 0 {
			return false
		}
		at = end
	}
	if at < 0 || at >= len(p.text) {
		return false
	}
	switch p.text[at] {
	case '=', '!', '<', '>':
		return true
	}
	return strings.EqualFold(p.text[at:min(at+3, len(p.text))], "not")
}

// closingBraces returns the offset after the }} that closes the filter at an offset, or -1.
func closingBraces(text string, at int) int {
	for at < len(text) {
		switch {
		case strings.HasPrefix(text[at:], "}}"):
			return at + 2
		case text[at] == '"':
			for at++; at < len(text) && text[at] != '"'; at++ {
				if text[at] == '\\' {
					at++
				}
			}
		case text[at] == '(':
			if at = closing(text, at); at < 0 {
				return -1
			}
			continue
		case text[at] == '|':
			end := strings.IndexByte(text[at+1:], '|')
			if end < 0 {
				return -1
			}
			at += end + 1
		}
		at++
	}
	return -1
}

// cardinality reads a cardinality in brackets and the space after it.
func (p *parser) cardinality() cardinality {
	if !p.take("[") {
		return atLeastOnce
	}
	begin := p.at
	c := cardinality{min: p.count(), max: -1}
	if !p.take("..") {
		before := p.space()
		if p.takeWord("to") < 0 || !before || !p.space() {
			p.fail("expected .. between the limits of a cardinality")
		}
	}
	if !p.take("*") && p.takeWord("many") < 0 {
		c.max = p.count()
		if c.max < c.min {
			p.failAt(begin, "expected a cardinality whose first limit is not above its second")
		}
	}
	p.want("]", "at the end of a cardinality")
	p.space()
	return c
}

// count reads a limit of a cardinality.
func (p *parser) count() int {
	begin := p.at
	n, err := strconv.Atoi(p.natural("a number"))
	if err != nil || n > maxCount {
		p.failAt(begin, "expected a number up to %d", maxCount)
	}
	return n
}

// maxCount exceeds any number of relationships.
const maxCount = 1<<31 - 1

// attribute reads an eclAttribute after its cardinality.
func (p *parser) attribute(begin int, count cardinality) *attribute {
	a := &attribute{pos: pos(begin), count: count}
	if p.peek(0) == 'R' && p.word() == "r" && !p.alternateAhead() {
		p.at++
		a.reverse = true
	} else if word := p.word(); word == "reverseof" && p.peek(len(word)) != '#' {
		p.at += len(word)
		a.reverse = true
	}
	p.space()
	a.name = p.sub()
	p.space()
	a.op = p.comparison()
	p.space()
	at := p.at
	a.value = p.value(a.op, termExact)
	switch {
	case p.err != nil:
	case a.value.kind == valueTimes:
		p.failAt(at, "expected a concept, #number, text or true or false")
	case a.reverse && a.value.kind != valueConcepts:
		p.failAt(at, "expected concepts: a reversed attribute has no other values")
	}
	return a
}

// alternateAhead reports whether an altIdentifier without quotation marks comes next.
func (p *parser) alternateAhead() bool {
	end := 0
	for b := p.peek(0); letter(b) || digit(b) || b == '-'; b = p.peek(end) {
		end++
	}
	return p.peek(end) == '#'
}

// comparison reads a comparison operator.
func (p *parser) comparison() comparison {
	for i := range comparisons {
		if c := &comparisons[i]; p.take(c.symbol) {
			return c.op
		}
	}
	if p.takeWord("not") == 0 {
		p.space()
		if p.take("=") {
			return notEqual
		}
	}
	p.fail("expected a comparison: =, !=, <, <=, > or >=")
	return equal
}

// equality reads a comparison operator that is = or !=.
func (p *parser) equality() comparison {
	at := p.at
	op := p.comparison()
	if op > notEqual {
		p.failAt(at, "expected = or !=")
	}
	return op
}

// comparisons lists the operators in the order in which they are tried.
var comparisons = [...]struct {
	op     comparison
	symbol string
}{
	{lessOrEqual, "<="},
	{greaterOrEqual, ">="},
	{notEqual, "!="},
	{notEqual, "<>"},
	{equal, "="},
	{less, "<"},
	{greater, ">"},
}

// value reads the value after a comparison operator. untyped is the kind of texts that do not
// state one.
func (p *parser) value(op comparison, untyped termKind) value {
	at := p.at
	switch {
	case p.take("#"):
		return value{kind: valueNumber, number: p.number()}
	case op > notEqual:
		if c := p.peek(0); c != '"' && c != '(' {
			p.fail("expected #number or a date; only = and != compare with concepts and texts")
		}
		return value{kind: valueTimes, times: p.times()}
	case strings.HasPrefix(p.text[at:], `""`):
		return value{kind: valueTimes, times: p.times()}
	case p.termsAhead():
		return value{kind: valueTerms, terms: p.searchTerms(untyped)}
	}
	if word := p.word(); (word == "true" || word == "false") && p.peek(len(word)) != '#' && p.peek(len(word)) != '-' {
		p.at += len(word)
		return value{kind: valueBoolean, boolean: word == "true"}
	}
	return value{kind: valueConcepts, set: p.sub()}
}

// number reads a numericValue and omits a plus sign.
func (p *parser) number() string {
	begin := p.at
	if p.take("+") {
		begin = p.at
	} else {
		p.take("-")
	}
	p.natural("a number")
	if p.peek(0) == '.' && digit(p.peek(1)) {
		p.at++
		p.digits()
	}
	if p.at-begin > longestNumber {
		p.failAt(begin, "expected a number of at most %d characters", longestNumber)
	}
	return p.text[begin:p.at]
}
