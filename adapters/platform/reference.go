package platform

import (
	"bytes"
	"encoding/json"
)

// A Reference names another object of the platform. On the wire it is an object with id and names, or
// only the uid. It is written in the form in which it was read. Platform toolkit, section 2.8.
type Reference struct {
	ID          string `json:"id,omitempty"`
	Name        string `json:"name,omitempty"`
	DisplayName string `json:"displayName,omitempty"`
	Extra       Extra  `json:"-"`

	bare bool // only the uid
}

// UnmarshalJSON reads an object or a uid.
func (r *Reference) UnmarshalJSON(data []byte) error {
	*r = Reference{}
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte{'"'}) {
		r.bare = true
		return unmarshal(data, &r.ID)
	}
	return decodeRecord(data, r)
}

// MarshalJSON writes an object or a uid, as it was read.
func (r Reference) MarshalJSON() ([]byte, error) {
	if r.bare && r.Name == "" && r.DisplayName == "" && len(r.Extra) == 0 {
		return json.Marshal(r.ID)
	}
	return encodeRecord(r)
}

// Label returns "name (uid)" for display, or the uid if there is no name.
func (r Reference) Label() string {
	switch {
	case r.DisplayName != "":
		return r.DisplayName + " (" + r.ID + ")"
	case r.Name != "":
		return r.Name + " (" + r.ID + ")"
	}
	return r.ID
}

// References is a list of references. For a number, which the platform sends for users~size, the list
// is nil, and the record has the number in Extra.
type References []Reference

// UnmarshalJSON reads an array, null or a number.
func (r *References) UnmarshalJSON(data []byte) error {
	*r = nil
	if kindOf(data) == "a number" {
		return nil
	}
	return unmarshal(data, (*[]Reference)(r))
}

// IsUID reports whether a text is an identifier of the platform: a letter, then 10 letters or digits.
func IsUID(text string) bool {
	if len(text) != 11 {
		return false
	}
	for i := range len(text) {
		c := text[i]
		if letter := c|0x20 >= 'a' && c|0x20 <= 'z'; !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return true
}
