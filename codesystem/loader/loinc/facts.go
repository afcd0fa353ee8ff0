package loinc

import (
	"strings"

	"github.com/roget-health/roget/codesystem/loader"
)

// facts collects what is known about terms and parts before they are added. Facts are stored by
// code, in a few words each, since a release has millions.
type facts struct {
	number  map[string]uint32 // of a code
	links   loader.Chains[link]
	names   loader.Chains[name]
	parents loader.Chains[string]
	words   map[string]string // frequent texts, stored once
}

// link is a property that names a concept of LOINC, or has plain text.
type link struct {
	property, code, display string
}

// name is a designation.
type name struct {
	language, use, text string
}

func newFacts() facts { return facts{number: map[string]uint32{}, words: map[string]string{}} }

// of returns the number of a code.
func (f *facts) of(code string) uint32 {
	if n, ok := f.number[code]; ok {
		return n
	}
	n := uint32(len(f.number))
	f.number[strings.Clone(code)] = n
	return n
}

// word returns a text that does not share the memory of its row.
func (f *facts) word(text string) string {
	if w, ok := f.words[text]; ok {
		return w
	}
	text = strings.Clone(text)
	f.words[text] = text
	return text
}

// text returns a text of a row that does not share its memory.
func (l *load) text(rows *loader.Rows, column int) string { return l.facts.word(rows.Text(column)) }

// link records a property of a code, once.
func (f *facts) link(code string, l link) {
	n := f.of(code)
	for had := range f.links.Of(n) {
		if had.property == l.property && had.code == l.code {
			return
		}
	}
	f.links.Add(n, link{f.word(l.property), f.word(l.code), f.word(l.display)})
}

// name records a designation of a code.
func (f *facts) name(code, language, use, text string) {
	if text != "" {
		f.names.Add(f.of(code), name{language, use, strings.Clone(text)})
	}
}

// parent records a parent of a code, once.
func (f *facts) parent(code, parent string) {
	n := f.of(code)
	for had := range f.parents.Of(n) {
		if had == parent {
			return
		}
	}
	f.parents.Add(n, f.word(parent))
}
