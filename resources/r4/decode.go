package r4

import (
	"encoding/json"
	"strconv"
)

// Check returns the first error in a JSON document: malformed syntax, invalid UTF-8, a repeated
// name in an object, text after the end, or an exceeded limit. The error is a *SyntaxError.
func Check(data []byte, lim Limits) error {
	var s Scanner
	s.ResetBytes(data, lim)
	s.Skip()
	return s.End()
}

// decodeResource decodes a resource of a type. member decodes the value of the member that the
// scanner stands on, which has the name.
func decodeResource(data []byte, resourceType string, found *string, member func(s *Scanner, name []byte)) error {
	var s Scanner
	s.ResetBytes(data, DefaultLimits())
	s.SetRoot(resourceType)
	if s.Object() {
		for s.Member() {
			member(&s, s.Name())
			if *found != "" && *found != resourceType {
				s.Fail("structure", "expected a %s, found a %s", resourceType, *found)
			}
		}
		if *found == "" {
			s.Fail("required", "the element resourceType is missing")
		}
	}
	return s.End()
}

// readBoolean consumes a boolean.
func readBoolean(s *Scanner, dst **bool) {
	b := s.Boolean()
	*dst = &b
}

// readInteger consumes a 32-bit integer.
func readInteger(s *Scanner, dst **int) {
	literal := s.Number()
	if s.Err() != nil {
		return
	}
	n, err := strconv.ParseInt(string(literal), 10, 32)
	if err != nil {
		s.Fail("value", "expected an integer, found %s", showLiteral(literal))
		return
	}
	i := int(n)
	*dst = &i
}

func showLiteral(b []byte) string {
	if len(b) > maxShownName {
		return string(b[:maxShownName]) + "…"
	}
	return string(b)
}

// readRaw consumes a value and copies its JSON.
func readRaw(s *Scanner, dst *json.RawMessage) {
	*dst = append(json.RawMessage(nil), s.Raw(0)...)
}
