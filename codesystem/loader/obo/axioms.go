package obo

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem/classify"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources/r4"
)

// Axioms reads the hierarchy, the relationships and the logical definitions of an ontology, in the
// meaning that the OBO format has in OWL: a relationship is an existential restriction. Its classes
// are named like the codes of Load.
func Axioms(ctx context.Context, path string, opts loader.Options, o *classify.Ontology) error {
	r := loader.Begin(ctx, opts)
	defer func() { _ = r.Close() }()
	j := &job{reading: r, path: path}
	d := &definitions{o: o, metadata: map[classify.Role]bool{}}
	head := bytes.TrimLeft(loader.Peek(path, peeked), " \t\r\n")
	return j.pass(func(in *loader.Stream) error {
		if len(head) > 0 && head[0] == '{' {
			return d.graphs(in, r.Limits())
		}
		if err := each(in, d.stanza); err != nil {
			return err
		}
		for _, p := range d.pending {
			if !d.metadata[p.role] {
				o.Sub(p.sub, p.super)
			}
		}
		return nil
	})
}

// definitions adds the axioms of one ontology.
type definitions struct {
	o        *classify.Ontology
	pending  []related
	metadata map[classify.Role]bool // of relationships that are annotations, which are known last
}

// A related is a relationship of a term.
type related struct {
	role       classify.Role
	sub, super classify.Expr
}

// class returns the class of an identifier.
func (d *definitions) class(id string) classify.Expr {
	switch id = codeOf(id); id {
	case "owl:Thing", "http://www.w3.org/2002/07/owl#Thing":
		return classify.Top
	case "owl:Nothing", "http://www.w3.org/2002/07/owl#Nothing":
		return classify.Bottom
	}
	return d.o.Class(id)
}

// role returns the role of the name or IRI of a relation.
func (d *definitions) role(id string) classify.Role { return d.o.Role(codeOf(id)) }

func (d *definitions) stanza(s *stanza) error {
	switch s.kind {
	case "Term":
		code, ok, err := isTerm(s)
		if err != nil {
			return err
		}
		if !ok {
			d.o.Ignored["is_anonymous"]++
			return nil
		}
		return d.term(s, d.class(code))
	case "Typedef":
		return d.typedef(s, d.role(identifier(s.first("id"))))
	}
	return nil
}

// operands reads the identifiers in a value: a number of them, or a class alone.
func operands(t *tag, n int) ([]string, string, error) {
	value, qualifiers := structured(t.value)
	list := strings.Fields(value)
	for i := range list {
		list[i] = unescape(list[i])
	}
	if len(list) != n && (t.name != "intersection_of" || len(list) != 1) {
		return nil, "", fmt.Errorf("line %d: %w: %s: %.60q has %d identifiers, expected %d", t.line, loader.ErrFormat, t.name, t.value, len(list), n)
	}
	return list, qualifiers, nil
}

// term adds the axioms of a term.
func (d *definitions) term(s *stanza, c classify.Expr) error {
	o := d.o
	var parts, union []classify.Expr
	for i := range s.tags {
		t := &s.tags[i]
		n := 1
		switch t.name {
		case "name":
			o.Labels[c] = plain(t.value)
			continue
		case "relationship", "intersection_of":
			n = 2
		case "is_a", "union_of", "equivalent_to", "disjoint_from":
		default:
			continue
		}
		ids, qualifiers, err := operands(t, n)
		if err != nil {
			return err
		}
		if strings.Contains(strings.ToLower(qualifiers), "cardinality") || strings.Contains(qualifiers, "all_only") {
			o.Ignored["cardinality or all_only"]++
			continue
		}
		sub, other := c, d.class(ids[len(ids)-1])
		if len(ids) == 2 {
			other = o.Some(d.role(ids[0]), other)
		}
		if inContext(qualifiers) {
			role, filler := qualifier(qualifiers, "gci_relation"), qualifier(qualifiers, "gci_filler")
			if role == "" || filler == "" {
				return fmt.Errorf("line %d: %w: %.60q does not have both gci_relation and gci_filler", t.line, loader.ErrFormat, qualifiers)
			}
			sub = o.And(c, o.Some(d.role(role), d.class(filler)))
		}
		switch t.name {
		case "is_a":
			o.Sub(sub, other)
		case "relationship":
			d.pending = append(d.pending, related{d.role(ids[0]), sub, other})
		case "intersection_of":
			parts = append(parts, other)
		case "union_of":
			o.Sub(other, c)
			if !slices.Contains(union, other) {
				union = append(union, other)
			}
		case "equivalent_to":
			o.Equivalent(c, other)
		case "disjoint_from":
			o.Disjoint(c, other)
		}
	}
	switch len(union) {
	case 0:
	case 1:
		o.Sub(c, union[0])
	default: // that everything in the class is in one of them is not EL
		o.Ignored["union_of"]++
	}
	if parts != nil {
		o.Equivalent(c, o.And(parts...))
	}
	return nil
}

// qualifier returns the value of a qualifier, name="value".
func qualifier(qualifiers, name string) string {
	_, rest, _ := strings.Cut(qualifiers, name+"=")
	if text, _, ok := quoted(rest); ok {
		return text
	}
	rest, _, _ = strings.Cut(rest, ",")
	return unescape(strings.TrimSpace(rest))
}

