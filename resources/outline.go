package resources

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// errDocument is what the outline reports for text that is not one JSON object, or
// one that says a member twice. The Service checks documents before, with positions.
var errDocument = errors.New("not a JSON object")

// span is a value inside a document: data[start:end].
type span struct{ start, end int }

func (s span) present() bool { return s.end > 0 }

// object is a JSON object found in a document: where it opens, and whether it has members.
type object struct {
	inside int // offset after the opening brace
	empty  bool
}

// outline is where the members lie that a server sets or looks at.
type outline struct {
	top                    object
	resourceType, id, meta span
	// codes of a definition that R4 binds
	status, content, hierarchyMeaning span
	metaObject                        object
	versionID, lastUpdated            span
}

// read finds the outline of a document. It looks only at the top level and one level
// into meta; text that is not JSON elsewhere may pass.
func (o *outline) read(data []byte) error {
	top, end, err := eachMember(data, 0, func(key string, value span) error {
		switch key {
		case "resourceType":
			return once(&o.resourceType, key, value)
		case "id":
			return once(&o.id, key, value)
		case "meta":
			return once(&o.meta, key, value)
		case "status":
			return once(&o.status, key, value)
		case "content":
			return once(&o.content, key, value)
		case "hierarchyMeaning":
			return once(&o.hierarchyMeaning, key, value)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if end = skipSpace(data, end); end != len(data) {
		return fmt.Errorf("%w: text after the end at byte %d", errDocument, end)
	}
	o.top = top
	if !o.meta.present() {
		return nil
	}
	o.metaObject, _, err = eachMember(data, o.meta.start, func(key string, value span) error {
		switch key {
		case "versionId":
			return once(&o.versionID, "meta.versionId", value)
		case "lastUpdated":
			return once(&o.lastUpdated, "meta.lastUpdated", value)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("meta: %w", err)
	}
	return nil
}

// text gives the string at a span; ok is false when there is none or it is no string.
func (s span) text(data []byte) (text string, ok bool) {
	if !s.present() || data[s.start] != '"' {
		return "", false
	}
	if err := json.Unmarshal(data[s.start:s.end], &text); err != nil {
		return "", false
	}
	return text, true
}

func once(at *span, name string, value span) error {
	if at.present() {
		return fmt.Errorf("%w: member %q is there twice", errDocument, name)
	}
	*at = value
	return nil
}

// eachMember calls fn for the members of the object that begins at or after pos, and
// gives the offset after its closing brace.
func eachMember(data []byte, pos int, fn func(key string, value span) error) (o object, end int, err error) {
	pos = skipSpace(data, pos)
	if !at(data, pos, '{') {
		return o, 0, fmt.Errorf("%w: expected { at byte %d", errDocument, pos)
	}
	pos++
	o.inside = pos
	pos = skipSpace(data, pos)
	if at(data, pos, '}') {
		o.empty = true
		return o, pos + 1, nil
	}
	for {
		keyEnd := skipValue(data, pos)
		if !at(data, pos, '"') || keyEnd < 0 {
			return o, 0, fmt.Errorf("%w: expected a member name at byte %d", errDocument, pos)
		}
		key, ok := span{pos, keyEnd}.text(data)
		if !ok {
			return o, 0, fmt.Errorf("%w: bad member name at byte %d", errDocument, pos)
		}
		pos = skipSpace(data, keyEnd)
		if !at(data, pos, ':') {
			return o, 0, fmt.Errorf("%w: expected : at byte %d", errDocument, pos)
		}
		start := skipSpace(data, pos+1)
		pos = skipValue(data, start)
		if pos < 0 {
			return o, 0, fmt.Errorf("%w: bad value at byte %d", errDocument, start)
		}
		if err := fn(key, span{start, pos}); err != nil {
			return o, 0, err
		}
		pos = skipSpace(data, pos)
		switch {
		case at(data, pos, '}'):
			return o, pos + 1, nil
		case at(data, pos, ','):
			pos = skipSpace(data, pos+1)
		default:
			return o, 0, fmt.Errorf("%w: expected , or } at byte %d", errDocument, pos)
		}
	}
}

func at(data []byte, pos int, c byte) bool { return pos < len(data) && data[pos] == c }

func skipSpace(data []byte, pos int) int {
	for pos < len(data) && isSpace(data[pos]) {
		pos++
	}
	return pos
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// skipValue gives the offset after the value that begins at pos, or -1. It needs no
// stack: brackets are counted, and what is between them is not looked at.
func skipValue(data []byte, pos int) int {
	depth := 0
	for pos < len(data) {
		switch c := data[pos]; c {
		case '"':
			if pos = skipString(data, pos); pos < 0 {
				return -1
			}
		case '{', '[':
			depth++
			pos++
			continue
		case '}', ']':
			if depth == 0 {
				return -1
			}
			depth--
			pos++
		case ',', ':', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return -1
			}
			pos++
			continue
		default:
			for pos < len(data) && !isDelimiter(data[pos]) {
				pos++
			}
		}
		if depth == 0 {
			return pos
		}
	}
	return -1
}

func isDelimiter(c byte) bool {
	switch c {
	case '"', '{', '}', '[', ']', ',', ':':
		return true
	}
	return isSpace(c)
}

// skipString gives the offset after the string that begins at pos, or -1.
func skipString(data []byte, pos int) int {
	first := pos + 1
	for from := first; ; {
		n := bytes.IndexByte(data[from:], '"')
		if n < 0 {
			return -1
		}
		end := from + n
		slashes := 0
		for end-slashes > first && data[end-slashes-1] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return end + 1
		}
		from = end + 1
	}
}
