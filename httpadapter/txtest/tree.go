package txtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// object and list hold parsed JSON. Primitives are string, bool, nil and json.Number, which keeps
// the digits as written.
type (
	object = map[string]any
	list   = []any
)

// parse parses one JSON document, with or without a byte order mark.
func parse(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	dec.UseNumber()
	var tree any
	if err := dec.Decode(&tree); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON document")
	}
	return tree, nil
}

// member returns a member that is an object, else nil.
func member(o object, key string) object {
	value, _ := o[key].(object)
	return value
}

// text returns a member that is a string, else "".
func text(o object, key string) string {
	value, _ := o[key].(string)
	return value
}

// objects returns the objects in a list member.
func objects(o object, key string) []object {
	entries, _ := o[key].(list)
	return objectsOf(entries)
}

func objectsOf(entries list) []object {
	found := make([]object, 0, len(entries))
	for _, entry := range entries {
		if o, ok := entry.(object); ok {
			found = append(found, o)
		}
	}
	return found
}

// names returns the strings in a list member.
func names(o object, key string) []string {
	entries, _ := o[key].(list)
	var found []string
	for _, entry := range entries {
		if s, ok := entry.(string); ok {
			found = append(found, s)
		}
	}
	return found
}

// valueOf returns the value[x] of a parameter, property or extension.
func valueOf(o object) any {
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if strings.HasPrefix(key, "value") {
			return o[key]
		}
	}
	return nil
}

// plain returns a primitive as text, and "" for anything else.
func plain(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return fmt.Sprint(v)
	}
	return ""
}

// parameters visits every parameter and part below an object, outermost first.
func parameters(o object, visit func(object)) {
	for _, key := range []string{"parameter", "part"} {
		for _, p := range objects(o, key) {
			visit(p)
			parameters(p, visit)
		}
	}
}

// prune returns a tree without members that are null, and without empty lists and objects, none of
// which FHIR allows in JSON.
func prune(tree any) any {
	switch v := tree.(type) {
	case object:
		kept := make(object, len(v))
		for key, value := range v {
			if value = prune(value); value != nil && !empty(value) {
				kept[key] = value
			}
		}
		return kept
	case list:
		kept := make(list, 0, len(v))
		for _, value := range v {
			if value = prune(value); !empty(value) {
				kept = append(kept, value)
			}
		}
		return kept
	}
	return tree
}

func empty(value any) bool {
	switch v := value.(type) {
	case object:
		return len(v) == 0
	case list:
		return len(v) == 0
	}
	return false
}