// typedef adds the axioms of a relation.
func (d *definitions) typedef(s *stanza, r classify.Role) error {
	o := d.o
	for i := range s.tags {
		t := &s.tags[i]
		n := 1
		switch t.name {
		case "holds_over_chain", "equivalent_to_chain":
			n = 2
		case "is_a", "equivalent_to", "transitive_over", "domain", "range", "is_transitive", "is_reflexive", "is_metadata_tag":
		case "inverse_of", "disjoint_from", "intersection_of", "union_of", "disjoint_over", "is_symmetric", "is_asymmetric", "is_functional", "is_inverse_functional":
			if !strings.HasPrefix(t.value, "false") {
				o.Ignored[t.name]++
			}
			continue
		default:
			continue
		}
		ids, _, err := operands(t, n)
		if err != nil {
			return err
		}
		switch t.name {
		case "is_a":
			o.SubRole(d.role(ids[0]), r)
		case "equivalent_to":
			o.SubRole(d.role(ids[0]), r)
			o.SubRole(r, d.role(ids[0]))
		case "transitive_over":
			o.SubRole(r, r, d.role(ids[0]))
		case "holds_over_chain", "equivalent_to_chain":
			o.SubRole(r, d.role(ids[0]), d.role(ids[1]))
		case "domain":
			o.Sub(o.Some(r, classify.Top), d.class(ids[0]))
		case "range":
			o.Range(r, d.class(ids[0]))
		default:
			switch {
			case ids[0] != "true":
			case t.name == "is_transitive":
				o.SubRole(r, r, r)
			case t.name == "is_reflexive":
				o.Reflexive(r)
			default:
				d.metadata[r] = true
			}
		}
	}
	return nil
}

// graphs adds the axioms of OBO graphs.
func (d *definitions) graphs(in *loader.Stream, limits loader.Limits) error {
	return eachGraph(in, limits, func(s *r4.Scanner) {
		g := &graph{words: newVocabulary(), names: map[string]named{}, defs: d}
		g.words.header = loader.Header()
		g.read(s)
		for _, e := range g.all {
			_, term := g.words.terms[e.subject]
			switch {
			case e.predicate == "subPropertyOf":
				d.o.SubRole(d.role(e.object), d.role(e.subject))
			case e.predicate == "inverseOf":
				d.o.Ignored[e.predicate]++
			case !term || e.object == "" || e.predicate == "type":
			case e.predicate == "is_a":
				d.o.Sub(d.class(e.subject), d.class(e.object))
			default:
				d.o.Sub(d.class(e.subject), d.o.Some(d.role(e.predicate), d.class(e.object)))
			}
		}
	})
}

// member reads a member of a graph that has axioms, and reports whether it is one.
func (d *definitions) member(s *r4.Scanner) bool {
	name := string(s.Name())
	switch name {
	case "equivalentNodesSets", "logicalDefinitionAxioms", "propertyChainAxioms", "domainRangeAxioms":
	default:
		return false
	}
	list(s, func() {
		ids := map[string][]string{}
		var parts []classify.Expr
		if !s.Object() {
			return
		}
		for s.Member() {
			switch key := string(s.Name()); key {
			case "nodeIds", "genusIds", "chainPredicateIds", "domainClassIds", "rangeClassIds":
				list(s, func() { ids[key] = append(ids[key], string(s.Text())) })
			case "definedClassId", "predicateId":
				ids[key] = []string{string(s.Text())}
			case "restrictions":
				list(s, func() {
					var property, filler string
					if !s.Object() {
						return
					}
					for s.Member() {
						switch string(s.Name()) {
						case "propertyId":
							property = string(s.Text())
						case "fillerId":
							filler = string(s.Text())
						default:
							s.Skip()
						}
					}
					parts = append(parts, d.o.Some(d.role(property), d.class(filler)))
				})
			default:
				s.Skip()
			}
		}
		d.axiom(ids, parts)
	})
	return true
}

// axiom adds an axiom of a graph: what it refers to by the names of its members, and restrictions.
func (d *definitions) axiom(ids map[string][]string, parts []classify.Expr) {
	for _, key := range [...]string{"nodeIds", "genusIds"} {
		for _, id := range ids[key] {
			parts = append(parts, d.class(id))
		}
	}
	var chain []classify.Role
	for _, id := range ids["chainPredicateIds"] {
		chain = append(chain, d.role(id))
	}
	if defined := ids["definedClassId"]; defined != nil {
		if len(parts) > 0 {
			d.o.Equivalent(d.class(defined[0]), d.o.And(parts...))
		}
		return
	}
	if len(parts) > 1 {
		d.o.Equivalent(parts...)
	}
	for _, id := range ids["predicateId"] {
		r := d.role(id)
		if len(chain) > 0 {
			d.o.SubRole(r, chain...)
		}
		for _, c := range ids["domainClassIds"] {
			d.o.Sub(d.o.Some(r, classify.Top), d.class(c))
		}
		for _, c := range ids["rangeClassIds"] {
			d.o.Range(r, d.class(c))
		}
	}
}
