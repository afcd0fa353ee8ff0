package index

import (
	"bytes"
	"slices"

	"github.com/roget-health/roget/resources/definitions"
)

// entryWriter makes the entries of a document, in a shared buffer as long as it has room.
type entryWriter struct {
	arena   []byte
	start   int // of the current entry
	entries [][]byte
	terms   [][]byte // of the vocabulary
	pairs   int      // pairs of components of composites so far
}

// maxPairs bounds the composite entries of a document. There is one for each pair of a first and a
// second component, so their number grows with the square of the document's size.
const maxPairs = 100_000

// begin starts an entry.
func (w *entryWriter) begin(prefix []byte, key byte) {
	w.start = len(w.arena)
	w.arena = append(append(w.arena, prefix...), key)
}

// end completes the current entry.
func (w *entryWriter) end() {
	w.entries = append(w.entries, w.arena[w.start:len(w.arena):len(w.arena)])
}

// list adds the entries of a list of values, without duplicates. The text of a concept has an entry
// only if there are no codes.
func (w *entryWriter) list(parameter uint32, list []byte) {
	from := len(w.entries)
	var prefix [4]byte
	appendNumberOf(prefix[:0], parameter)
	lone := uncoded(list)
	for r := (reader{list}); len(r.data) > 0; {
		var v Value
		r.value(&v)
		if lone || coded(&v) {
			w.value(prefix[:], &v)
		}
	}
	w.entries = unique(w.entries, from)
}

// unique sorts the entries from an index on and removes duplicates.
func unique(entries [][]byte, from int) [][]byte {
	added := entries[from:]
	if len(added) < 2 {
		return entries
	}
	slices.SortFunc(added, bytes.Compare)
	return entries[:from+len(slices.CompactFunc(added, bytes.Equal))]
}

// addTerms adds the vocabulary entries of a list of values.
func (w *entryWriter) addTerms(s *extraction, list []byte) {
	if s.kind != definitions.Token && s.kind != definitions.URI {
		return
	}
	from := len(w.terms)
	for r := (reader{list}); len(r.data) > 0; {
		var v Value
		r.value(&v)
		start := len(w.arena)
		switch {
		case v.Kind == Token && v.Code != "" && (v.Form == FormCode || v.Form == FormCoding):
			w.arena = appendTerm(w.arena, s.number, "", v.System, v.Code)
		case v.Kind == URI:
			w.arena = appendTerm(w.arena, s.number, v.URL, "", "")
		default:
			continue
		}
		w.terms = append(w.terms, w.arena[start:len(w.arena):len(w.arena)])
	}
	w.terms = unique(w.terms, from)
}

// coded reports whether a value is more than the text of a concept.
func coded(v *Value) bool { return v.Kind != Token || v.Code != "" || v.System != "" }

// uncoded reports whether no value of a list is coded.
func uncoded(list []byte) bool {
	for r := (reader{list}); len(r.data) > 0; {
		var v Value
		if r.value(&v); coded(&v) {
			return false
		}
	}
	return true
}

// value adds the entries of a value. prefix is the number of its parameter, or the entry of a
// composite up to its second component.
func (w *entryWriter) value(prefix []byte, v *Value) {
	switch v.Kind {
	case Token:
		w.begin(prefix, keyToken)
		w.arena = appendPair(w.arena, v.codeKey(v.Code), v.System)
		w.end()
	case String:
		w.begin(prefix, keyString)
		from := len(w.arena)
		w.arena = append(w.arena[:from], endText(appendFold(w.arena, v.Text, false)[from:])...)
		w.end()
		if v.Form != FormWords {
			return
		}
		first := true
		words(v.Text, func(beginning []byte) bool {
			if !first { // it has its entry
				w.begin(prefix, keyWord)
				w.arena = append(w.arena, endText(beginning)...)
				w.end()
			}
			first = false
			return true
		})
	case Date:
		w.begin(prefix, keyDate)
		w.arena = appendTime(append(w.arena, byte(classOf(v.Time))), v.Time.Low)
		w.end()
	case Reference:
		w.reference(prefix, v)
	case Quantity, NumberKind:
		w.number(prefix, keyNumber, keySpan, "", v.Number)
		if v.CanonicalUnit != "" {
			w.number(prefix, keyCanonical, keyWide, v.CanonicalUnit, v.Canonical)
		}
	case URI:
		w.begin(prefix, keyURL)
		w.arena = appendHash(w.arena, v.URL)
		w.end()
	case Composite:
		w.composite(prefix, v)
	case Position:
		w.begin(prefix, keyPosition)
		w.arena = appendDegrees(appendDegrees(w.arena, v.Latitude), v.Longitude)
		w.end()
	}
}

func (w *entryWriter) reference(prefix []byte, v *Value) {
	if v.ID != "" {
		w.begin(prefix, keyReference)
		w.arena = appendPair(w.arena, v.ID, v.Type)
		w.end()
	}
	if v.URL != "" {
		w.begin(prefix, keyURL)
		w.arena = appendHash(w.arena, v.URL)
		w.end()
	}
	if v.Code != "" || v.ID == "" && v.URL == "" {
		w.begin(prefix, keyIdentifier)
		w.arena = appendPair(w.arena, v.codeKey(v.Code), v.System)
		w.end()
	}
}

func (w *entryWriter) number(prefix []byte, point, wide byte, unit string, s Span[Number]) {
	key := point
	if !single(s) {
		key = wide
	}
	w.begin(prefix, key)
	if unit != "" {
		w.arena = appendUnit(w.arena, unit)
	}
	w.arena = append(w.arena, s.Low...)
	w.end()
}

// composite adds an entry for each pair of a first and a second component. Other components have no
// entries.
func (w *entryWriter) composite(prefix []byte, v *Value) {
	lone, loneSecond := uncoded(v.list(0)), uncoded(v.list(1))
	for first := range v.Components(0) {
		if !lone && !coded(&first) {
			continue
		}
		w.begin(prefix, keyComposite)
		switch k := first.Key(); {
		case first.Kind == Token:
			w.arena = appendPair(w.arena, first.Code, first.System)
		case first.Kind == Reference && k.ID != "":
			w.arena = appendPair(w.arena, k.ID, k.Type)
		default:
			w.arena = w.arena[:w.start]
			continue
		}
		var buf [24]byte
		beginning := append(buf[:0], w.arena[w.start:]...)
		w.arena = w.arena[:w.start]
		for second := range v.Components(1) {
			if w.pairs++; w.pairs > maxPairs {
				return // build refuses the document
			}
			if loneSecond || coded(&second) {
				w.value(beginning, &second)
			}
		}
	}
}
