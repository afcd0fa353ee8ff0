package index

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"
	"sort"
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/fhirpath"
)

// plan is how values are extracted from documents of one type.
type plan struct {
	typ    string
	steps  []extraction        // by number
	fields map[uint32][]uint32 // number of a parameter to the numbers that its entries are stored under
	loose  map[uint32]loose    // number of a parameter to the elements of its tokens
}

// loose reports which tokens are compared without case, or as telephone numbers.
type loose struct{ strings, phones bool }

// extraction is one search parameter.
type extraction struct {
	number     uint32
	kind       definitions.ParamKind
	expression *fhirpath.Expression
	components []component
	same       int  // an earlier step with the same values, -1 if none
	entries    bool // the parameter has entries under its own number
}

// component is a component of a composite.
type component struct {
	kind       definitions.ParamKind
	expression *fhirpath.Expression
}

// recorded reports whether a parameter is answered by the Record.
func recorded(p *definitions.SearchParam) bool {
	return p.Expression == "" || p.Code == "_id" || p.Code == "_lastUpdated"
}

// newPlan makes the plan of a type.
func newPlan(t *definitions.Tables, typ string) (*plan, error) {
	params := slices.DeleteFunc(slices.Clone(t.SearchParams(typ)), recorded)
	slices.SortFunc(params, func(a, b *definitions.SearchParam) int { return cmp.Compare(a.Number, b.Number) })
	p := &plan{typ: typ, fields: sources(params), loose: map[uint32]loose{}}
	for i, param := range params {
		if param.Kind == definitions.Token {
			p.loose[param.Number] = looseOf(t, param)
		}
		s := extraction{number: param.Number, kind: param.Kind, same: -1, entries: p.fields[param.Number][0] == param.Number}
		var err error
		if s.expression, err = fhirpath.Compile(param.Expression); err != nil {
			return nil, fmt.Errorf("search parameter %s.%s: %w", typ, param.Code, err)
		}
		for _, c := range param.Components {
			e, err := fhirpath.Compile(c.Expression)
			if err != nil {
				return nil, fmt.Errorf("search parameter %s.%s: %w", typ, param.Code, err)
			}
			s.components = append(s.components, component{c.Param.Kind, e})
		}
		s.same = slices.IndexFunc(params[:i], func(q *definitions.SearchParam) bool {
			return q.Expression == param.Expression && signature(q) == signature(param)
		})
		p.steps = append(p.steps, s)
	}
	return p, nil
}

// signature identifies how a parameter makes values from elements.
func signature(p *definitions.SearchParam) string {
	s := p.Kind.String()
	for _, c := range p.Components {
		s += "$" + c.Param.Kind.String() + " " + c.Expression
	}
	return s
}

// sources maps each parameter to the parameters whose entries answer it: usually itself, but no
// entries are stored if those of other parameters, taken together, cover the same elements. A
// where() at the end of an expression is ignored here, which makes the ranges wider; values decide.
// For example, the entries of Encounter.subject answer Encounter.patient.
func sources(params []*definitions.SearchParam) map[uint32][]uint32 {
	type source struct {
		number uint32
		parts  []string
		narrow bool
	}
	list := make([]source, 0, len(params))
	for _, p := range params {
		s := source{number: p.Number}
		s.parts, s.narrow = parts(p)
		list = append(list, s)
	}
	sort.SliceStable(list, func(i, j int) bool {
		a, b := &list[i], &list[j]
		if a.narrow != b.narrow {
			return b.narrow
		}
		return len(a.parts) < len(b.parts)
	})
	found := make(map[uint32][]uint32, len(params))
	var kept []source
	for _, s := range list {
		var numbers []uint32
		missing := slices.Clone(s.parts)
		for _, k := range kept {
			within := !slices.ContainsFunc(k.parts, func(part string) bool { return !slices.Contains(s.parts, part) })
			helps := slices.ContainsFunc(k.parts, func(part string) bool { return slices.Contains(missing, part) })
			if within && helps {
				numbers = append(numbers, k.number)
				missing = slices.DeleteFunc(missing, func(part string) bool { return slices.Contains(k.parts, part) })
			}
		}
		if len(missing) == 0 {
			found[s.number] = numbers
			continue
		}
		found[s.number] = []uint32{s.number}
		if !s.narrow {
			kept = append(kept, s)
		}
	}
	return found
}

