package patch

import (
	"strconv"
	"strings"

	"github.com/roget-health/roget/resources/document"
)

// A pointer is a JSON Pointer (RFC 6901), split into its tokens. Without tokens it is the whole
// document.
type pointer struct {
	text   string
	tokens []string
}

func parsePointer(text string) (pointer, error) {
	p := pointer{text: text}
	if text == "" {
		return p, nil
	}
	if text[0] != '/' {
		return p, malformed("the pointer %q must begin with /", text)
	}
	p.tokens = strings.Split(text[1:], "/")
	for i, token := range p.tokens {
		for at := range len(token) {
			if token[at] == '~' && (at+1 == len(token) || token[at+1] != '0' && token[at+1] != '1') {
				return p, malformed("in the pointer %q, 0 or 1 must follow ~", text)
			}
		}
		p.tokens[i] = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
	}
	return p, nil
}

// within reports whether p is inside q.
func (p pointer) within(q pointer) bool {
	if len(p.tokens) <= len(q.tokens) {
		return false
	}
	for i, token := range q.tokens {
		if p.tokens[i] != token {
			return false
		}
	}
	return true
}

// find returns the value at a pointer.
func (p pointer) find(d *document.Document) (document.Value, error) {
	v, err := p.walk(d, p.tokens)
	if err == nil && !v.Exists() {
		err = unfit("there is no value at %q", p.text)
	}
	return v, err
}

// parent returns the container of the value at a pointer, and the last token.
func (p pointer) parent(d *document.Document) (document.Value, string, error) {
	last := len(p.tokens) - 1
	v, err := p.walk(d, p.tokens[:last])
	if err != nil {
		return v, "", err
	}
	if v.Kind() != document.Object && v.Kind() != document.Array {
		return v, "", unfit("the container of %q does not exist", p.text)
	}
	return v, p.tokens[last], nil
}

func (p pointer) walk(d *document.Document, tokens []string) (document.Value, error) {
	v := d.Root()
	for _, token := range tokens {
		if v.Kind() != document.Array {
			v = v.Get(token)
			continue
		}
		i, err := p.index(token)
		if err != nil {
			return v, err
		}
		v = v.Index(i)
	}
	return v, nil
}

// index parses the index of an item: digits without a leading zero.
func (p pointer) index(token string) (int, error) {
	i, err := strconv.Atoi(token)
	if err != nil || i < 0 || strconv.Itoa(i) != token {
		return 0, unfit("%q in %q is not an index", token, p.text)
	}
	return i, nil
}
