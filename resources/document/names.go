package document

// A nameSet tells whether a name is given twice in one object.
type nameSet struct {
	seen  uint64 // a bit for each name there was
	large map[string]struct{}
	n     int
}

// add reports that the name of n is new among the members of self, and remembers it.
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