// parts returns the paths that an expression unites, each with its signature and without a trailing
// where(), and whether there was a trailing where().
func parts(p *definitions.SearchParam) (list []string, narrow bool) {
	how := signature(p)
	for _, part := range strings.Split(p.Expression, " | ") {
		part = unwrap(part)
		if path, typ, found := strings.Cut(part, " as "); found && !strings.Contains(part, "(") {
			part = path + ".as(" + typ + ")"
		}
		if path, condition, found := strings.Cut(part, ".where"); found && closes(condition) {
			part, narrow = path, true
		}
		list = append(list, how+" "+part)
	}
	return list, narrow
}

// unwrap removes enclosing parentheses.
func unwrap(s string) string {
	s = strings.TrimSpace(s)
	for closes(s) {
		s = strings.TrimSpace(s[1 : len(s)-1])
	}
	return s
}

// closes reports whether a text begins with a parenthesis that closes at its end.
func closes(s string) bool {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i == len(s)-1 && s[0] == '('
			}
		}
	}
	return false
}

// once reports whether an expression yields at most one element: a path without repeating elements,
// or several that end in variants of the same choice.
func once(t *definitions.Tables, p *definitions.SearchParam) bool {
	list, _ := parts(p)
	first := ""
	for i, part := range list {
		path := pathOf(part)
		if i == 0 {
			first = path
		}
		if path != first {
			return false
		}
	}
	single := true
	known := elements(t, first, func(e *definitions.Element) { single = single && !e.Repeats() })
	return known && single
}

// pathOf returns the path of a part, without the type of a choice at its end.
func pathOf(part string) string {
	path := part[strings.IndexByte(part, ' ')+1:]
	if i := strings.Index(path, ".as("); i >= 0 && closes(path[i+len(".as"):]) {
		path = path[:i]
	}
	return path
}

// elements visits the elements of a path, of a choice the first variant. It reports whether all of
// them are known.
func elements(t *definitions.Tables, path string, visit func(e *definitions.Element)) bool {
	names := strings.Split(path, ".")
	typ := t.Type(names[0])
	for _, name := range names[1:] {
		if typ == nil {
			return false
		}
		e := typ.Element(name)
		if e == nil {
			if choices := typ.Choices(name + "[x]"); len(choices) > 0 {
				e = choices[0]
			}
		}
		if e == nil {
			return false
		}
		visit(e)
		typ = e.Type
	}
	return true
}

// looseOf returns how the tokens of a parameter may be compared.
func looseOf(t *definitions.Tables, p *definitions.SearchParam) (found loose) {
	list, _ := parts(p)
	for _, part := range list {
		if strings.HasSuffix(part, ".as(CodeableConcept)") {
			continue
		}
		var last *definitions.Element
		switch known := elements(t, pathOf(part), func(e *definitions.Element) { last = e }); {
		case !known || last == nil || last.Choice:
			return loose{true, true}
		case last.TypeCode == "ContactPoint":
			found = loose{true, true}
		case last.TypeCode == "Identifier" || last.TypeCode == "string":
			found.strings = true
		}
	}
	return found
}

// layout must be increased when extraction, entries, or the encoding of Values change.
const layout = 4

// Format identifies the format of entries and Values. It changes whenever stored documents must be
// indexed again, because the layout or a search parameter changed.
func (x *Extractor) Format() string {
	h := fnv.New64a()
	var number [4]byte
	for _, typ := range x.tables.Resources() {
		for _, p := range x.tables.SearchParams(typ) {
			if recorded(p) {
				continue
			}
			binary.BigEndian.PutUint32(number[:], p.Number)
			_, _ = h.Write(number[:]) // a hash never fails
			_, _ = h.Write([]byte(p.Expression + "\n" + signature(p) + "\n"))
		}
	}
	return fmt.Sprintf("%d-%016x", layout, h.Sum64())
}
