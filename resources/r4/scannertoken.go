package r4

// Number consumes a number and returns its literal. The slice is valid until the next call. Another
// kind of value is an error.
func (s *Scanner) Number() []byte {
	if !s.want(KindNumber) {
		return nil
	}
	n := 0
	for {
		for s.pos+n < s.end && isNumberByte(s.buf[s.pos+n]) {
			n++
		}
		if n > s.lim.MaxToken {
			s.fail(s.pos, "too-long", "a number is longer than %d bytes", s.lim.MaxToken)
			return nil
		}
		if s.pos+n < s.end || !s.fill() {
			break
		}
	}
	if s.err != nil {
		return nil
	}
	literal := s.buf[s.pos : s.pos+n]
	if !isNumber(literal) {
		if s.pos+n == s.end {
			s.fail(s.end, "structure", "the input ends inside a number")
		} else {
			s.fail(s.pos, "structure", "malformed number")
		}
		return nil
	}
	s.pos += n
	return literal
}

func isNumberByte(c byte) bool {
	return c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}

// IsNumber reports whether a literal is a JSON number (RFC 8259 section 6).
func IsNumber(literal []byte) bool { return isNumber(literal) }

// isNumber reports whether b is a JSON number (RFC 8259 section 6).
func isNumber[T string | []byte](b T) bool {
	digits := func() bool {
		n := 0
		for n < len(b) && b[n] >= '0' && b[n] <= '9' {
			n++
		}
		b = b[n:]
		return n > 0
	}
	if len(b) > 0 && b[0] == '-' {
		b = b[1:]
	}
	if len(b) > 0 && b[0] == '0' {
		b = b[1:]
	} else if !digits() {
		return false
	}
	if len(b) > 0 && b[0] == '.' {
		b = b[1:]
		if !digits() {
			return false
		}
	}
	if len(b) > 0 && (b[0] == 'e' || b[0] == 'E') {
		b = b[1:]
		if len(b) > 0 && (b[0] == '+' || b[0] == '-') {
			b = b[1:]
		}
		if !digits() {
			return false
		}
	}
	return len(b) == 0
}

// Boolean consumes true or false. Another kind of value is an error.
func (s *Scanner) Boolean() bool {
	if !s.want(KindBoolean) {
		return false
	}
	if s.buf[s.pos] == 't' {
		return s.literal("true")
	}
	s.literal("false")
	return false
}

// Null consumes null if it is the next value, and reports whether it was.
func (s *Scanner) Null() bool {
	return s.Kind() == KindNull && s.literal("null")
}

func (s *Scanner) literal(word string) bool {
	for s.end-s.pos < len(word) {
		if !s.fill() {
			s.fail(s.end, "structure", "the input ends where %s was expected", word)
			return false
		}
	}
	if string(s.buf[s.pos:s.pos+len(word)]) != word {
		s.fail(s.pos, "structure", "expected %s", word)
		return false
	}
	s.pos += len(word)
	return true
}

// Skip consumes and checks the next value of any kind.
func (s *Scanner) Skip() {
	depth := len(s.frames)
	for {
		switch s.Kind() {
		case KindObject:
			s.push(false)
		case KindArray:
			s.push(true)
		case KindString:
			s.skipString()
		case KindNumber:
			s.Number()
		case KindBoolean:
			s.Boolean()
		case KindNull:
			s.literal("null")
		}
		for {
			if s.err != nil || len(s.frames) == depth {
				return
			}
			if s.frames[len(s.frames)-1].array {
				if s.Element() {
					break
				}
			} else if s.Member() {
				break
			}
		}
	}
}
