package lists

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An object has the members of an object of JSON.
type object = map[string]json.RawMessage

// pickJSON reads a line of NDJSON. Without names of columns it is a string or a Coding, or an
// object with two codes.
func (p *Picker) pickJSON(text []byte, it *Item) error {
	if !utf8.Valid(text) {
		return ErrNotUTF8
	}
	text = bytes.TrimSpace(text)
	l := p.layout
	if l.codes == 1 && !l.places[partCode].given && !bytes.HasPrefix(text, []byte("{")) {
		if !json.Valid(text) {
			return fmt.Errorf("%w: not a string or an object", ErrJSON)
		}
		return it.take(partCode, text)
	}
	members := object{}
	p.members = members
	if !bytes.HasPrefix(text, []byte("{")) && json.Valid(text) {
		return fmt.Errorf("%w: an object is expected, not %s", ErrJSON, kindOf(text))
	}
	if err := json.Unmarshal(text, &members); err != nil {
		return fmt.Errorf("%w: %w", ErrJSON, err)
	}
	for part := range l.codes {
		if err := p.pickCode(members, part, it); err != nil {
			return err
		}
	}
	for part := partSystem; part < parts; part++ {
		at := &l.places[part]
		if !at.given {
			continue
		}
		value, err := textOf(at.in(members))
		if err != nil {
			return fmt.Errorf("%w: member %s: %w", ErrJSON, at.whole, err)
		}
		*it.part(part) = value
	}
	return nil
}

// pickCode reads a code: the member that was named, else that of the usual name.
func (p *Picker) pickCode(members object, part int, it *Item) error {
	at := &p.layout.places[part]
	switch {
	case at.given:
		if err := it.take(part, at.in(members)); err != nil {
			return fmt.Errorf("%w: member %s: %w", ErrJSON, at.whole, err)
		}
		return nil
	case p.layout.codes == 1:
		if members["code"] == nil && members["coding"] == nil {
			return fmt.Errorf("%w: there is no member code; name one with --column", ErrJSON)
		}
		return it.takeCoding(part, members)
	}
	for _, name := range [...][3]string{{"code_a", "codeA", "code-a"}, {"code_b", "codeB", "code-b"}}[part] {
		if value, found := members[name]; found {
			return it.take(part, value)
		}
	}
	return fmt.Errorf("%w: there are no members code_a and code_b; name others with --column-a and --column-b", ErrJSON)
}

// in returns the value at a place, nil if there is none. A member whose name is the whole path
// goes first. Numbers in a path count the elements of an array from 0.
func (at *place) in(members object) json.RawMessage {
	if value, found := members[at.whole]; found {
		return value
	}
	value := members[at.path[0]]
	for _, name := range at.path[1:] {
		var inner object
		if n, err := strconv.Atoi(name); err == nil && bytes.HasPrefix(value, []byte("[")) {
			var elements []json.RawMessage
			if json.Unmarshal(value, &elements) != nil || n < 0 || n >= len(elements) {
				return nil
			}
			value = elements[n]
			continue
		}
		if json.Unmarshal(value, &inner) != nil {
			return nil
		}
		value = inner[name]
	}
	return value
}

// take reads a code from a value: a string, a number, a Coding, a CodeableConcept with one coding,
// or an array of one of these.
func (it *Item) take(part int, value json.RawMessage) error {
	switch {
	case bytes.HasPrefix(value, []byte("{")):
		inner := object{}
		if err := json.Unmarshal(value, &inner); err != nil {
			return err
		}
		return it.takeCoding(part, inner)
	case bytes.HasPrefix(value, []byte("[")):
		return it.takeOnly(part, value)
	}
	text, err := textOf(value)
	it.Codes[part] = text
	return err
}

// takeOnly reads the only element of an array.
func (it *Item) takeOnly(part int, value json.RawMessage) error {
	var elements []json.RawMessage
	if err := json.Unmarshal(value, &elements); err != nil {
		return err
	}
	switch len(elements) {
	case 0:
		return nil
	case 1:
		return it.take(part, elements[0])
	}
	return fmt.Errorf("it has %d codes, and a line is about one; name one of them, as in --column code.coding.0", len(elements))
}

// takeCoding reads a Coding, or a CodeableConcept with one coding.
func (it *Item) takeCoding(part int, members object) error {
	if codings := members["coding"]; codings != nil && members["code"] == nil {
		return it.takeOnly(part, codings)
	}
	var own Item
	for _, member := range [...]struct {
		name string
		text *string
	}{{"code", &own.Codes[0]}, {"system", &own.System}, {"version", &own.Version}, {"display", &own.Display}} {
		var err error
		if *member.text, err = textOf(members[member.name]); err != nil {
			return fmt.Errorf("%s: %w", member.name, err)
		}
	}
	if part == partCodeB && it.System != "" && own.System != "" && it.System != own.System {
		return ErrSystems
	}
	it.Codes[part] = own.Codes[0]
	if own.System != "" {
		it.System = own.System
	}
	if own.Version != "" {
		it.Version = own.Version
	}
	it.Display = own.Display
	return nil
}

// textOf returns the text of a string or number; "" if there is no value, or null.
func textOf(value json.RawMessage) (string, error) {
	switch {
	case len(value) == 0 || string(value) == "null":
		return "", nil
	case value[0] == '"':
		var text string
		err := json.Unmarshal(value, &text)
		return strings.TrimSpace(text), err
	case value[0] == '-' || value[0] >= '0' && value[0] <= '9':
		return string(value), nil
	}
	return "", fmt.Errorf("a string is expected, not %s", kindOf(value))
}

// kindOf names the type of a value.
func kindOf(value json.RawMessage) string {
	switch value[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f', 'n':
		return string(value) // true, false or null
	}
	return "a number"
}
