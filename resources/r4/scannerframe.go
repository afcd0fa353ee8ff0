package r4

import (
	"bytes"
	"strconv"
)

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
	// namesInList is how many names of an object are compared one by one before a map is used.
	namesInList = 32
	// maxMembers is the maximum number of members of an object. Objects of FHIR have a few dozen.
	maxMembers = 1 << 16
	// maxShownName is the maximum number of bytes of a name in an expression.
	maxShownName = 80
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

func (s *Scanner) pop() {
	s.pos++
	f := &s.frames[len(s.frames)-1]
	s.names, s.ends = s.names[:f.names], s.ends[:f.ends]
	f.large = nil
	s.frames = s.frames[:len(s.frames)-1]
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
		s.pop()
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
	if c == ']' {
		s.pop()
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

// Expression returns the FHIRPath of the current element: "CodeSystem.concept[12].code". For very
// deep nesting the middle is omitted.
func (s *Scanner) Expression() string {
	const shown = 24 // frames at either end
	b := append(make([]byte, 0, 64), s.root...)
	for i := range s.frames {
		f := &s.frames[i]
		if i >= shown && i < len(s.frames)-shown {
			if i == shown {
				b = append(b, ".…"...)
			}
			continue
		}
		if f.n == 0 {
			continue
		}
		if f.array {
			b = append(b, '[')
			b = strconv.AppendInt(b, int64(f.n-1), 10)
			b = append(b, ']')
			continue
		}
		if len(b) > 0 {
			b = append(b, '.')
		}
		// The current name of this object is the last before those of the next object.
		last := len(s.ends)
		if i+1 < len(s.frames) {
			last = s.frames[i+1].ends
		}
		b = appendShown(b, s.nameAt(last-1))
	}
	return string(b)
}

// appendShown appends a name from the input in a form that is safe for messages.
func appendShown(b, name []byte) []byte {
	if len(name) > maxShownName {
		name = append(bytes.Clone(name[:maxShownName]), "…"...)
	}
	for _, c := range string(name) {
		if c < 0x20 || c == 0x7f {
			c = '\uFFFD'
		}
		b = append(b, string(c)...)
	}
	return b
}
