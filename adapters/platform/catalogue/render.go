package catalogue

import (
	"encoding/json"
	"slices"
	"strings"
)

const (
	none   = "None"
	orNone = " | " + none
)

// rendered returns the type of a schema for display. Platform toolkit, section 4.5.
func (d *document) rendered(n *node, depth int) string {
	text := short(d.plain(n, depth))
	if n.Nullable && !strings.HasSuffix(text, orNone) {
		text += orNone
	}
	return text
}

func (d *document) plain(n *node, depth int) string {
	inner := func(raw json.RawMessage) string {
		if depth >= maxDepth {
			return "any"
		}
		return d.rendered(read(raw), depth+1)
	}
	switch {
	case n.Ref != "":
		return d.referred(refersTo(n.Ref))
	case len(n.Enum) > 0:
		return enumeration("enum", values(n.Enum))
	case len(n.AllOf) > 0:
		return joined(n.AllOf, inner, " & ")
	case len(n.OneOf) > 0:
		return joined(n.OneOf, inner, " | ")
	case len(n.AnyOf) > 0:
		return joined(n.AnyOf, inner, " | ")
	}
	var kinds []string
	for _, kind := range typeNames(n.Type) {
		switch kind {
		case "array":
			kind = "list[" + inner(n.Items) + "]"
		case "object":
			kind = "dict"
			if len(n.AdditionalProperties) > 0 && n.AdditionalProperties[0] == '{' {
				kind = "dict[str, " + inner(n.AdditionalProperties) + "]"
			}
		default:
			kind = simple(kind, n.Format)
		}
		kinds = append(kinds, kind)
	}
	return union(kinds, " | ")
}

// referred returns the name of a component, with its values if it is an enumeration.
func (d *document) referred(name string) string {
	text, known := d.enums[name]
	if !known {
		text = name
		if n := d.components[name]; n != nil {
			text = enumeration(text, values(n.Enum))
		}
		text = short(text)
		d.enums[name] = text
	}
	if text == "" {
		return "any"
	}
	return text
}

// simple renders a JSON type with its format.
func simple(kind, format string) string {
	switch kind {
	case "string":
		if format == "date-time" || format == "date" {
			return "datetime"
		}
		return "str"
	case "integer":
		return "int"
	case "number":
		return "float"
	case "boolean":
		return "bool"
	case "null":
		return none
	}
	return "any"
}

// typeNames returns the type names of a schema.
func typeNames(raw json.RawMessage) []string {
	var one string
	if json.Unmarshal(raw, &one) == nil && one != "" {
		return []string{one}
	}
	var several []string
	if json.Unmarshal(raw, &several) != nil {
		return nil
	}
	slices.Sort(several)
	several = slices.Compact(several)
	return several[:min(len(several), 8)] // JSON Schema has seven types
}

// values returns the values of an enumeration as texts, without null.
func values(raws []json.RawMessage) []string {
	var texts []string
	for _, raw := range raws {
		var text string
		switch {
		case json.Unmarshal(raw, &text) != nil:
			texts = append(texts, string(raw))
		case string(raw) != "null":
			texts = append(texts, text)
		}
	}
	return texts
}

// joined renders the parts of a schema up to the limit of a text.
func joined(parts []json.RawMessage, render func(json.RawMessage) string, by string) string {
	var texts []string
	for length, i := 0, 0; i < len(parts) && length <= maxText; i++ {
		text := render(parts[i])
		length += len(text)
		texts = append(texts, text)
	}
	return union(texts, by)
}

// union joins distinct texts, with none at the end.
func union(texts []string, by string) string {
	var once []string
	nullable := false
	for _, text := range texts {
		text, without := strings.CutSuffix(text, orNone)
		nullable = nullable || without || text == none
		if text != none && text != "any" && !slices.Contains(once, text) {
			once = append(once, text)
		}
	}
	if len(once) == 0 {
		once = []string{"any"}
	}
	if nullable {
		return strings.Join(once, by) + orNone
	}
	return strings.Join(once, by)
}
