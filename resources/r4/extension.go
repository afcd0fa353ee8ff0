package r4

import (
	"encoding/json"
	"strings"
)

// An Extension is an extension of an element (R4 extensibility.html): a value, or nested
// extensions.
type Extension struct {
	URL       string
	Value     Value
	Extension Extensions
}

// Extensions are the extensions of an element.
type Extensions []Extension

// Find returns the first extension with a url, or nil.
func (list Extensions) Find(url string) *Extension {
	for i := range list {
		if list[i].URL == url {
			return &list[i]
		}
	}
	return nil
}

// Text returns the primitive value of the first extension with a url, or "".
func (list Extensions) Text(url string) string {
	if x := list.Find(url); x != nil {
		return x.Value.Text
	}
	return ""
}

// DecodeExtensions decodes the JSON array of an element's extensions. It returns nil for empty
// data.
func DecodeExtensions(data json.RawMessage) (Extensions, error) {
	if len(data) == 0 {
		return nil, nil
	}
	var list Extensions
	var s Scanner
	s.ResetBytes(data, DefaultLimits())
	s.SetRoot("extension")
	readExtensions(&s, &list)
	return list, s.End()
}

func readExtensions(s *Scanner, list *Extensions) {
	readList(s, (*[]Extension)(list), ReadExtension)
}

// ReadExtension consumes an extension and overwrites x. It skips values of types that FHIR R4 does
// not have.
func ReadExtension(s *Scanner, x *Extension) {
	*x = Extension{}
	if !s.Object() {
		return
	}
	for s.Member() {
		name := s.Name()
		switch string(name) {
		case "url":
			readText(s, &x.URL)
		case "extension":
			readExtensions(s, &x.Extension)
		default:
			suffix, isValue := strings.CutPrefix(string(name), "value")
			if _, class := classify([]byte(suffix)); isValue && class != classUnknown && x.Value.IsZero() {
				ReadValue(s, []byte(suffix), &x.Value)
			} else {
				s.Skip()
			}
		}
	}
}

// UnmarshalJSON implements json.Unmarshaler.
func (x *Extension) UnmarshalJSON(data []byte) error {
	var s Scanner
	s.ResetBytes(data, DefaultLimits())
	s.SetRoot("extension")
	ReadExtension(&s, x)
	return s.End()
}

// MarshalJSON implements json.Marshaler.
func (x Extension) MarshalJSON() ([]byte, error) { return AppendExtension(nil, &x), nil }
