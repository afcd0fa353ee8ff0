package obo

import (
	"strings"

	"github.com/roget-health/roget/resources/r4"
)

// A node of an OBO graph.
type node struct {
	id, label, kind string
	described       bool // it has a label or meta
	meta            meta
}

type meta struct {
	version, definition      string
	deprecated               bool
	annotations              []annotated
	synonyms                 []graphSynonym
	xrefs, comments, subsets []string
}

type annotated struct{ predicate, value string }

type graphSynonym struct{ predicate, kind, text string }

// isTerm reports whether a node is a concept.
func (n *node) isTerm() bool {
	return n.kind == "CLASS" && n.described && n.id != "" && !strings.HasPrefix(n.id, "_:")
}

// shorthand returns the name of a property in OBO files, or "" when the node has none.
func (n *node) shorthand() string {
	for _, a := range n.meta.annotations {
		if a.predicate == oio+"shorthand" {
			return a.value
		}
	}
	return ""
}

// readNode reads a node. Of its meta it only reads the annotations, unless all is set.
func readNode(s *r4.Scanner, all bool) (n node) {
	if !s.Object() {
		return n
	}
	for s.Member() {
		switch string(s.Name()) {
		case "id":
			n.id = string(s.Text())
		case "lbl":
			n.label, n.described = string(s.Text()), true
		case "type":
			n.kind = string(s.Text())
		case "meta":
			n.meta, n.described = readMeta(s, all), true
		default:
			s.Skip()
		}
	}
	return n
}

// readMeta reads a meta, or only its annotations, unless all is set.
func readMeta(s *r4.Scanner, all bool) (m meta) {
	if !s.Object() {
		return m
	}
	for s.Member() {
		name := string(s.Name())
		switch {
		case name == "basicPropertyValues":
			list(s, func() {
				if v := readValue(s); v.text != "" {
					m.annotations = append(m.annotations, annotated{v.predicate, v.text})
				}
			})
		case !all:
			s.Skip()
		case name == "version":
			m.version = string(s.Text())
		case name == "deprecated":
			m.deprecated = s.Boolean()
		case name == "definition":
			m.definition = strings.TrimSpace(readValue(s).text)
		case name == "synonyms":
			list(s, func() { m.synonyms = append(m.synonyms, readValue(s)) })
		case name == "xrefs":
			list(s, func() { m.xrefs = append(m.xrefs, readValue(s).text) })
		case name == "comments":
			list(s, func() { m.comments = append(m.comments, string(s.Text())) })
		case name == "subsets":
			list(s, func() { m.subsets = append(m.subsets, string(s.Text())) })
		default:
			s.Skip()
		}
	}
	return m
}

// readValue reads an object with pred, val and synonymType.
func readValue(s *r4.Scanner) (v graphSynonym) {
	if !s.Object() {
		return v
	}
	for s.Member() {
		switch string(s.Name()) {
		case "pred":
			v.predicate = string(s.Text())
		case "val":
			v.text = string(s.Text())
		case "synonymType":
			v.kind = string(s.Text())
		default:
			s.Skip()
		}
	}
	return v
}
