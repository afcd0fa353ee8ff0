package uiadapter

import (
	"bytes"
	"encoding/json"
)

// An object is a JSON object of a resource. Numbers are json.Number, as they are written.
type object map[string]any

// readObject reads a resource.
func readObject(body []byte) (object, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var o object
	err := d.Decode(&o)
	return o, err
}

// text returns a string, number or boolean that a path of names leads to, "" if there is none. Of an
// array it takes the first item.
func (o object) text(path ...string) string {
	for i, name := range path {
		if i < len(path)-1 {
			o = o.first(name)
			continue
		}
		switch v := firstOf(o[name]).(type) {
		case string:
			return v
		case json.Number:
			return v.String()
		case bool:
			if v {
				return "true"
			}
			return "false"
		}
	}
	return ""
}

// first returns the object of a name, or the first one of an array; nil if there is none.
func (o object) first(name string) object {
	v, _ := firstOf(o[name]).(map[string]any)
	return v
}

// all returns the objects of a name: those of an array, or the one that is there.
func (o object) all(name string) []object {
	switch v := o[name].(type) {
	case map[string]any:
		return []object{v}
	case []any:
		list := make([]object, 0, len(v))
		for _, item := range v {
			if m, ok := item.(map[string]any); ok {
				list = append(list, m)
			}
		}
		return list
	}
	return nil
}

func firstOf(v any) any {
	if list, ok := v.([]any); ok && len(list) > 0 {
		return list[0]
	}
	return v
}
