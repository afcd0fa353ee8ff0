package document

import (
	"bytes"
	"errors"
	"math"

	"github.com/roget-health/roget/resources/r4"
)

const (
	// namesInList is how many names of an object are compared one by one.
	namesInList = 32
	// maxMembers is how many members an object may have, as in r4.
	maxMembers = 1 << 16
	// maxValues is how many values a document may have.
	maxValues = 1 << 23
)

// Parse reads one JSON text: strictly, as r4.Check does, which means UTF-8, no name twice
// in an object, and nothing beyond the limits (of a string, only MaxBytes). A document has at
// most 8,388,608 values. Errors are *r4.SyntaxError with line and column. The Document keeps
// data, which must not be modified from then on.
func Parse(data []byte, lim r4.Limits) (*Document, error) {
	return parse(data, lim, maxValues)
}

func parse(data []byte, lim r4.Limits, maxValues int) (*Document, error) {
	if lim.MaxDepth <= 0 {
		lim.MaxDepth = r4.DefaultLimits().MaxDepth
	}
	if lim.MaxBytes <= 0 {
		lim.MaxBytes = r4.DefaultLimits().MaxBytes
	}
	lim.MaxBytes = min(lim.MaxBytes, math.MaxUint32)
	if int64(len(data)) > lim.MaxBytes {
		return nil, explain(data, 0, lim)
	}
	p := parser{data: data, depth: lim.MaxDepth, most: maxValues, nodes: make([]node, 0, expected(data))}
	pos := p.value(p.space(0), 0, node{})
	if pos >= 0 {
		pos = p.space(pos)
		if pos != len(data) {
			p.failed, pos = pos, -1
		}
	}
	if pos < 0 {
		return nil, explain(data, p.failed, lim)
	}
	return &Document{data: data, text: string(data), nodes: p.nodes, names: p.names}, nil
}

// expected returns how many values there are at most, as commas tell, within reason.
func expected(data []byte) int {
	n := 1 + bytes.Count(data, []byte{','}) + bytes.Count(data, []byte{'{'}) + bytes.Count(data, []byte{'['})
	return min(n, len(data)/6+8)
}

// explain words the error of a text that could not be read: r4 reads it once more and tells
// more than this parser knows.
func explain(data []byte, at int, lim r4.Limits) error {
	err := r4.Check(data, lim)
	var syntax *r4.SyntaxError
	if errors.As(err, &syntax) {
		return syntax
	}
	d := Document{data: data}
	line, column := d.Position(at)
	return &r4.SyntaxError{
		Line: line, Column: column, Offset: int64(at), Code: "too-long",
		Msg: "the document has too many values",
	}
}

// A parser appends nodes. Its methods read what begins at a position and give the position
// behind it, or -1 when it is malformed; failed is where then.
type parser struct {
	data   []byte
	nodes  []node
	names  []byte
	depth  int // levels left
	most   int // values there may be
	failed int
}

func (p *parser) fail(at int) int {
	p.failed = at
	return -1
}

// space returns the position of the next byte that is not white space.
func (p *parser) space(pos int) int {
	data := p.data
	for pos < len(data) {
		switch data[pos] {
		case ' ', '\n', '\r', '\t':
			pos++
		default:
			return pos
		}
	}
	return pos
}

// is reports that the byte c stands at pos.
func (p *parser) is(pos int, c byte) bool { return pos < len(p.data) && p.data[pos] == c }

// value reads the value that begins at pos; n has its name.
func (p *parser) value(pos int, parent uint32, n node) int {
	if pos >= len(p.data) || len(p.nodes) == p.most {
		return p.fail(pos)
	}
	at := len(p.nodes)
	n.start, n.parent, n.next = uint32(pos), parent, uint32(at+1)
	if n.flags&member == 0 {
		n.begin = n.start
	}
	var end int
	switch c := p.data[pos]; c {
	case '"':
		n.kind = String
		var escaped bool
		if end, escaped = p.str(pos + 1); escaped {
			n.flags |= escapedText
		}
	case '{', '[':
		n.kind = Object
		if c == '[' {
			n.kind = Array
		}
		if p.depth == 0 {
			return p.fail(pos)
		}
		p.depth--
		p.nodes = append(p.nodes, n)
		if c == '{' {
			end = p.object(pos+1, uint32(at))
		} else {
			end = p.array(pos+1, uint32(at))
		}
		p.depth++
		if end >= 0 {
			p.nodes[at].end, p.nodes[at].next = uint32(end), uint32(len(p.nodes))
		}
		return end
	case 't':
		n.kind, end = Bool, p.word(pos, "true")
	case 'f':
		n.kind, end = Bool, p.word(pos, "false")
	case 'n':
		n.kind, end = Null, p.word(pos, "null")
	default:
		n.kind, end = Number, p.number(pos)
	}
	if end < 0 {
		return end
	}
	n.end = uint32(end)
	p.nodes = append(p.nodes, n)
	return end
}

// array reads the items of the array self, whose bracket is before pos.
func (p *parser) array(pos int, self uint32) int {
	pos = p.space(pos)
	if p.is(pos, ']') {
		return pos + 1
	}
	for count := uint32(1); ; count++ {
		if pos = p.value(pos, self, node{}); pos < 0 {
			return pos
		}
		pos = p.space(pos)
		switch {
		case p.is(pos, ','):
			pos = p.space(pos + 1)
		case p.is(pos, ']'):
			p.nodes[self].count = count
			return pos + 1
		default:
			return p.fail(pos)
		}
	}
}

// object reads the members of the object self, whose brace is before pos.
func (p *parser) object(pos int, self uint32) int {
	pos = p.space(pos)
	if p.is(pos, '}') {
		return pos + 1
	}
	var seen nameSet
	for count := uint32(1); ; count++ {
		if !p.is(pos, '"') || count > maxMembers {
			return p.fail(pos)
		}
		n := node{flags: member}
		begin := pos
		end, escaped := p.str(pos + 1)
		if end < 0 {
			return end
		}
		n.begin, n.name, n.nameEnd = uint32(pos), uint32(pos+1), uint32(end-1)
		if escaped {
			n.flags |= escapedName
			n.name = uint32(len(p.names))
			p.names = unescape(p.names, string(p.data[pos+1:end-1]))
			n.nameEnd = uint32(len(p.names))
		}
		if !seen.add(p, self, &n) {
			return p.fail(begin)
		}
		if pos = end; !p.is(pos, ':') {
			if pos = p.space(pos); !p.is(pos, ':') {
				return p.fail(pos)
			}
		}
		if pos = p.value(p.space(pos+1), self, n); pos < 0 {
			return pos
		}
		pos = p.space(pos)
		switch {
		case p.is(pos, ','):
			pos = p.space(pos + 1)
		case p.is(pos, '}'):
			p.nodes[self].count = count
			return pos + 1
		default:
			return p.fail(pos)
		}
	}
}

func (p *parser) word(pos int, word string) int {
	if end := pos + len(word); end <= len(p.data) && string(p.data[pos:end]) == word {
		return end
	}
	return p.fail(pos)
}

func (p *parser) number(pos int) int {
	end := pos
	for end < len(p.data) {
		c := p.data[end]
		if c-'0' > 9 && c != '.' && c != '-' && c != '+' && c|0x20 != 'e' {
			break
		}
		end++
	}
	if !r4.IsNumber(p.data[pos:end]) {
		return p.fail(pos)
	}
	return end
}
