package synth

import (
	"strconv"

	"github.com/roget-health/roget/resources/r4"
)

// A writer writes compact JSON in the order of the calls. The name is "" for the elements of a
// list. Empty values ("" and a zero day or moment) are omitted.
type writer struct {
	buf   []byte
	start int    // offset in buf where the resource starts
	close []byte // pending closing brackets, the innermost last
	// refs are the references written so far. They are recorded only if follow is set.
	refs   []string
	follow bool
}

// member begins a member of an object, or an element of a list.
func (w *writer) member(name string) {
	if n := len(w.buf); n > w.start {
		switch w.buf[n-1] {
		case '{', '[', ':':
		default:
			w.buf = append(w.buf, ',')
		}
	}
	if name != "" {
		w.buf = append(w.buf, '"')
		w.buf = append(w.buf, name...)
		w.buf = append(w.buf, '"', ':')
	}
}

// object begins an object. end closes it.
func (w *writer) object(name string) {
	w.member(name)
	w.buf = append(w.buf, '{')
	w.close = append(w.close, '}')
}

// list begins a list. end closes it.
func (w *writer) list(name string) {
	w.member(name)
	w.buf = append(w.buf, '[')
	w.close = append(w.close, ']')
}

// end closes the innermost object or list.
func (w *writer) end() {
	n := len(w.close) - 1
	w.buf = append(w.buf, w.close[n])
	w.close = w.close[:n]
}

// ends closes n objects and lists.
func (w *writer) ends(n int) {
	for range n {
		w.end()
	}
}

func (w *writer) text(name, value string) {
	if value != "" {
		w.member(name)
		w.buf = r4.AppendString(w.buf, value)
	}
}

func (w *writer) texts(name string, values ...string) {
	w.list(name)
	for _, v := range values {
		w.text("", v)
	}
	w.end()
}

// join writes a string that is the concatenation of parts.
func (w *writer) join(name string, parts ...string) {
	w.member(name)
	w.buf = append(w.buf, '"', '"')
	for _, part := range parts {
		end := len(w.buf) - 1 // end of the text; the quotes around each part are removed
		w.buf = r4.AppendString(w.buf[:end], part)
		w.buf = append(w.buf[:end], w.buf[end+1:]...)
	}
}

// add appends parts verbatim.
func (w *writer) add(parts ...string) {
	for _, p := range parts {
		w.buf = append(w.buf, p...)
	}
}

// boolean writes true or false.
func (w *writer) boolean(name string, value bool) {
	w.member(name)
	w.buf = strconv.AppendBool(w.buf, value)
}

// integer writes a whole number.
func (w *writer) integer(name string, value int) {
	w.member(name)
	w.buf = appendInt(w.buf, value)
}

// decimal writes units times 10 to the power of -scale: 72 with scale 1 is 7.2.
func (w *writer) decimal(name string, units, scale int) {
	w.member(name)
	w.buf = appendDecimal(w.buf, units, scale)
}

// date writes a date.
func (w *writer) date(name string, d day) {
	if d != 0 {
		w.member(name)
		w.buf = append(appendDate(append(w.buf, '"'), d), '"')
	}
}

// moment writes a dateTime or an instant.
func (w *writer) moment(name string, m moment) {
	if m != 0 {
		w.member(name)
		w.buf = append(appendMoment(append(w.buf, '"'), m), '"')
	}
}

// time writes a time of day, in seconds since midnight.
func (w *writer) time(name string, seconds int) {
	w.member(name)
	w.buf = append(appendTime(append(w.buf, '"'), seconds), '"')
}

// appendInt appends a whole number.
func appendInt(dst []byte, n int) []byte { return strconv.AppendInt(dst, int64(n), 10) }

// appendDecimal appends units times 10 to the power of -scale.
func appendDecimal(dst []byte, units, scale int) []byte {
	if units < 0 {
		dst, units = append(dst, '-'), -units
	}
	one := 1
	for range scale {
		one *= 10
	}
	dst = appendInt(dst, units/one)
	if scale > 0 {
		dst = appendDigits(append(dst, '.'), units%one, scale)
	}
	return dst
}
