package fhirxml

import "bytes"

// IsXML reports whether a document that begins with some bytes is XML rather than JSON.
func IsXML(head []byte) bool {
	head = bytes.TrimPrefix(head, []byte("\uFEFF"))
	return bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("<"))
}

// IsResource reports whether XML that begins with some bytes, a few thousand, may be a resource:
// whether the namespace of FHIR is in them.
func IsResource(head []byte) bool {
	return IsXML(head) && (bytes.Contains(head, []byte(`"`+namespace+`"`)) || bytes.Contains(head, []byte(`'`+namespace+`'`)))
}
