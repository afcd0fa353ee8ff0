package r4

import (
	"bytes"
)

// Kind is the kind of a JSON value.
type Kind uint8

// The kinds. KindNone means the end of the input, or an error.
const (
	KindNone Kind = iota
	KindObject
	KindArray
	KindString
	KindNumber
	KindBoolean
	KindNull
)

// String returns the kind as used in messages: "an object".
func (k Kind) String() string {
	switch k {
	case KindObject:
		return "an object"
	case KindArray:
		return "an array"
	case KindString:
		return "a string"
	case KindNumber:
		return "a number"
	case KindBoolean:
		return "a boolean"
	case KindNull:
		return "null"
	}
	return "nothing"
}

// Kind returns the kind of the next value without consuming it.
func (s *Scanner) Kind() Kind {
	switch c := s.next(); c {
	case '{':
		return KindObject
	case '[':
		return KindArray
	case '"':
		return KindString
	case 't', 'f':
		return KindBoolean
	case 'n':
		return KindNull
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return KindNumber
	default:
		s.unexpected("a value")
		return KindNone
	}
}

// want records an error unless the next value is of kind k.
func (s *Scanner) want(k Kind) bool {
	found := s.Kind()
	if found == k {
		return true
	}
	if s.err == nil {
		s.Fail("structure", "expected %v, found %v", k, found)
	}
	return false
}

// next returns the next byte that is not white space without consuming it, and 0 after an error.
// The end of the input is an error here.
func (s *Scanner) next() byte {
	if s.pos < s.end && s.err == nil {
		if c := s.buf[s.pos]; c > ' ' {
			return c
		}
	}
	if !s.space() {
		s.fail(s.pos, "structure", "the input ends too early")
		return 0
	}
	c := s.buf[s.pos]
	if c == 0 {
		s.fail(s.pos, "structure", "the input contains a NUL character")
	}
	return c
}

// space skips white space and reports whether a byte follows.
func (s *Scanner) space() bool {
	for s.err == nil {
		for s.pos < s.end {
			switch s.buf[s.pos] {
			case ' ', '\n', '\r', '\t':
				s.pos++
			default:
				return true
			}
		}
		if !s.fill() {
			return false
		}
	}
	return false
}

// A frame is an open object or array.
type frame struct {
	array bool

	n     int // members or elements begun
	names int // index in Scanner.names of the names of this object
	ends  int // index in Scanner.ends of their ends
	seen  uint64
	large map[string]struct{}
}

const (
	// namesInList is the number of names of an object that are compared one by one before a map is
	// used.
	namesInList = 32
	// maxMembers is the maximum number of members of an object. Objects of FHIR have a few dozen.
	maxMembers = 1 << 16
)

func (s *Scanner) push(array bool) bool {
	if len(s.frames) >= s.lim.MaxDepth {
		s.fail(s.pos, "too-long", "nested deeper than %d levels", s.lim.MaxDepth)
		return false
	}
	s.pos++
	s.frames = append(s.frames, frame{array: array, names: len(s.names), ends: len(s.ends)})
	return true
}

// Object enters an object. It is an error if the next value is not an object.
func (s *Scanner) Object() bool { return s.want(KindObject) && s.push(false) }

// Array enters an array. It is an error if the next value is not an array.
func (s *Scanner) Array() bool { return s.want(KindArray) && s.push(true) }

// Member moves to the value of the next member of the current object and reports whether there is
// one. At the end it leaves the object.
func (s *Scanner) Member() bool {
	c := s.next()
	if c == 0 {
		return false
	}
	f := &s.frames[len(s.frames)-1]
	if c == '}' {
		s.pos++
		s.names, s.ends = s.names[:f.names], s.ends[:f.ends]
		f.large = nil
		s.frames = s.frames[:len(s.frames)-1]
		return false
	}
	if f.n > 0 {
		if c != ',' {
			s.unexpected("',' or '}'")
			return false
		}
		s.pos++
		c = s.next()
	}
	if c != '"' {
		s.unexpected("a member name")
		return false
	}
	name := s.quoted()
	if s.err != nil {
		return false
	}
	if f.n >= maxMembers || len(s.names)+len(name) > s.lim.MaxToken {
		s.fail(s.pos, "too-long", "too many members in an object")
		return false
	}
	if !s.addName(f, name) {
		s.fail(s.pos, "structure", "the name occurs twice in one object")
		return false
	}
	if s.next() != ':' {
		s.unexpected("':'")
		return false
	}
	s.pos++
	return true
}

// addName makes name the current one and reports whether it is new in the object.
func (s *Scanner) addName(f *frame, name []byte) bool {
	start := len(s.names)
	s.names = append(s.names, name...)
	s.ends = append(s.ends, len(s.names))
	f.n++
	if f.large != nil {
		if _, found := f.large[string(name)]; found {
			return false
		}
		f.large[string(name)] = struct{}{}
		return true
	}
	h := uint(len(name))
	if h > 0 {
		h = h*31 + uint(name[0])*7 + uint(name[h-1])*3 + uint(name[h/2])
	}
	bit := uint64(1) << (h & 63)
	if f.seen&bit != 0 {
		from := f.names
		for _, end := range s.ends[f.ends : len(s.ends)-1] {
			if bytes.Equal(s.names[from:end], s.names[start:]) {
				return false
			}
			from = end
		}
	}
	f.seen |= bit
	if f.n == namesInList {
		f.large = make(map[string]struct{}, 4*namesInList)
		from := f.names
		for _, end := range s.ends[f.ends:] {
			f.large[string(s.names[from:end])] = struct{}{}
			from = end
		}
	}
	return true
}

// Name returns the name of the current member.
func (s *Scanner) Name() []byte {
	if s.err != nil || len(s.ends) == 0 {
		return nil
	}
	return s.nameAt(len(s.ends) - 1)
}

func (s *Scanner) nameAt(i int) []byte {
	start := 0
	if i > 0 {
		start = s.ends[i-1]
	}
	return s.names[start:s.ends[i]]
}

// Element moves to the next element of the current array and reports whether there is one. At the
// end it leaves the array.
func (s *Scanner) Element() bool {
	c := s.next()
	if c == 0 {
		return false
	}
	f := &s.frames[len(s.frames)-1]
	if c == ']' { // the objects inside have removed their names
		s.pos++
		s.frames = s.frames[:len(s.frames)-1]
		return false
	}
	if f.n > 0 {
		if c != ',' {
			s.unexpected("',' or ']'")
			return false
		}
		s.pos++
		if s.next() == ']' {
			s.unexpected("a value")
			return false
		}
	}
	f.n++
	return s.err == nil
}

// Index returns the index of the current element of the array, from 0.
func (s *Scanner) Index() int {
	if len(s.frames) == 0 {
		return 0
	}
	return s.frames[len(s.frames)-1].n - 1
}

// readList consumes an array, with read consuming each element.
func readList[T any](s *Scanner, dst *[]T, read func(s *Scanner, v *T)) {
	if !s.Array() {
		return
	}
	for s.Element() {
		var zero T
		*dst = append(*dst, zero)
		read(s, &(*dst)[len(*dst)-1])
	}
}
