package platform

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Extra has the members of a record that its type does not name, as they came, so that
// reading and writing a record loses nothing. Platform toolkit, section 7.3.
type Extra map[string]json.RawMessage

// decodeRecord reads a JSON object into a struct (into points to one without methods of
// its own) and what no field names into extra. Members are matched exactly, not regardless
// of case. Members whose value the field would not write, such as null, are kept in extra,
// too. What into and extra held before is replaced.
func decodeRecord(data []byte, into any, extra *Extra) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return err
	}
	target := reflect.ValueOf(into).Elem()
	target.SetZero()
	*extra = nil
	if members == nil { // null
		return nil
	}
	for i, field := range fieldNames(target.Type()) {
		value, there := members[field.name]
		if !there || field.name == "" {
			continue
		}
		if err := json.Unmarshal(value, target.Field(i).Addr().Interface()); err != nil {
			return fmt.Errorf("member %s: %w", field.name, err)
		}
		if !field.omits(target.Field(i)) {
			delete(members, field.name)
		}
	}
	if len(members) > 0 {
		*extra = members
	}
	return nil
}

// encodeRecord writes a struct (without methods of its own) as a JSON object, and after
// its fields the members of extra that no field wrote, sorted by name.
func encodeRecord(from any, extra Extra) ([]byte, error) {
	text, err := json.Marshal(from)
	if err != nil || len(extra) == 0 {
		return text, err
	}
	value := reflect.ValueOf(from)
	written := map[string]bool{}
	for i, field := range fieldNames(value.Type()) {
		if field.name != "" {
			written[field.name] = !field.omits(value.Field(i))
		}
	}
	var out bytes.Buffer
	out.Write(bytes.TrimSuffix(text, []byte("}")))
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if written[name] {
			continue
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		member, err := json.Marshal(extra[name])
		if err != nil {
			return nil, fmt.Errorf("member %s: %w", name, err)
		}
		out.Write(key)
		out.WriteByte(':')
		out.Write(member)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// recordField is a field of a record's struct; its name is "" where it is no member.
type recordField struct {
	name                string
	omitEmpty, omitZero bool
}

func fieldNames(t reflect.Type) []recordField {
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

// omits tells that the field is not written for its value.
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
