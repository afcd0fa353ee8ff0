package conceptmap

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// maxRule is the length of the longest map rule that is read, in bytes.
const maxRule = 4096

// A clause is a condition of a map rule: the patient has a finding or, with an operator, an
// observable compares with a time.
type clause struct {
	concept  string
	operator string  // <, <=, =, >= or >; "" for a finding
	value    float64 // in milliseconds
}

// parseRule reads a rule of a map from SNOMED CT to a classification, as the specification of the
// map to ICD-10 defines it in appendix A: TRUE, OTHERWISE TRUE, or clauses with IFA that are joined
// by AND. All clauses must hold; a rule that is always true has none. Terms may be missing, and any
// comparison and number of clauses is accepted.
func parseRule(text string) ([]clause, error) {
	p := ruleReader{text: text}
	if len(text) > maxRule {
		return nil, wrongAt(maxRule, "the rule is too long")
	}
	otherwise := p.word("OTHERWISE")
	if p.word("TRUE") {
		return nil, p.end("the end")
	}
	if otherwise {
		return nil, wrongAt(p.at, "want TRUE")
	}
	var list []clause
	for {
		c, err := p.clause()
		if err != nil {
			return nil, err
		}
		list = append(list, c)
		if !p.word("AND") {
			return list, p.end("AND or the end")
		}
	}
}

// parseTime reads a time, such as "12 a" or "28.0 days", in milliseconds.
func parseTime(text string) (float64, error) {
	p := ruleReader{text: text}
	value, err := p.time()
	if err != nil {
		return 0, err
	}
	return value, p.end("the end")
}

// A ruleReader reads a rule from left to right.
type ruleReader struct {
	text string
	at   int
}

// wrongAt returns the error at an offset in bytes.
func wrongAt(offset int, want string) error {
	return fmt.Errorf("at position %d: %s", offset, want)
}

func (p *ruleReader) end(want string) error {
	if p.skip(); p.at < len(p.text) {
		return wrongAt(p.at, "want "+want)
	}
	return nil
}

// skip passes white space.
func (p *ruleReader) skip() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// run passes white space and returns the characters of a set that follow.
func (p *ruleReader) run(set string) string {
	p.skip()
	rest := p.text[p.at:]
	n := len(rest) - len(strings.TrimLeft(rest, set))
	p.at += n
	return rest[:n]
}

const (
	digits  = "0123456789"
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// word passes a word, in any case, if it is the next one.
func (p *ruleReader) word(want string) bool {
	before := p.at
	if strings.EqualFold(p.run(letters), want) {
		return true
	}
	p.at = before
	return false
}

func (p *ruleReader) clause() (c clause, err error) {
	if !p.word("IFA") {
		p.skip()
		return c, wrongAt(p.at, "want TRUE, OTHERWISE TRUE or IFA")
	}
	c.concept = p.run(digits)
	if n := len(c.concept); n < 6 || n > 18 {
		return c, wrongAt(p.at-n, "want an identifier of 6 to 18 digits")
	}
	if p.skip(); strings.HasPrefix(p.text[p.at:], "|") {
		end := strings.IndexByte(p.text[p.at+1:], '|')
		if end < 0 {
			return c, wrongAt(p.at, "the term has no end")
		}
		p.at += end + 2
	}
	switch c.operator = p.run("<>="); c.operator {
	case "":
	case "<", "<=", "=", ">=", ">":
		c.value, err = p.time()
	default:
		err = wrongAt(p.at-len(c.operator), "want <, <=, =, >= or >")
	}
	return c, err
}

// timeUnits are the units of age: as UCUM writes them, as rules do, and in seconds.
var timeUnits = [...]struct {
	code, word string
	seconds    float64
}{
	{"s", "second", 1},
	{"min", "minute", 60},
	{"h", "hour", 3600},
	{"d", "day", 86400},
	{"wk", "week", 604800},
	{"mo", "month", 2629800}, // of UCUM: a twelfth of a year
	{"a", "year", 31557600},  // of UCUM: 365.25 days
}

func (p *ruleReader) time() (float64, error) {
	number := p.run(digits + ".")
	value, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, wrongAt(p.at-len(number), "want a number")
	}
	unit := p.run(letters)
	for i := range timeUnits {
		u := &timeUnits[i]
		if unit == u.code || strings.EqualFold(strings.TrimRight(unit, "sS"), u.word) {
			return math.Round(value * u.seconds * 1000), nil
		}
	}
	return 0, wrongAt(p.at-len(unit), "want a unit from seconds to years")
}
