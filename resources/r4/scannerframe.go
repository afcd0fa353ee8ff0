package r4

import (
	"bytes"
	"strconv"
)

// A frame is an open object or array.
type frame struct {
	array bool

	n     int // members or elements begun
	names int // where in Scanner.names the names of this object start
	ends  int // where in Scanner.ends their ends start
	seen  uint64
	large map[string]struct{}
}

const (
	// namesInList is how many names of an object are compared one by one.
	namesInList = 32
	// maxMembers is how many members an object may have. FHIR's have a few dozen.
	maxMembers = 1 << 16
	// maxShownName is how many bytes of a name appear in an expression.
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

// Object enters an object. If the next value is none, that is an error.
func (s *Scanner) Object() bool { return s.want(KindObject) && s.push(false) }

// Array enters an array. If the next value is none, that is an error.
func (s *Scanner) Array() bool { return s.want(KindArray) && s.push(true) }

// Member goes to the value of the next member of the object entered last and reports
// whether there is one; at the end it leaves the object.
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
		s.fail(s.pos, "structure", "the name is given twice in one object")
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

// Name is the name of the member the scanner stands on.
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

// Element goes to the next element of the array entered last and reports whether there
// is one; at the end it leaves the array.
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

// Index is the number, from 0, of the element of the array entered last.
func (s *Scanner) Index() int {
	if len(s.frames) == 0 {
		return 0
	}
	return s.frames[len(s.frames)-1].n - 1
}

// Expression names the element the scanner stands on: "CodeSystem.concept[12].code".
// In documents nested very deeply the middle is left out.
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
		// The current name of this object is the last one before those of the next object.
		last := len(s.ends)
		if i+1 < len(s.frames) {
			last = s.frames[i+1].ends
		}
		b = appendShown(b, s.nameAt(last-1))
	}
	return string(b)
}

// appendShown appends a name from the input, made harmless for messages.
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
