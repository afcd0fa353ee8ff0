package synth

import "slices"

// A list is the codes that the document of the service gives for an element, with how often
// each is drawn. Generators draw from lists and from nothing else where there is one.
type list struct {
	// path is the element: "Condition.clinicalStatus".
	path string
	// system is the code system that has the codes, "" for an element of type code, and for
	// codes that no code system has.
	system string
	codes  []listed
}

// listed is a code of a list.
type listed struct {
	code, display string
	weight        int
	// strange is set for a code that list.system does not have: it is written without system.
	strange bool
}

// coding returns code n of the list.
func (l *list) coding(n int) Coding {
	c := &l.codes[n]
	if c.strange {
		return Coding{"", c.code, c.display}
	}
	return Coding{l.system, c.code, c.display}
}

// find returns the coding of a code of the list.
func (l *list) find(code string) Coding {
	for n := range l.codes {
		if l.codes[n].code == code {
			return l.coding(n)
		}
	}
	return Coding{Code: code} // the tests find what is not of its list
}

// all returns the codes of the list.
func (l *list) all() []string {
	codes := make([]string, len(l.codes))
	for n := range l.codes {
		codes[n] = l.codes[n].code
	}
	return codes
}

// draw returns a coding of a list by its weights.
func (s *stream) draw(l *list) Coding { return l.coding(s.drawAt(l)) }

// drawAt returns the number of a code of a list by its weights.
func (s *stream) drawAt(l *list) int {
	sum := 0
	for n := range l.codes {
		sum += l.codes[n].weight
	}
	at := s.below(sum)
	for n := range l.codes {
		if at -= l.codes[n].weight; at < 0 {
			return n
		}
	}
	return len(l.codes) - 1
}

// code returns a code of a list by its weights.
func (s *stream) code(l *list) string { return s.draw(l).Code }

// allLists returns the lists of the document.
func allLists() []*list {
	return slices.Concat(administrativeLists, clinicalLists, definitionalLists)
}
