package r4

import "strconv"

// A ParametersWriter appends a Parameters resource to a byte slice, one parameter after the other,
// without allocating if the slice has capacity. It is a plain value: keep it in a variable and call
// its methods on that. Parts are written between Begin and End, to any depth. Parameter names are
// not escaped; they must be ASCII without quotes, like the names of FHIR.
//
//	w := r4.NewParametersWriter(buf[:0])
//	w.Boolean("result", true)
//	w.String("display", "Diabetes mellitus")
//	buf = w.Finish()
type ParametersWriter struct {
	dst   []byte
	comma bool // there is an entry before, at this level
	open  int  // parts begun but not ended
}

// NewParametersWriter begins a Parameters resource at the end of dst.
func NewParametersWriter(dst []byte) ParametersWriter {
	return ParametersWriter{dst: append(dst, `{"resourceType":"Parameters","parameter":[`...)}
}

// entry begins an entry: `{"name":"x"`.
func (w *ParametersWriter) entry(name string) {
	if w.comma {
		w.dst = append(w.dst, ',')
	}
	w.comma = true
	w.dst = append(w.dst, `{"name":"`...)
	w.dst = append(w.dst, name...)
	w.dst = append(w.dst, '"')
}

func (w *ParametersWriter) text(name, member, s string) {
	w.entry(name)
	w.dst = append(w.dst, member...)
	w.dst = AppendString(w.dst, s)
	w.dst = append(w.dst, '}')
}

// Boolean writes a valueBoolean.
func (w *ParametersWriter) Boolean(name string, b bool) {
	w.entry(name)
	w.dst = append(w.dst, `,"valueBoolean":`...)
	w.dst = strconv.AppendBool(w.dst, b)
	w.dst = append(w.dst, '}')
}

// Integer writes a valueInteger.
func (w *ParametersWriter) Integer(name string, n int) {
	w.entry(name)
	w.dst = append(w.dst, `,"valueInteger":`...)
	w.dst = strconv.AppendInt(w.dst, int64(n), 10)
	w.dst = append(w.dst, '}')
}

// String writes a valueString.
func (w *ParametersWriter) String(name, s string) { w.text(name, `,"valueString":`, s) }

// Code writes a valueCode.
func (w *ParametersWriter) Code(name, s string) { w.text(name, `,"valueCode":`, s) }

// URI writes a valueUri.
func (w *ParametersWriter) URI(name, s string) { w.text(name, `,"valueUri":`, s) }

// Canonical writes a valueCanonical.
func (w *ParametersWriter) Canonical(name, s string) { w.text(name, `,"valueCanonical":`, s) }

// DateTime writes a valueDateTime.
func (w *ParametersWriter) DateTime(name, s string) { w.text(name, `,"valueDateTime":`, s) }

// Value writes a value of any type. The zero Value writes only the name.
func (w *ParametersWriter) Value(name string, v Value) {
	w.entry(name)
	if v.Type != "" {
		w.dst = append(w.dst, ',')
		w.dst = AppendValue(w.dst, "value", v)
	}
	w.dst = append(w.dst, '}')
}

// Coding writes a valueCoding.
func (w *ParametersWriter) Coding(name string, c *Coding) {
	w.entry(name)
	w.dst = append(w.dst, `,"valueCoding":`...)
	w.dst = AppendCoding(w.dst, c)
	w.dst = append(w.dst, '}')
}

// Begin begins a parameter with parts. The following entries are its parts, until End.
func (w *ParametersWriter) Begin(name string) {
	w.entry(name)
	w.dst = append(w.dst, `,"part":[`...)
	w.comma = false
	w.open++
}

// End ends the innermost parameter with parts, if any.
func (w *ParametersWriter) End() {
	if w.open == 0 {
		return
	}
	w.dst = closeList(w.dst, `,"part":[`)
	w.comma = true
	w.open--
}

// Resource writes a resource, which fn appends to its argument.
func (w *ParametersWriter) Resource(name string, fn func(dst []byte) []byte) {
	w.entry(name)
	w.dst = append(w.dst, `,"resource":`...)
	w.dst = fn(w.dst)
	w.dst = append(w.dst, '}')
}

// Finish ends the resource and all open parts, and returns the slice with the resource at its end.
// The writer must not be used afterwards.
func (w *ParametersWriter) Finish() []byte {
	for w.open > 0 {
		w.End()
	}
	return closeList(w.dst, `,"parameter":[`)
}

// closeList closes an array and the object around it. FHIR does not allow empty arrays, so it
// removes the opening if there are no elements.
func closeList(dst []byte, opening string) []byte {
	if dst[len(dst)-1] == '[' {
		return append(dst[:len(dst)-len(opening)], '}')
	}
	return append(dst, ']', '}')
}
