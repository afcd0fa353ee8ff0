// Package owl reads axioms in the functional syntax of OWL 2, as the OWL expression reference set
// of SNOMED CT and ontology documents have them, into an ontology to be classified.
//
// Axioms that are not of the profile EL are left out, and counted under the name of what is not.
// Annotations mean nothing here.
package owl

import (
	"errors"
	"fmt"
	"strings"

	"github.com/roget-health/roget/codesystem/classify"
)

// ErrSyntax is wrapped by errors about text that is not functional syntax.
var ErrSyntax = errors.New("not functional syntax of OWL")

// A SyntaxError tells where a text is wrong. Lines and columns (in bytes) count from 1.
type SyntaxError struct {
	Line, Column int
	Text         string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Text)
}

func (e *SyntaxError) Unwrap() error { return ErrSyntax }

// maxDepth bounds the nesting of expressions.
const maxDepth = 500

const (
	owlIRI    = "http://www.w3.org/2002/07/owl#"
	xsdIRI    = "http://www.w3.org/2001/XMLSchema#"
	snomedIRI = "http://snomed.info/id/"
	purl      = "http://purl.obolibrary.org/obo/"
)

// A Reader adds axioms to an ontology. Names are IRIs, those of SNOMED CT and of the OBO Foundry as
// codes: 73211009, HP:0000118.
type Reader struct {
	o        *classify.Ontology
	prefixes map[string]string

	text  string
	at    int // end of the token
	from  int // its start
	token token
	depth int
	not   string // what in the current axiom is not EL
}

type token byte

const (
	end token = iota
	open
	closing
	equals
	word
	iri
	quote
)

// NewReader returns a reader with the prefixes of the OWL expression reference set.
func NewReader(o *classify.Ontology) *Reader {
	return &Reader{o: o, prefixes: map[string]string{"": snomedIRI, "owl": owlIRI, "xsd": xsdIRI}}
}

// Read adds the axioms of a text: a document, or axioms without one. The error is a *SyntaxError.
func (r *Reader) Read(text string) (err error) {
	r.text, r.at, r.depth = text, 0, 0
	defer func() {
		r.text = ""
		if p := recover(); p != nil {
			e, ok := p.(*SyntaxError)
			if !ok {
				panic(p)
			}
			err = e
		}
	}()
	for r.next(); r.token != end; {
		r.axiom()
	}
	return nil
}

// fail ends Read with an error at the token.
func (r *Reader) fail(expected string) {
	before := r.text[:r.from]
	found := "the end"
	if r.token != end {
		found = fmt.Sprintf("%.40q", r.text[r.from:])
	}
	panic(&SyntaxError{
		1 + strings.Count(before, "\n"), r.from - strings.LastIndexByte(before, '\n'),
		fmt.Sprintf("expected %s, found %s", expected, found),
	})
}

// next reads a token.
func (r *Reader) next() {
	for r.at < len(r.text) {
		if c := r.text[r.at]; c == '#' {
			if n := strings.IndexByte(r.text[r.at:], '\n'); n >= 0 {
				r.at += n
				continue
			}
			r.at = len(r.text)
		} else if c > ' ' {
			break
		} else {
			r.at++
		}
	}
	r.from = r.at
	if r.at == len(r.text) {
		r.token = end
		return
	}
	r.at++
	r.token = word
	switch r.text[r.from] {
	case '(':
		r.token = open
	case ')':
		r.token = closing
	case '=':
		r.token = equals
	case '<':
		n := strings.IndexAny(r.text[r.at:], "> \n")
		if n < 0 || r.text[r.at+n] != '>' {
			r.fail("an IRI that ends with >")
		}
		r.token, r.at = iri, r.at+n+1
	case '"':
		for ; r.at < len(r.text) && r.text[r.at] != '"'; r.at++ {
			if r.text[r.at] == '\\' {
				r.at++
			}
		}
		if r.at >= len(r.text) {
			r.at = len(r.text)
			r.fail("a literal that ends with a quote")
		}
		r.token, r.at = quote, r.at+1
	default:
		n := strings.IndexAny(r.text[r.from:], "()<>=\" \t\r\n")
		switch n {
		case -1:
			n = len(r.text) - r.from
		case 0:
			r.fail("an axiom, a name or a literal")
		}
		r.token, r.at = word, r.from+n
	}
}

// take reads a token that must be of a kind, and returns its text.
func (r *Reader) take(want token, name string) string {
	if r.token != want {
		r.fail(name)
	}
	text := r.text[r.from:r.at]
	r.next()
	return text
}

// skip passes over the rest of what was opened, with its end.
func (r *Reader) skip() {
	for depth := 1; depth > 0; r.next() {
		switch r.token {
		case open:
			depth++
		case closing:
			depth--
		case end:
			r.fail(`")"`)
		}
	}
}

// name reads an IRI and returns what it is called here.
func (r *Reader) name() string {
	if r.token == iri {
		text := r.take(iri, "")
		return short(text[1 : len(text)-1])
	}
	prefix, local, ok := strings.Cut(r.text[r.from:r.at], ":")
	if r.token != word || !ok || local == "" {
		r.fail("a name such as :73211009 or <http://example.org/a>")
	}
	full, known := r.prefixes[prefix]
	if !known {
		r.fail(fmt.Sprintf("a prefix that was declared, such as Prefix(%s:=<…>)", prefix))
	}
	r.next()
	if full == snomedIRI {
		return local
	}
	return short(full + local)
}

// short shortens an IRI.
func short(full string) string {
	if code, ok := strings.CutPrefix(full, snomedIRI); ok {
		return code
	}
	if local, ok := strings.CutPrefix(full, purl); ok {
		if space, number, ok := strings.Cut(local, "_"); ok && space != "" && number != "" && !strings.ContainsAny(local, "#/") {
			return space + ":" + number
		}
	}
	return full
}
