package uiadapter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A Node is an element of a resource as people read it: with a text, or with elements in it.
type Node struct {
	Name string
	// Text is its value. Link is the address of what it leads to, and Coded the concept that it is.
	Text, Link string
	Coded      *Coded
	Nodes      []Node
}

const (
	// mostNodes and deepestNode bound what the page of a resource shows of it.
	mostNodes, deepestNode = 3000, 24
)

// nodes returns the elements of a resource in the order of its JSON. more is true if that is not all.
func (n *namer) nodes(body []byte) (list []Node, more bool, err error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	r := nodeReader{namer: n, d: d}
	t, err := d.Token()
	if err != nil {
		return nil, false, err
	}
	if t != json.Delim('{') {
		return nil, false, fmt.Errorf("the resource begins with %v", t)
	}
	root, err := r.object("", 0)
	return root.Nodes, r.left, err
}

// A nodeReader reads JSON in its order.
type nodeReader struct {
	*namer
	d    *json.Decoder
	made int
	left bool
}

// value reads a value.
func (r *nodeReader) value(name string, depth int) (Node, error) {
	t, err := r.d.Token()
	if err != nil {
		return Node{}, err
	}
	switch v := t.(type) {
	case json.Delim:
		if v == '[' {
			return r.array(name, depth)
		}
		return r.object(name, depth)
	case nil:
		return Node{Name: name}, nil
	}
	return Node{Name: name, Text: fmt.Sprint(t)}, nil
}

// keep reports whether there is room for another element.
func (r *nodeReader) keep(depth int) bool {
	r.made++
	if r.made > mostNodes || depth > deepestNode {
		r.left = true
	}
	return r.made <= mostNodes && depth <= deepestNode
}

// array reads the rest of an array. An array with one item is that item.
func (r *nodeReader) array(name string, depth int) (Node, error) {
	node := Node{Name: name}
	for r.d.More() {
		item, err := r.value("", depth+1)
		if err != nil {
			return node, err
		}
		if r.keep(depth) {
			node.Nodes = append(node.Nodes, item)
		}
	}
	_, err := r.d.Token()
	if len(node.Nodes) == 1 {
		only := node.Nodes[0]
		only.Name = name
		return only, err
	}
	for i := range node.Nodes {
		node.Nodes[i].Name = fmt.Sprint(i + 1)
	}
	return node, err
}

// object reads the rest of an object. Some of the types of FHIR are a text.
func (r *nodeReader) object(name string, depth int) (Node, error) {
	node := Node{Name: name}
	texts := map[string]string{}
	for r.d.More() {
		t, err := r.d.Token()
		if err != nil {
			return node, err
		}
		key, _ := t.(string)
		member, err := r.value(key, depth+1)
		if err != nil {
			return node, err
		}
		if member.Nodes == nil && member.Link == "" && member.Coded == nil {
			texts[key] = member.Text
		}
		if r.keep(depth) {
			node.Nodes = append(node.Nodes, member)
		}
	}
	if _, err := r.d.Token(); err != nil {
		return node, err
	}
	return r.short(node, texts), nil
}

// short returns an element in one line if it is of a type that has one, and has nothing else.
func (r *nodeReader) short(node Node, texts map[string]string) Node {
	only := func(names ...string) bool {
		for i := range node.Nodes {
			if texts[node.Nodes[i].Name] == "" || !slices.Contains(names, node.Nodes[i].Name) {
				return false
			}
		}
		return true
	}
	if len(node.Nodes) == 2 && node.Nodes[0].Name == "coding" && node.Nodes[0].Coded != nil && node.Nodes[1].Name == "text" && node.Nodes[0].Coded.Text == texts["text"] {
		return Node{Name: node.Name, Coded: node.Nodes[0].Coded} // a CodeableConcept that says it twice
	}
	switch {
	case texts["reference"] != "" && only("reference", "display", "type"):
		node.Link = r.p.referenceLink(texts["reference"])
		node.Text, node.Nodes = texts["reference"], nil
		if texts["display"] != "" {
			node.Text = texts["display"] + " (" + texts["reference"] + ")"
		}
	case texts["code"] != "" && only("system", "version", "code", "display", "userSelected"):
		c := r.concept(texts["system"], texts["code"], texts["display"])
		node.Coded, node.Nodes = &c, nil
	case texts["value"] != "" && (texts["unit"] != "" || texts["code"] != "") && only("value", "comparator", "unit", "system", "code"):
		q := object{}
		for name, text := range texts {
			q[name] = text
		}
		node.Text, node.Nodes = quantity(q), nil
	case texts["start"]+texts["end"] != "" && only("start", "end"):
		node.Text, node.Nodes = strings.TrimSpace(day(texts["start"])+" – "+day(texts["end"])), nil
	}
	return node
}
