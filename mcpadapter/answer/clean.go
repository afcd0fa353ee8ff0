package answer

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean returns text without the characters that a reader cannot see: control characters
// except line feed and tab, marks that change the direction of text, characters without
// width, tag characters, and bytes that are not UTF-8. Each becomes a space.
func Clean(text string) string {
	if !strings.ContainsFunc(text, hidden) && utf8.ValidString(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if hidden(r) || r == utf8.RuneError {
			return ' '
		}
		return r
	}, text)
}

func hidden(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case unicode.IsControl(r), r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r == 0xfeff:
		return true
	}
	return r >= 0xe0000 && r <= 0xe007f // tags: text that no one sees
}

// Line returns clean text on one line.
func Line(text string) string {
	return strings.Join(strings.Fields(Clean(text)), " ")
}

// Cut returns at most n bytes of a text. A text that was cut ends with an ellipsis.
func Cut(text string, n int) string {
	const mark = "…"
	if len(text) <= n {
		return text
	}
	end := max(n-len(mark), 0)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + mark
}

// Short returns clean text on one line, of at most n bytes.
func Short(text string, n int) string {
	if most := 4 * n; len(text) > most { // the rest would be cut anyway
		text = Cut(text, most)
	}
	return Cut(Line(text), n)
}

var rawMessage = reflect.TypeFor[json.RawMessage]()

// scrub cleans every string that v, a pointer, leads to.
func scrub(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			scrub(v.Elem())
		}
	case reflect.Interface:
		if v.IsNil() || !v.CanSet() {
			return
		}
		inner := reflect.New(v.Elem().Type()).Elem()
		inner.Set(v.Elem())
		scrub(inner)
		v.Set(inner)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				scrub(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Type() == rawMessage {
			v.SetBytes(scrubJSON(v.Bytes()))
			return
		}
		for i := range v.Len() {
			scrub(v.Index(i))
		}
	case reflect.Map:
		scrubMap(v)
	case reflect.String:
		if v.CanSet() {
			v.SetString(Clean(v.String()))
		}
	}
}

func scrubMap(v reflect.Value) {
	for _, key := range v.MapKeys() {
		inner := reflect.New(v.Type().Elem()).Elem()
		inner.Set(v.MapIndex(key))
		scrub(inner)
		if key.Kind() == reflect.String {
			if clean := Clean(key.String()); clean != key.String() {
				v.SetMapIndex(key, reflect.Value{})
				key = reflect.ValueOf(clean).Convert(key.Type())
			}
		}
		v.SetMapIndex(key, inner)
	}
}

// scrubJSON cleans the strings of a JSON document. What is not JSON becomes null.
func scrubJSON(doc []byte) []byte {
	if len(doc) == 0 {
		return doc
	}
	decoder := json.NewDecoder(bytes.NewReader(doc))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return []byte("null")
	}
	scrub(reflect.ValueOf(&value).Elem())
	clean, err := json.Marshal(value)
	if err != nil {
		return []byte("null")
	}
	return clean
}
