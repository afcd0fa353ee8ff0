package owl

import (
	"strings"

	"github.com/roget-health/roget/codesystem/classify"
)

// axiom reads an axiom, a prefix or an ontology.
func (r *Reader) axiom() {
	name := r.take(word, "an axiom such as SubClassOf(…)")
	r.take(open, `"("`)
	r.not = ""
	switch name {
	case "Prefix":
		prefix := r.text[r.from:r.at]
		r.take(word, "a prefix")
		r.take(equals, `"="`)
		full := r.take(iri, "an IRI")
		r.prefixes[strings.TrimSuffix(prefix, ":")] = full[1 : len(full)-1]
		r.take(closing, `")"`)
		return
	case "Ontology":
		for r.token == iri {
			r.next()
		}
		for r.token != closing {
			r.axiom()
		}
		r.next()
		return
	case "Declaration":
		if r.text[r.from:r.at] == "Class" {
			r.next()
			r.take(open, `"("`)
			r.class()
			r.take(closing, `")"`)
			r.take(closing, `")"`)
			return
		}
		r.skip()
		return
	case "Annotation", "AnnotationAssertion", "SubAnnotationPropertyOf", "AnnotationPropertyDomain", "AnnotationPropertyRange", "Import":
		r.skip()
		return
	}
	for r.token == word && r.text[r.from:r.at] == "Annotation" {
		r.next()
		r.take(open, `"("`)
		r.skip()
	}
	add := r.statement(name)
	if add == nil {
		r.skip()
		r.o.Ignored[name]++
		return
	}
	if r.token != closing {
		r.fail(`")"`)
	}
	r.next()
	if r.not != "" {
		r.o.Ignored[r.not]++
		return
	}
	add()
}

// statement reads the arguments of an axiom, and returns what adds it: nil if it is not EL.
func (r *Reader) statement(name string) func() {
	o := r.o
	switch name {
	case "SubClassOf":
		sub, super := r.expr(), r.expr()
		return func() { o.Sub(sub, super) }
	case "EquivalentClasses":
		list := r.exprs()
		return func() { o.Equivalent(list...) }
	case "DisjointClasses":
		list := r.exprs()
		return func() { o.Disjoint(list...) }
	case "SubObjectPropertyOf", "SubDataPropertyOf":
		chain := r.chain()
		super := r.role()
		return func() { o.SubRole(super, chain...) }
	case "EquivalentObjectProperties", "EquivalentDataProperties":
		first := r.role()
		list := []classify.Role{r.role()}
		for r.token != closing {
			list = append(list, r.role())
		}
		return func() {
			for _, other := range list {
				o.SubRole(first, other)
				o.SubRole(other, first)
			}
		}
	case "TransitiveObjectProperty":
		role := r.role()
		return func() { o.SubRole(role, role, role) }
	case "ReflexiveObjectProperty":
		role := r.role()
		return func() { o.Reflexive(role) }
	case "ObjectPropertyDomain", "DataPropertyDomain":
		role, domain := r.role(), r.expr()
		return func() { o.Sub(o.Some(role, classify.Top), domain) }
	case "ObjectPropertyRange":
		role, of := r.role(), r.expr()
		return func() { o.Range(role, of) }
	}
	return nil
}

// chain reads a role or a chain of roles.
func (r *Reader) chain() []classify.Role {
	if r.token != word || r.text[r.from:r.at] != "ObjectPropertyChain" {
		return []classify.Role{r.role()}
	}
	r.next()
	r.take(open, `"("`)
	list := []classify.Role{r.role(), r.role()}
	for r.token != closing {
		list = append(list, r.role())
	}
	r.next()
	return list
}

// role reads a property. An inverse one is not EL.
func (r *Reader) role() classify.Role {
	if r.beyond() {
		return 0
	}
	return r.o.Role(r.name())
}

// beyond passes over an expression that is not EL, and reports whether there is one.
func (r *Reader) beyond() bool {
	if r.token != word || strings.Contains(r.text[r.from:r.at], ":") {
		return false
	}
	r.not = r.take(word, "")
	r.take(open, `"("`)
	r.skip()
	return true
}

// exprs reads two or more expressions.
func (r *Reader) exprs() []classify.Expr {
	list := []classify.Expr{r.expr(), r.expr()}
	for r.token != closing {
		list = append(list, r.expr())
	}
	return list
}

// expr reads a class expression.
func (r *Reader) expr() (e classify.Expr) {
	if r.depth++; r.depth > maxDepth {
		r.fail("less deeply nested expressions")
	}
	defer func() { r.depth-- }()
	name := ""
	if r.token == word {
		name = r.text[r.from:r.at]
	}
	switch name {
	default:
		if r.beyond() {
			return e
		}
		return r.class()
	case "ObjectIntersectionOf", "ObjectSomeValuesFrom", "DataHasValue":
	}
	r.next()
	r.take(open, `"("`)
	switch name {
	case "ObjectIntersectionOf":
		e = r.o.And(r.exprs()...)
	case "ObjectSomeValuesFrom":
		role := r.role()
		filler := r.expr()
		if r.not == "" {
			e = r.o.Some(role, filler)
		}
	case "DataHasValue":
		role := r.role()
		if value := r.o.Literal(r.literal()); r.not == "" {
			e = r.o.Some(role, value)
		}
	}
	r.take(closing, `")"`)
	return e
}

// class reads the name of a class.
func (r *Reader) class() classify.Expr {
	switch name := r.name(); name {
	case owlIRI + "Thing":
		return classify.Top
	case owlIRI + "Nothing":
		return classify.Bottom
	default:
		return r.o.Class(name)
	}
}

// literal reads a literal in the canonical form of its type: integers and decimals without signs
// and zeros that mean nothing, other types as they are written.
func (r *Reader) literal() string {
	text := r.take(quote, "a literal")
	switch suffix := r.text[r.from:r.at]; {
	case r.token != word:
		return text
	case strings.HasPrefix(suffix, "@"):
		r.next()
		return text + strings.ToLower(suffix)
	case !strings.HasPrefix(suffix, "^^"):
		r.fail("the type of a literal, a language or the end of the expression")
	}
	r.from += 2
	if r.at = r.from; r.at == len(r.text) {
		r.fail("a type")
	}
	r.next()
	kind := r.name()
	switch strings.TrimPrefix(kind, xsdIRI) {
	case "decimal", "integer", "int", "long", "short", "byte", "nonNegativeInteger", "positiveInteger", "unsignedInt", "unsignedLong", "negativeInteger", "nonPositiveInteger":
		return number(text[1 : len(text)-1])
	case "string":
		return text
	}
	return text + "^^" + kind
}

// number returns the canonical form of a decimal number.
func number(s string) string {
	s = strings.TrimPrefix(strings.TrimSpace(s), "+")
	rest, negative := strings.CutPrefix(s, "-")
	whole, fraction, _ := strings.Cut(rest, ".")
	whole, fraction = strings.TrimLeft(whole, "0"), strings.TrimRight(fraction, "0")
	if whole == "" {
		whole = "0"
	}
	if fraction != "" {
		whole += "." + fraction
	}
	if negative && whole != "0" {
		whole = "-" + whole
	}
	return whole
}
