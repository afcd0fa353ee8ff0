package e2e_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// A node is a JSON value with its members in order and its numbers as they are written:
// what tests compare and count with, apart from how the program reads documents.
type node struct {
	kind    byte // '{', '[', '"', or 0 for the literals
	text    string
	names   []string // of the members of an object
	content []*node  // its values, or the items of an array
}

// parsed reads one JSON value.
func parsed(tb testing.TB, text []byte) *node {
	tb.Helper()
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil { // which reads all of it
		tb.Fatalf("%v: %s", err, short(string(text)))
	}
	n, _ := readNode(compact.String())
	return n
}

// readNode reads the value that valid JSON without white space begins with, and returns what
// follows it.
func readNode(text string) (*node, string) {
	switch text[0] {
	case '{', '[':
		n := &node{kind: text[0]}
		for text[1] != n.kind+2 {
			text = text[1:] // the bracket, or a comma
			if n.kind == '{' {
				var name string
				name, text = readString(text)
				n.names = append(n.names, name)
				text = text[1:] // the colon
			}
			var item *node
			item, text = readNode(text)
			n.content = append(n.content, item)
			if text[0] != ',' {
				return n, text[1:]
			}
		}
		return n, text[2:]
	case '"':
		n := &node{kind: '"'}
		n.text, text = readString(text)
		return n, text
	}
	end := strings.IndexAny(text, ",]}")
	if end < 0 {
		end = len(text)
	}
	return &node{text: text[:end]}, text[end:]
}

func readString(text string) (value, rest string) {
	end := 1
	for text[end] != '"' {
		if text[end] == '\\' {
			end++
		}
		end++
	}
	if value = text[1:end]; strings.Contains(value, `\`) {
		_ = json.Unmarshal([]byte(text[:end+1]), &value) // it is valid
	}
	return value, text[end+1:]
}

// String writes the value without white space: equal texts are equal values with the same
// members in order and the same digits.
func (n *node) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *node) write(b *strings.Builder) {
	switch n.kind {
	case '{', '[':
		b.WriteByte(n.kind)
		for i, item := range n.content {
			if i > 0 {
				b.WriteByte(',')
			}
			if n.kind == '{' {
				writeString(b, n.names[i])
				b.WriteByte(':')
			}
			item.write(b)
		}
		b.WriteByte(n.kind + 2)
	case '"':
		writeString(b, n.text)
	default:
		b.WriteString(n.text)
	}
}

func writeString(b *strings.Builder, text string) {
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }) {
		quoted, _ := json.Marshal(text) // strings have no errors
		b.Write(quoted)
		return
	}
	b.WriteString(`"` + text + `"`)
}

// get returns a member of an object, nil when it is not there.
func (n *node) get(name string) *node {
	for i := range n.names {
		if n.names[i] == name {
			return n.content[i]
		}
	}
	return nil
}

// at returns the values at a path of names. Arrays on the path stand for all their items.
func (n *node) at(path string) []*node {
	found := []*node{n}
	for name := range strings.SplitSeq(path, ".") {
		var next []*node
		for _, f := range found {
			if v := f.get(name); v != nil {
				next = append(next, v.items()...)
			}
		}
		found = next
	}
	return found
}

// items returns the items of an array, and any other value by itself.
func (n *node) items() []*node {
	if n.kind == '[' {
		return n.content
	}
	return []*node{n}
}

// first returns the text of the first value at a path, or "" if there is none.
func (n *node) first(path string) string {
	for _, v := range n.at(path) {
		return v.text
	}
	return ""
}

// remove takes a member out.
func (n *node) remove(name string) {
	for i := range n.names {
		if n.names[i] == name {
			n.names = append(n.names[:i:i], n.names[i+1:]...)
			n.content = append(n.content[:i:i], n.content[i+1:]...)
			return
		}
	}
}

// walk calls fn with every member of every object in the value.
func (n *node) walk(fn func(name string, value *node)) {
	for i, item := range n.content {
		if n.kind == '{' {
			fn(n.names[i], item)
		}
		item.walk(fn)
	}
}

// apart returns a resource without what a server says of the version: the version and the
// time.
func (n *node) apart() *node {
	if meta := n.get("meta"); meta != nil {
		meta.remove("versionId")
		meta.remove("lastUpdated")
		if len(meta.names) == 0 {
			n.remove("meta")
		}
	}
	return n
}
