package index

// entryWriter makes the entries of a document, in one piece of memory as far as it reaches.
type entryWriter struct {
	arena   []byte
	entries [][]byte
}

// add keeps an entry that was appended to the arena behind start, unless it is there already.
func (w *entryWriter) add(start int, unique int) {
	e := w.arena[start:len(w.arena):len(w.arena)]
	for _, f := range w.entries[unique:] {
		if string(e) == string(f) {
			w.arena = w.arena[:start]
			return
		}
	}
	w.entries = append(w.entries, e)
}

// value adds the entries of a value: prefix is the number of its parameter, or the entry of
// a composite up to its second component. Entries from unique on may be the same.
func (w *entryWriter) value(prefix []byte, v *Value, unique int) {
	begin := func(key byte) int {
		start := len(w.arena)
		w.arena = append(append(w.arena, prefix...), key)
		return start
	}
	switch v.Kind {
	case Token:
		if v.Code == "" && v.System == "" {
			return
		}
		start := begin(keyToken)
		w.arena = appendPair(w.arena, v.Code, v.System)
		w.add(start, unique)
	case String:
		start := begin(keyString)
		from := len(w.arena)
		w.arena = appendFold(w.arena, v.Text)
		text, capped := capText(w.arena[from:])
		end := byte(0)
		if capped {
			end = 1
		}
		w.arena = append(w.arena[:from+len(text)], end)
		w.add(start, unique)
	case Date:
		start := begin(keyDate)
		w.arena = appendTime(append(w.arena, byte(classOf(v.Time))), v.Time.Low)
		w.add(start, unique)
	case Reference:
		w.reference(begin, v, unique)
	case Quantity, NumberKind:
		w.number(begin, keyNumber, keySpan, "", v.Number, unique)
		if v.CanonicalUnit != "" {
			w.number(begin, keyCanonical, keyWide, v.CanonicalUnit, v.Canonical, unique)
		}
	case URI:
		start := begin(keyURL)
		w.arena = appendHash(w.arena, v.URL)
		w.add(start, unique)
	case Composite:
		w.composite(begin, v, unique)
	case Position:
		start := begin(keyPosition)
		w.arena = appendDegrees(appendDegrees(w.arena, v.Latitude), v.Longitude)
		w.add(start, unique)
	}
}

func (w *entryWriter) reference(begin func(byte) int, v *Value, unique int) {
	if k := v.Key(); k.ID != "" {
		start := begin(keyReference)
		w.arena = appendPair(w.arena, k.ID, k.Type)
		w.add(start, unique)
	} else if v.URL != "" {
		start := begin(keyURL)
		w.arena = appendHash(w.arena, v.URL)
		w.add(start, unique)
	}
	if v.Code != "" {
		start := begin(keyIdentifier)
		w.arena = appendPair(w.arena, v.Code, v.System)
		w.add(start, unique)
	}
}

func (w *entryWriter) number(begin func(byte) int, point, wide byte, unit string, s Span[Number], unique int) {
	key := point
	if !single(s) {
		key = wide
	}
	start := begin(key)
	if unit != "" {
		w.arena = appendUnit(w.arena, unit)
	}
	w.arena = append(w.arena, s.Low...)
	w.add(start, unique)
}

// composite adds an entry for each pair of a first and a second component. Further
// components have none.
func (w *entryWriter) composite(begin func(byte) int, v *Value, unique int) {
	for first := range v.Components(0) {
		start := begin(keyComposite)
		switch k := first.Key(); {
		case first.Kind == Token && (first.Code != "" || first.System != ""):
			w.arena = appendPair(w.arena, first.Code, first.System)
		case first.Kind == Reference && k.ID != "":
			w.arena = appendPair(w.arena, k.ID, k.Type)
		default:
			w.arena = w.arena[:start]
			continue
		}
		prefix := append([]byte(nil), w.arena[start:]...)
		w.arena = w.arena[:start]
		for second := range v.Components(1) {
			w.value(prefix, &second, unique)
		}
	}
}
