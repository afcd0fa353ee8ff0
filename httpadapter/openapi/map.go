package openapi

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// A Map is an object whose members have an order.
type Map[V any] []Member[V]

// A Member is a member of a Map.
type Member[V any] struct {
	Name  string
	Value V
}

// Add appends a member.
func (m *Map[V]) Add(name string, value V) { *m = append(*m, Member[V]{name, value}) }

// Find returns the value of a member, and whether there is one.
func (m Map[V]) Find(name string) (value V, found bool) {
	for i := range m {
		if m[i].Name == name {
			return m[i].Value, true
		}
	}
	return value, false
}

// Sort sorts the members by name.
func (m Map[V]) Sort() {
	slices.SortFunc(m, func(a, b Member[V]) int { return strings.Compare(a.Name, b.Name) })
}

// MarshalJSON returns the members in their order.
func (m Map[V]) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i := range m {
		if i > 0 {
			b.WriteByte(',')
		}
		for _, part := range [...]any{m[i].Name, m[i].Value} {
			text, err := Marshal(part)
			if err != nil {
				return nil, err
			}
			b.Write(text)
			b.WriteByte(':')
		}
		b.Truncate(b.Len() - 1)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Marshal returns the JSON of a document or of a part of it.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
