package obo

import (
	"fmt"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources/r4"
)

// oio is the prefix of the IRIs of annotations in OWL.
const oio = "http://www.geneontology.org/formats/oboInOwl#"

// A graph is the result of the first pass over one OBO graph.
type graph struct {
	words *vocabulary
	edges map[string][]edge // edges of terms, by the code of the subject
	all   []edgeOf
	names map[string]named // properties by IRI
	terms int

	defs *definitions // nil: they are not read
}

type edge struct{ predicate, object string }

type edgeOf struct {
	subject string
	edge
}

// graphs reads OBO graphs: first edges and properties, then the nodes.
func (j *job) graphs() error {
	var list []*graph
	err := j.pass(func(in *loader.Stream) error {
		return eachGraph(in, j.reading.Limits(), func(s *r4.Scanner) {
			g := &graph{words: newVocabulary(), names: map[string]named{}}
			g.words.header = loader.Header()
			g.read(s)
			if s.Err() == nil {
				if err := g.finish(j.identity); err != nil {
					s.FailWith("invalid", err)
				}
			}
			list = append(list, g)
		})
	})
	if err != nil {
		return err
	}
	terms := 0
	for _, g := range list {
		terms += g.terms
	}
	if terms == 0 {
		return fmt.Errorf("%s: %w: no graph has nodes of the kind CLASS", j.path, loader.ErrNothing)
	}
	var writers []*writer
	var origin loader.Origin
	err = j.pass(func(in *loader.Stream) error {
		origin = in.Origin()
		at := 0
		return eachGraph(in, j.reading.Limits(), func(s *r4.Scanner) {
			if at >= len(list) {
				s.Fail("invalid", "the file changed while it was read")
				return
			}
			w := newWriter(list[at].words)
			j.nodes(s, w, list[at])
			writers = append(writers, w)
			at++
		})
	})
	if err != nil {
		return err
	}
	for i, w := range writers {
		if list[i].terms == 0 {
			continue
		}
		w.finish()
		at := origin
		if len(list) > 1 {
			at.Entry = fmt.Sprintf("graphs[%d]", i)
		}
		if err := j.reading.Deliver(w.builder, at, j.sink); err != nil {
			return err
		}
	}
	return nil
}

// eachGraph calls f for each graph of a document; f consumes it.
func eachGraph(in *loader.Stream, limits loader.Limits, f func(*r4.Scanner)) error {
	s := new(r4.Scanner)
	s.Reset(in, r4.Limits{MaxBytes: limits.MaxBytes})
	if s.Object() {
		for s.Member() {
			if string(s.Name()) != "graphs" || !s.Array() {
				s.Skip()
				continue
			}
			for s.Element() {
				f(s)
			}
		}
	}
	return s.End()
}

// read reads a graph except for the content of its nodes.
func (g *graph) read(s *r4.Scanner) {
	if !s.Object() {
		return
	}
	for s.Member() {
		switch string(s.Name()) {
		case "id":
			g.words.header.URL = ontologyURL(string(s.Text()))
		case "meta":
			g.meta(s)
		case "nodes":
			list(s, func() {
				n := readNode(s, false)
				if n.isTerm() {
					g.words.terms[codeOf(n.id)] = struct{}{}
					g.terms++
					if g.defs != nil {
						g.defs.o.Labels[g.defs.class(n.id)] = n.label
					}
				} else if n.id != "" {
					g.names[n.id] = named{n.shorthand(), n.label}
				}
			})
		case "edges":
			list(s, func() { g.edge(s) })
		default:
			if g.defs == nil || !g.defs.member(s) {
				s.Skip()
			}
		}
	}
}

// list walks an array; f consumes each element.
func list(s *r4.Scanner, f func()) {
	if s.Array() {
		for s.Element() {
			f()
		}
	}
}

// meta reads the metadata of a graph.
func (g *graph) meta(s *r4.Scanner) {
	m := readMeta(s, true)
	h := g.words.header
	if m.version != "" {
		h.Version = versionOf(m.version)
	}
	for _, a := range m.annotations {
		describe(h, a.predicate, a.value)
	}
}

