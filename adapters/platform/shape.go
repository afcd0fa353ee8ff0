package platform

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
)

// unmarshal reads JSON like json.Unmarshal. If the JSON has another shape than the value, the error says
// so in JSON's terms, without Go types.
func unmarshal(data []byte, into any) error {
	err := json.Unmarshal(data, into)
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return err
	}
	found, _, _ := strings.Cut(wrong.Value, " ") // number 1e999
	wanted := cmp.Or(shapes[wrong.Type.Kind()], "number")
	text := "it is " + article(found) + ", not " + article(wanted)
	if found == wanted {
		text = "it is not an integer, or out of range"
	}
	if wrong.Field != "" {
		text = "member " + wrong.Field + ": " + text
	}
	return errors.New(text)
}

// marshal writes JSON like json.Marshal, but does not escape < > &, so that the platform stores the text
// of users unchanged.
func marshal(v any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSuffix(text.Bytes(), []byte{'\n'}), err
}

// shapes are JSON's terms for kinds of Go values.
var shapes = map[reflect.Kind]string{
	reflect.Struct: "object", reflect.Map: "object", reflect.Slice: "array", reflect.String: "string", reflect.Bool: "boolean",
}

func article(word string) string {
	if strings.ContainsAny(word[:1], "ao") {
		return "an " + word
	}
	return "a " + word
}

// kindOf names the kind of a JSON value.
func kindOf(data []byte) string {
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return "nothing"
	}
	switch data[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a text"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}
