package document

import (
	"bytes"
	"errors"
	"math"

	"github.com/roget-health/roget/resources/r4"
)

const (
	// namesInList is how many names of an object are compared one by one before a map is used.
	namesInList = 32
	// maxMembers is the maximum number of members of an object, as in r4.
	maxMembers = 1 << 16
	// maxValues is the maximum number of values of a document.
	maxValues = 1 << 23
)

// Parse parses a JSON text as strictly as r4.Check: it must be UTF-8, without repeated names in an
// object, and within the limits (only MaxBytes limits strings). A document has at most 8,388,608
// values. Errors are *r4.SyntaxError with line and column. The Document keeps data, which must not
// be modified afterwards.
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
	p := parser{data: data, depth: lim.MaxDepth, limit: maxValues, nodes: make([]node, 0, expected(data))}
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

// expected estimates the maximum number of values by the number of commas, within limits.
func expected(data []byte) int {
	n := 1 + bytes.Count(data, []byte{','}) + bytes.Count(data, []byte{'{'}) + bytes.Count(data, []byte{'['})
	return min(n, len(data)/6+8)
}

// explain returns the error for a malformed text. r4 parses the text again, as its errors are more
// detailed.
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

// A parser appends nodes. Its methods parse what begins at a position and return the position after
// it, or -1 if it is malformed; then failed is the position of the error.
type parser struct {
	data   []byte
	nodes  []node
	names  []byte
	depth  int // levels left
	limit  int // maximum number of values
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

// is reports whether the byte at pos is c.
func (p *parser) is(pos int, c byte) bool { return pos < len(p.data) && p.data[pos] == c }

// value parses the value that begins at pos; n holds its name.
func (p *parser) value(pos int, parent uint32, n node) int {
	if pos >= len(p.data) || len(p.nodes) == p.limit {
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

// array parses the items of the array self. pos is after its bracket.
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

// object parses the members of the object self. pos is after its brace.
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

// A nameSet detects repeated names in an object.
type nameSet struct {
	seen  uint64 // one bit per hash of a name
	large map[string]struct{}
	n     int
}

// add adds the name of n and reports whether it is new among the members of self.
func (s *nameSet) add(p *parser, self uint32, n *node) bool {
	name := p.name(n)
	s.n++
	if s.large != nil {
		if _, found := s.large[string(name)]; found {
			return false
		}
		s.large[string(name)] = struct{}{}
		return true
	}
	h := uint(len(name))
	if h > 0 {
		h = h*31 + uint(name[0])*7 + uint(name[h-1])*3 + uint(name[h/2])
	}
	bit := uint64(1) << (h & 63)
	if s.seen&bit != 0 {
		for i := self + 1; i < uint32(len(p.nodes)); i = p.nodes[i].next {
			if string(p.name(&p.nodes[i])) == string(name) {
				return false
			}
		}
	}
	s.seen |= bit
	if s.n == namesInList {
		s.large = make(map[string]struct{}, 4*namesInList)
		for i := self + 1; i < uint32(len(p.nodes)); i = p.nodes[i].next {
			s.large[string(p.name(&p.nodes[i]))] = struct{}{}
		}
		s.large[string(name)] = struct{}{}
	}
	return true
}

func (p *parser) name(n *node) []byte {
	if n.flags&escapedName != 0 {
		return p.names[n.name:n.nameEnd]
	}
	return p.data[n.name:n.nameEnd]
}
