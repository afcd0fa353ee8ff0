package document

import "github.com/roget-health/roget/resources/r4"

// Equal reports whether two values are the same JSON (RFC 6902 section 4.6). The order of members
// does not matter, and numbers are compared by value, so that 1.50 equals 1.5. Two absent values
// are equal. Numbers that are too long to compute with are compared by their literals.
func Equal(a, b Value) bool {
	if a.Kind() != b.Kind() || a.Len() != b.Len() {
		return false
	}
	switch a.Kind() {
	case Object:
		// Members are usually in the same order. Otherwise those of large objects are looked up in
		// a map.
		at, end := b.at+1, b.node().next
		var large map[string]Value
		for x := range a.Members() {
			name := x.Name()
			var y Value
			if at < end && b.doc.nameOf(&b.doc.nodes[at]) == name {
				y = Value{b.doc, at}
				at = y.node().next
			} else if b.Len() <= namesInList {
				y = b.Get(name)
			} else {
				if large == nil {
					large = b.byName()
				}
				y = large[name]
			}
			if !y.Exists() || !Equal(x, y) {
				return false
			}
		}
	case Array:
		at := b.at + 1
		for x := range a.Items() {
			y := Value{b.doc, at}
			if !Equal(x, y) {
				return false
			}
			at = y.node().next
		}
	case Number:
		return EqualNumbers(a.Text(), b.Text())
	case String, Bool:
		return a.Text() == b.Text()
	}
	return true
}

// EqualNumbers reports whether the literals of two numbers have equal values.
func EqualNumbers(a, b string) bool {
	if a == b {
		return true
	}
	x, err := r4.ParseDecimal(a)
	if err != nil {
		return false
	}
	y, err := r4.ParseDecimal(b)
	return err == nil && x.Cmp(y) == 0
}

func (v Value) byName() map[string]Value {
	m := make(map[string]Value, v.Len())
	for member := range v.Members() {
		m[member.Name()] = member
	}
	return m
}
