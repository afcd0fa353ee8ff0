package bcp47

import (
	"fmt"
	"slices"
	"strings"
)

// maxLength bounds a tag in bytes. RFC 5646 (4.4.1) requires at least 35.
const maxLength = 255

// Parse reads a tag. Errors are *Error.
func Parse(tag string) (*Tag, error) {
	r, err := load()
	if err != nil {
		return nil, err
	}
	if len(tag) > maxLength {
		return nil, &Error{Tag: tag, At: maxLength, Reason: fmt.Sprintf("more than %d characters", maxLength)}
	}
	if at := strings.IndexFunc(tag, func(c rune) bool { return c > '~' }); at >= 0 {
		return nil, &Error{Tag: tag, At: at, Reason: "only ASCII letters, digits and hyphens make a tag"}
	}
	p := parser{registry: r, tag: tag}
	lower := strings.ToLower(tag)
	if r.names(grandfathered, lower) != nil {
		p.out.whole = lower
	} else if err := p.read(lower); err != nil {
		return nil, err
	}
	p.out.describe(r)
	return &p.out, nil
}

// parser reads the subtags from left to right.
type parser struct {
	registry *registry
	tag      string
	subtags  []string // in lower case
	next     int
	out      Tag
}

func (p *parser) read(lower string) error {
	p.subtags = strings.Split(lower, "-")
	for i, s := range p.subtags {
		if len(s) == 0 || len(s) > 8 || strings.IndexFunc(s, notAlphanumeric) >= 0 {
			return p.fail(i, fmt.Sprintf("'%s' is not a subtag", s))
		}
	}
	if p.subtags[0] != "x" {
		if err := p.langtag(); err != nil {
			return err
		}
	}
	if p.is("x") {
		if p.next == len(p.subtags)-1 {
			return p.fail(p.next, "nothing follows 'x'")
		}
		p.out.PrivateUse = strings.Join(p.subtags[p.next:], "-")
		p.next = len(p.subtags)
	}
	if p.next < len(p.subtags) {
		return p.fail(p.next, fmt.Sprintf("The subtag '%s' is unknown, or has no place", p.subtags[p.next]))
	}
	return nil
}

// langtag reads everything except private use.
func (p *parser) langtag() error {
	first := p.subtags[0]
	if p.registry.names(language, first) == nil {
		return p.fail(0, fmt.Sprintf("The language '%s' is unknown", first))
	}
	p.out.Language = first
	p.next = 1
	for len(p.out.Extlangs) < 3 && p.take(extlang, 3) {
		p.out.Extlangs = append(p.out.Extlangs, p.taken())
	}
	if p.take(script, 4) {
		s := p.taken()
		p.out.Script = strings.ToUpper(s[:1]) + s[1:]
	}
	if p.take(region, 0) {
		p.out.Region = strings.ToUpper(p.taken())
	}
	for p.take(variant, 0) {
		v := p.taken()
		if slices.Contains(p.out.Variants, v) {
			return p.fail(p.next-1, fmt.Sprintf("'%s' is there twice", v))
		}
		p.out.Variants = append(p.out.Variants, v)
	}
	return p.extensions()
}

// extensions reads the parts that a letter or digit other than x begins.
func (p *parser) extensions() error {
	seen := map[string]bool{}
	for p.next < len(p.subtags) && len(p.subtags[p.next]) == 1 && !p.is("x") {
		start := p.next
		singleton := p.subtags[start]
		if seen[singleton] {
			return p.fail(start, fmt.Sprintf("'%s' is there twice", singleton))
		}
		seen[singleton] = true
		for p.next++; p.next < len(p.subtags) && len(p.subtags[p.next]) > 1; p.next++ {
		}
		if p.next == start+1 {
			return p.fail(start, fmt.Sprintf("nothing follows '%s'", singleton))
		}
		p.out.Extensions = append(p.out.Extensions, strings.Join(p.subtags[start:p.next], "-"))
	}
	return nil
}

// take moves past a registered subtag of a kind, with that length unless length is 0.
func (p *parser) take(k kind, length int) bool {
	if p.next >= len(p.subtags) {
		return false
	}
	s := p.subtags[p.next]
	if length > 0 && len(s) != length || p.registry.names(k, s) == nil {
		return false
	}
	p.next++
	return true
}

// taken returns the subtag that take moved past.
func (p *parser) taken() string { return p.subtags[p.next-1] }

func (p *parser) is(subtag string) bool {
	return p.next < len(p.subtags) && p.subtags[p.next] == subtag
}

// fail returns an error at a subtag.
func (p *parser) fail(subtag int, reason string) error {
	at := subtag // the hyphens
	for _, s := range p.subtags[:subtag] {
		at += len(s)
	}
	return &Error{Tag: p.tag, At: at, Reason: reason}
}

func notAlphanumeric(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9')
}
