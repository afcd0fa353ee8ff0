package platform

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/roget-health/roget/engine"
)

// tableOf returns a table of objects, with the requested fields as columns.
func tableOf(fields string, objects []json.RawMessage) (*engine.Table, error) {
	rows, err := membersOf(objects)
	if err != nil {
		return nil, err
	}
	table := &engine.Table{Header: columnsOf(fields, rows)}
	for _, row := range rows {
		cells := make([]string, len(table.Header))
		for i, column := range table.Header {
			cells[i] = cell(row[column])
		}
		table.Rows = append(table.Rows, cells)
	}
	return table, nil
}

// membersOf returns the members of objects. It returns an error for an item that is not an object.
func membersOf(objects []json.RawMessage) ([]map[string]json.RawMessage, error) {
	rows := make([]map[string]json.RawMessage, len(objects))
	for i, object := range objects {
		if err := json.Unmarshal(object, &rows[i]); err != nil {
			return nil, fmt.Errorf("item %d of the response is not an object", i+1)
		}
	}
	return rows, nil
}

// columnsOf returns the members to show: the requested fields in their order, or, for a preset or
// no fields, all members of the rows.
func columnsOf(fields string, rows []map[string]json.RawMessage) []string {
	var columns []string
	all := fields == ""
	for _, token := range splitFields(fields) {
		name := memberOf(token)
		switch {
		case strings.HasPrefix(token, "!"):
		case strings.HasPrefix(token, ":") || strings.HasPrefix(token, "*"):
			all = true
		case name != "" && !slices.Contains(columns, name):
			columns = append(columns, name)
		}
	}
	if !all {
		return columns
	}
	names := map[string]bool{}
	for _, row := range rows {
		for name := range row {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !slices.Contains(columns, name) {
			columns = append(columns, name)
		}
	}
	return columns
}

// splitFields splits a list of fields at its commas, except those in brackets.
func splitFields(fields string) []string {
	var tokens []string
	depth, begin := 0, 0
	for i, r := range fields + "," {
		switch {
		case r == '[' || r == '(':
			depth++
		case r == ']' || r == ')':
			depth--
		case r == ',' && (depth <= 0 || i == len(fields)):
			tokens = append(tokens, strings.TrimSpace(fields[begin:i]))
			begin = i + 1
		}
	}
	return tokens
}

// memberOf returns the member that a field makes: userRoles of userRoles[id], n of name~rename(n).
func memberOf(token string) string {
	for _, rename := range [...]string{"~rename(", "::rename("} {
		if _, name, found := strings.Cut(token, rename); found {
			name, _, _ = strings.Cut(name, ")")
			return name
		}
	}
	if end := strings.IndexAny(token, "[~:|"); end >= 0 {
		token = token[:end]
	}
	return token
}

// cell returns a value as a cell of a table: texts as they are, references as name (uid), lists
// with commas, and other values as JSON.
func cell(value json.RawMessage) string {
	const limit = 200
	var v any
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber()
	if decoder.Decode(&v) != nil {
		return ""
	}
	text := cellText(v)
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "") + "..."
	}
	return text
}

func cellText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		texts := make([]string, len(v))
		for i, item := range v {
			texts[i] = cellText(item)
		}
		return strings.Join(texts, ", ")
	case map[string]any:
		if text := reference(v); text != "" {
			return text
		}
	}
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}

// reference formats an object that has only an identifier and perhaps a name.
func reference(v map[string]any) string {
	id, _ := v["id"].(string)
	for _, key := range [...]string{"displayName", "name"} {
		if name, ok := v[key].(string); ok && id != "" && len(v) == 2 {
			return name + " (" + id + ")"
		}
	}
	if len(v) == 1 {
		return id
	}
	return ""
}