func (g *graph) edge(s *r4.Scanner) {
	var e edgeOf
	if !s.Object() {
		return
	}
	for s.Member() {
		switch string(s.Name()) {
		case "sub":
			e.subject = codeOf(string(s.Text()))
		case "pred":
			e.predicate = string(s.Text())
		case "obj":
			e.object = codeOf(string(s.Text()))
		default:
			s.Skip()
		}
	}
	g.all = append(g.all, e)
}

// finish sorts what was read, once the whole graph is known.
func (g *graph) finish(identity loader.Identity) error {
	v := g.words
	v.source = v.header.URL
	identity.Apply(v.header)
	if v.header.URL == "" {
		return fmt.Errorf("%w: the graph has no id; name the url with --url", loader.ErrFormat)
	}
	if v.source == "" {
		v.source = v.header.URL
	}
	for iri, n := range g.names {
		code := n.code
		if code == "" {
			code = localName(iri)
		}
		v.relations[iri] = named{propertyCode(code), n.description}
		v.synonymTypes[localName(iri)] = synonymType{description: n.description}
	}
	g.names = nil
	g.edges = make(map[string][]edge, len(g.words.terms))
	for _, e := range g.all {
		switch e.predicate {
		case "subPropertyOf", "inverseOf", "type", "equivalentTo", "":
			continue
		}
		if _, ok := v.terms[e.subject]; ok && e.object != "" {
			g.edges[e.subject] = append(g.edges[e.subject], e.edge)
		}
	}
	g.all = nil
	return nil
}

// nodes adds the terms of a graph.
func (j *job) nodes(s *r4.Scanner, w *writer, g *graph) {
	if !s.Object() {
		return
	}
	for s.Member() {
		if string(s.Name()) != "nodes" {
			s.Skip()
			continue
		}
		list(s, func() {
			line := s.Line()
			n := readNode(s, true)
			if !n.isTerm() || s.Err() != nil {
				return
			}
			w.begin(codeOf(n.id), fmt.Sprintf("line %d", line))
			w.node(&n, g)
			if err := w.end(); err != nil {
				s.FailWith("invalid", err)
				return
			}
			j.reading.Count(1, 0, 0)
		})
	}
}

// node reads a node and the edges that start at it into the concept.
func (w *writer) node(n *node, g *graph) {
	m := &n.meta
	w.concept.Display = n.label
	w.concept.Definition = m.definition
	for _, e := range g.edges[w.concept.Code] {
		if e.predicate == "is_a" {
			w.parent(e.object)
		} else {
			w.relate(e.predicate, e.object)
		}
	}
	if m.deprecated {
		w.property("inactive", r4.Boolean(true))
	}
	for _, y := range m.synonyms {
		w.synonym(scopeOf(y.predicate), y.kind, y.text)
	}
	for _, a := range m.annotations {
		w.graphAnnotation(a.predicate, a.value)
	}
	for _, x := range m.xrefs {
		w.fixed("xref", r4.String(x))
	}
	for _, c := range m.comments {
		w.fixed("comment", r4.String(c))
	}
	for _, t := range m.subsets {
		w.fixed("subset", r4.String(localName(t)))
	}
}

// graphAnnotation reads an annotation for which OBO files have a special tag.
func (w *writer) graphAnnotation(predicate, value string) {
	switch predicate {
	case purl + "IAO_0100001":
		w.fixed("replacedBy", r4.Code(codeOf(value)))
	case oio + "consider":
		w.fixed("consider", r4.Code(codeOf(value)))
	case oio + "hasAlternativeId":
		w.fixed("alternateCode", r4.Code(codeOf(value)))
	case oio + "creation_date":
		w.created(value)
	case oio + "created_by":
		w.fixed("createdBy", r4.String(value))
	case oio + "hasOBONamespace":
		w.fixed("namespace", r4.String(value))
	case oio + "id", oio + "shorthand":
	default:
		w.annotate(predicate, value)
	}
}

// scopeOf returns the scope as written in OBO files.
func scopeOf(predicate string) string {
	switch localName(predicate) {
	case "hasExactSynonym":
		return "EXACT"
	case "hasBroadSynonym":
		return "BROAD"
	case "hasNarrowSynonym":
		return "NARROW"
	}
	return "RELATED"
}
