package catalog

import (
	"context"
	"slices"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/expression"
	"github.com/roget-health/roget/codesystem/grammar"
	"github.com/roget-health/roget/resources/r4"
)

// grammarOrigin is the Origin of entries of grammars.
const grammarOrigin = "built in"

// GrammarEntries returns entries for the code systems of package codesystem/grammar, and for value
// sets of their codes in common use. The entries are BuiltIn. Nothing is read until an entry is
// used.
func GrammarEntries() []*Entry {
	var entries []*Entry
	for _, s := range grammar.Systems() {
		system := grammarEntry(s, func() (*codesystem.Index, error) {
			return grammar.Common(context.Background(), s)
		})
		entries = append(entries, system)
		if list := s.Usual(); list != nil {
			system.Concepts = list.Len
			entries = append(entries, &Entry{
				Header: list.Header, Origin: grammarOrigin, BuiltIn: true,
				ValueSet: func() (*r4.ValueSet, error) { return list.ValueSet(s.URL()), nil },
			})
		}
	}
	return entries
}

// grammarEntry returns the entry of a grammar with an index. The resource has no concepts, because
// those of the index are not complete.
func grammarEntry(s grammar.System, index func() (*codesystem.Index, error)) *Entry {
	h := s.Header()
	return &Entry{
		Header: h.Header, Content: h.Content, AllCodes: h.ValueSet,
		Origin: grammarOrigin, BuiltIn: true, Grammar: s, CodeSystem: index,
		Document: func() ([]byte, error) {
			h := s.Header()
			h.Content = "not-present"
			return h.AppendJSON(nil), nil
		},
	}
}

// ViewEntry returns an entry for the grammar of r with the index x.
func ViewEntry(r *Record, x *codesystem.Index) *Entry {
	entry := grammarEntry(r.Grammar, func() (*codesystem.Index, error) { return x, nil })
	entry.Header = r.Header
	return entry
}

// Grammar returns the record of a code system that is defined by a grammar, nil for others.
func (st *State) Grammar(url, version string) *Record {
	if !grammar.Known(url) {
		return nil
	}
	r, _ := st.Shelf(KindCodeSystem).Find(url, version)
	if r == nil || r.Grammar == nil {
		return nil
	}
	return r
}

// Makes reports whether the grammar of r has a code that its index x does not have.
func Makes(r *Record, x *codesystem.Index, code string) bool {
	if _, listed := x.Find(code); listed {
		return false
	}
	_, err := r.Grammar.Concept(code)
	return err == nil
}

// Malformed returns what is wrong with a code that a grammar, or an edition of SNOMED CT as an
// expression, does not have; "" if the code system has no grammar.
func (st *State) Malformed(url, version, code string) string {
	if url == SNOMED && expression.Composed(code) {
		if x, err := st.System(url, version); err == nil {
			return NotComposed(x, code)
		}
	}
	r := st.Grammar(url, version)
	if r == nil {
		return ""
	}
	if _, err := r.Grammar.Concept(code); err != nil {
		return err.Error()
	}
	return ""
}

// NotComposed returns what is wrong with an expression in an edition, "" if nothing is or the code is
// no expression.
func NotComposed(x *codesystem.Index, code string) string {
	if x.URL() != SNOMED || !expression.Composed(code) {
		return ""
	}
	ctx := context.Background() // little is read
	m, err := expression.NewModel(ctx, x)
	if err == nil {
		_, _, err = m.Read(ctx, code)
	}
	if err == nil {
		return ""
	}
	return err.Error()
}

// Mismatches returns why a code of a grammar does not pass the filters of a value set, if the
// grammar knows the reason.
func (st *State) Mismatches(vs *r4.ValueSet, url, version, code string) []string {
	r := st.Grammar(url, version)
	if r == nil || vs == nil || vs.Compose == nil {
		return nil
	}
	var texts []string
	for i := range vs.Compose.Include {
		inc := &vs.Compose.Include[i]
		if inc.System != url {
			continue
		}
		for _, f := range inc.Filter {
			if text := r.Grammar.Mismatch(code, f); text != "" && !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// LookupProperties returns the properties of a lookup. By default, computed properties of a
// grammar are left out.
func (st *State) LookupProperties(x *codesystem.Index, asked []string) []string {
	if len(asked) > 0 || st.Grammar(x.URL(), x.Version()) == nil {
		return asked
	}
	return []string{"definition", "designation", "inactive"}
}
