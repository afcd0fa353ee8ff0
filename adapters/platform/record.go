package platform

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Extra has the members of a record that its type has no field for, unchanged, so that reading and
// writing a record loses nothing. Platform toolkit, section 7.3.
type Extra map[string]json.RawMessage

// decodeRecord reads a JSON object into a record: a pointer to a struct with a field Extra, which gets
// the members that no other field names. Names are case-sensitive. Members whose value the field
// would not write, such as null, go into Extra too. All fields are replaced.
func decodeRecord(data []byte, record any) error {
	var members map[string]json.RawMessage
	if err := unmarshal(data, &members); err != nil {
		return err
	}
	v := reflect.ValueOf(record).Elem()
	v.SetZero()
	if members == nil { // null
		return nil
	}
	for i, field := range recordFields(v.Type()) {
		value, there := members[field.name]
		if !there || field.name == "" {
			continue
		}
		if err := unmarshal(value, v.Field(i).Addr().Interface()); err != nil {
			return fmt.Errorf("member %s: %w", field.name, err)
		}
		if !field.omits(v.Field(i)) {
			delete(members, field.name)
		}
	}
	if len(members) > 0 {
		v.FieldByName("Extra").Set(reflect.ValueOf(Extra(members)))
	}
	return nil
}

// encodeRecord writes a record, a struct with a field Extra, as a JSON object: its fields, then the
// members of Extra that no field wrote, sorted by name.
func encodeRecord(record any) ([]byte, error) {
	v := reflect.ValueOf(record)
	out := []byte{'{'}
	written := map[string]bool{}
	put := func(name string, value any) error {
		key, err := json.Marshal(name)
		if err != nil {
			return err
		}
		text, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("member %s: %w", name, err)
		}
		if len(written) > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, key...), ':'), text...)
		written[name] = true
		return nil
	}
	for i, field := range recordFields(v.Type()) {
		if field.name == "" || field.omits(v.Field(i)) {
			continue
		}
		if err := put(field.name, v.Field(i).Interface()); err != nil {
			return nil, err
		}
	}
	extra, _ := v.FieldByName("Extra").Interface().(Extra)
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if written[name] {
			continue
		}
		if err := put(name, extra[name]); err != nil {
			return nil, err
		}
	}
	return append(out, '}'), nil
}

// recordField is a field of a record. Its name is "" if it is not a member.
type recordField struct {
	name                string
	omitEmpty, omitZero bool
}

func recordFields(t reflect.Type) []recordField {
	fields := make([]recordField, t.NumField())
	for i := range fields {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		fields[i] = recordField{name, strings.Contains(options, "omitempty"), strings.Contains(options, "omitzero")}
	}
	return fields
}

// omits reports whether the field is not written with a value.
func (f recordField) omits(v reflect.Value) bool {
	if f.omitZero {
		if zeroer, ok := v.Interface().(interface{ IsZero() bool }); ok && zeroer.IsZero() || v.IsZero() {
			return true
		}
	}
	if !f.omitEmpty {
		return false
	}
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}
