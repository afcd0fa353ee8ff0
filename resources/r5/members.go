package r5

import (
	"slices"

	"github.com/roget-health/roget/resources/r4"
)

// members collects the members of an object in their order.
type members struct {
	names  []string
	values [][]byte
}

func (m *members) has(name string) bool { return slices.Contains(m.names, name) }

// set adds a member, unless value is empty.
func (m *members) set(name string, value []byte) {
	if len(value) > 0 {
		m.names, m.values = append(m.names, name), append(m.values, value)
	}
}

// append appends the object.
func (m *members) append(dst []byte) []byte {
	dst = append(dst, '{')
	for i, name := range m.names {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(r4.AppendString(dst, name), ':')
		dst = append(dst, m.values[i]...)
	}
	return append(dst, '}')
}

// array returns a JSON array of values, nil if there are none.
func array(values [][]byte) []byte {
	if len(values) == 0 {
		return nil
	}
	return append(joined([]byte{'['}, values), ']')
}

func joined(dst []byte, values [][]byte) []byte {
	for i, v := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, v...)
	}
	return dst
}

// quoted returns a JSON string.
func quoted(s string) []byte { return r4.AppendString(nil, s) }
