package platformtest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// field selects a member: the member itself, some of its members, or a value derived from it.
type field struct {
	name    string
	as      string // the name in the response
	inner   []field
	exclude bool
	size    bool // ~size
	empty   bool // ~isEmpty
}

// maxNesting limits the nesting of brackets.
const maxNesting = 16

// parseFields reads the parameter fields: names, *, presets, !name, name[names],
// name~size, name~isEmpty, name~rename(name).
func parseFields(text string) ([]field, error) {
	fields, rest, err := parseList(text, 0)
	if err == nil && rest != "" {
		err = errors.New("unexpected ] in fields: " + text)
	}
	return fields, err
}

// parseList reads names up to the end or a closing bracket, and returns the rest.
func parseList(text string, depth int) (fields []field, rest string, err error) {
	if depth > maxNesting {
		return nil, "", errors.New("fields are nested too deeply")
	}
	for text != "" {
		end := strings.IndexAny(text, ",[]")
		name := text
		if end >= 0 {
			name = text[:end]
		}
		text = text[len(name):]
		f, err := parseName(strings.TrimSpace(name))
		if err != nil {
			return nil, "", err
		}
		if strings.HasPrefix(text, "[") {
			if f.inner, text, err = parseList(text[1:], depth+1); err != nil {
				return nil, "", err
			}
			closed, ok := strings.CutPrefix(text, "]")
			if !ok {
				return nil, "", errors.New("missing ] in fields")
			}
			text = closed
		}
		if f.name != "" {
			fields = append(fields, f)
		}
		if strings.HasPrefix(text, "]") {
			return fields, text, nil
		}
		text = strings.TrimPrefix(text, ",")
	}
	return fields, "", nil
}

func parseName(name string) (field, error) {
	name, exclude := strings.CutPrefix(name, "!")
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '~' || r == '|' })
	if len(words) == 0 {
		return field{}, nil
	}
	f := field{name: words[0], as: words[0], exclude: exclude}
	for _, word := range words[1:] {
		renamed, isRename := strings.CutPrefix(word, "rename(")
		switch {
		case word == "size":
			f.size = true
		case word == "isEmpty":
			f.empty = true
		case isRename && strings.HasSuffix(renamed, ")"):
			f.as = strings.TrimSuffix(renamed, ")")
		default:
			return f, fmt.Errorf("unknown transformer: %s", word)
		}
	}
	return f, nil
}

// derived are the members that are computed, not stored.
var derived = []string{"displayName", "href", "access"}

// preset returns the names that a preset selects.
func preset(o Object, name string) []string {
	switch name {
	case "*", ":all":
		return slices.Sorted(maps.Keys(o))
	case ":identifiable":
		return []string{"id", "code", "name", "displayName", "created", "lastUpdated"}
	case ":nameable":
		return []string{"id", "code", "name", "shortName", "description", "displayName", "created", "lastUpdated"}
	case ":owner", ":persisted":
		return slices.DeleteFunc(slices.Sorted(maps.Keys(o)), func(each string) bool { return slices.Contains(derived, each) })
	case ":simple":
		return slices.DeleteFunc(slices.Sorted(maps.Keys(o)), func(each string) bool {
			switch o[each].(type) {
			case Object, []any:
				return true
			}
			return false
		})
	}
	return []string{name}
}

// project returns the parts of a value that fields select.
func (p *Platform) project(v any, fields []field) any {
	switch here := v.(type) {
	case []any:
		list := make([]any, 0, len(here))
		for _, each := range here {
			list = append(list, p.project(each, fields))
		}
		return list
	case Object:
		return p.members(p.whole(here), fields)
	}
	return v
}

func (p *Platform) members(o Object, fields []field) Object {
	chosen := Object{}
	for _, f := range fields {
		for _, name := range preset(o, f.name) {
			value, there := o[name]
			list, _ := value.([]any)
			switch {
			case f.exclude:
				delete(chosen, name)
			case f.size:
				chosen[f.as] = len(list)
			case f.empty:
				chosen[f.as] = len(list) == 0
			case !there:
			case f.inner != nil:
				chosen[f.as] = p.project(value, f.inner)
			case f.as != f.name:
				chosen[f.as] = shortened(value)
			default:
				chosen[name] = shortened(value)
			}
		}
	}
	return chosen
}

// shortened returns a value in which references have only an id.
func shortened(v any) any {
	switch here := v.(type) {
	case []any:
		list := make([]any, 0, len(here))
		for _, each := range here {
			list = append(list, shortened(each))
		}
		return list
	case Object:
		if id, ok := here["id"].(string); ok && uidPattern.MatchString(id) && here["access"] == nil {
			return Object{"id": id}
		}
	}
	return v
}

// whole returns the object of a reference that has only an id.
func (p *Platform) whole(o Object) Object {
	id, ok := o["id"].(string)
	if !ok || len(o) > 1 {
		return o
	}
	for _, plural := range slices.Sorted(maps.Keys(p.collections)) {
		if there := p.collections[plural].get(id); there != nil {
			return p.shape(plural, there)
		}
	}
	return o
}

// references returns the uids in a list of references.
func references(v any) []string {
	var uids []string
	list, _ := v.([]any)
	for _, each := range list {
		o, _ := each.(Object)
		uids = append(uids, text(o, "id"))
	}
	return uids
}
