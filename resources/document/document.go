package document

import (
	"bytes"

	"github.com/roget-health/roget/resources/r4"
)

// A Document is a JSON text. It is immutable and safe for concurrent use.
type Document struct {
	data  []byte
	text  string // data as a string, so that the text of a value is a substring
	nodes []node // in the order of the text: a container, then what is in it
	names []byte // in the order of the text: a container, then its contents
}

// A node is a value.
type node struct {
	start, end    uint32 // the value in data
	begin         uint32 // where a member begins, including its name; otherwise start
	name, nameEnd uint32 // its name in data, or in names if escapedName is set; equal if it has none
	parent        uint32 // the container; the parent of the root is the root
	next          uint32 // the node after all nested values
	count         uint32 // members or items
	kind          r4.Kind
	flags         uint8
}

const (
	member      = 1 << iota // has a name
	escapedName             // the name is in Document.names
	escapedText             // a string with escapes
)

// Source returns the text, which must not be modified.
func (d *Document) Source() []byte { return d.data }

// Root returns the outermost value.
func (d *Document) Root() Value { return Value{doc: d} }

// ResourceType returns the text of the root's resourceType, "" if it is absent or not a string.
func (d *Document) ResourceType() string {
	v := d.Root().Get("resourceType")
	if v.Kind() != String {
		return ""
	}
	return v.Text()
}

// Size returns the number of values in the document, including containers.
func (d *Document) Size() int { return len(d.nodes) }

// Position returns the line and column of an offset, both from 1, the column in bytes.
func (d *Document) Position(offset int) (line, column int) {
	before := d.data[:min(max(offset, 0), len(d.data))]
	return bytes.Count(before, []byte{'\n'}) + 1, len(before) - bytes.LastIndexByte(before, '\n')
}

func (d *Document) nameOf(n *node) string {
	if n.flags&escapedName != 0 {
		return string(d.names[n.name:n.nameEnd])
	}
	return d.text[n.name:n.nameEnd]
}
