package synth

import "slices"

// A codeList is a weighted list of the documented codes of an element. Elements with a list draw
// their codes only from it.
type codeList struct {
	// path is the path of the element: "Condition.clinicalStatus".
	path string
	// system is the code system of the codes. It is "" for elements of type code and for codes
	// that belong to no code system.
	system string
	codes  []weightedCode
}

// weightedCode is an entry of a codeList.
type weightedCode struct {
	code, display string
	weight        int
	// noSystem is set for a code that is not in the list's system. It is written without a
	// system.
	noSystem bool
}

// coding returns code n of the list.
func (l *codeList) coding(n int) Coding {
	c := &l.codes[n]
	if c.noSystem {
		return Coding{"", c.code, c.display}
	}
	return Coding{l.system, c.code, c.display}
}

// find returns the Coding for a code of the list.
func (l *codeList) find(code string) Coding {
	for n := range l.codes {
		if l.codes[n].code == code {
			return l.coding(n)
		}
	}
	return Coding{Code: code} // not in the list; tests catch this
}

// all returns the codes of the list.
func (l *codeList) all() []string {
	codes := make([]string, len(l.codes))
	for n := range l.codes {
		codes[n] = l.codes[n].code
	}
	return codes
}

// draw draws a Coding of a list by weight.
func (s *stream) draw(l *codeList) Coding { return l.coding(s.drawAt(l)) }

// drawAt draws the index of a code of a list by weight.
func (s *stream) drawAt(l *codeList) int {
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

// code draws a code of a list by weight.
func (s *stream) code(l *codeList) string { return s.draw(l).Code }

// allLists returns all lists of codes.
func allLists() []*codeList {
	return slices.Concat(administrativeLists, clinicalLists, definitionalLists)
}
