package catalogue

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Source is a view of the types of a server.
type Source string

// The views. Platform toolkit, section 4.2.
const (
	OpenAPI Source = "oas"     // the components of the OpenAPI document
	Schemas Source = "schemas" // the metadata schemas
)

// Limits of documents, which bound the memory that a server's document takes.
const (
	maxDocument = 64 << 20 // bytes of a document, or of an unpacked catalogue
	maxPacked   = 4 << 20  // bytes of a packed catalogue
	maxTypes    = 10_000   // types of a catalogue
	maxFields   = 200_000  // fields of all types
	maxName     = 200      // bytes of a name
	maxText     = 4_000    // bytes of a rendered type, or of a description
	maxTexts    = 64 << 20 // bytes of all texts
)

// ErrLimit is wrapped by the error for a document that exceeds a limit.
var ErrLimit = errors.New("catalogue: over the limit")

// A Catalogue has the types of one view of one version of the platform. The types are sorted by name, and
// names are unique. Platform toolkit, section 4.3.
type Catalogue struct {
	Version    string `json:"version"`     // of the client, such as "v42"
	RawVersion string `json:"raw_version"` // reported by the server, such as "2.42.4"
	Source     Source `json:"source"`
	Types      []Type `json:"types"`
}

// A Type is a type of the platform, such as DataElement.
type Type struct {
	Name     string `json:"name"`
	Plural   string `json:"plural,omitempty"`   // in paths and envelopes, such as "dataElements"
	Singular string `json:"singular,omitempty"` // unless it is the name with a lower-case first letter
	Endpoint string `json:"endpoint,omitempty"` // such as "/api/dataElements"
	Metadata bool   `json:"metadata,omitempty"`
	// Fields are nil if they are unknown: for many types only the name is embedded.
	Fields []Field `json:"fields"`
}

// A Field is a member of the records of a type.
type Field struct {
	Name        string  `json:"name"`
	Type        string  `json:"type"` // for display, such as "list[UserRole]"
	Required    bool    `json:"required"`
	Description *string `json:"description"`
}

// Text returns the description, which may be empty.
func (f Field) Text() string {
	if f.Description == nil {
		return ""
	}
	return *f.Description
}

// Field returns the field with a name, ignoring case, or nil.
func (t *Type) Field(name string) *Field {
	for i := range t.Fields {
		if strings.EqualFold(t.Fields[i].Name, name) {
			return &t.Fields[i]
		}
	}
	return nil
}

// Encode packs a catalogue as gzip-compressed JSON.
func (c *Catalogue) Encode() ([]byte, error) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if err := errors.Join(json.NewEncoder(z).Encode(c), z.Close()); err != nil {
		return nil, err
	}
	if packed.Len() > maxPacked {
		return nil, fmt.Errorf("%w: a catalogue of %d bytes packed, at most %d", ErrLimit, packed.Len(), maxPacked)
	}
	return packed.Bytes(), nil
}

// Decode unpacks a catalogue that Encode packed. Other data is an error.
func Decode(packed []byte) (*Catalogue, error) { return decode(packed, maxDocument) }

// decode unpacks a catalogue of at most limit bytes.
func decode(packed []byte, limit int) (*Catalogue, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("catalogue: unpack: %w", err)
	}
	doc, err := io.ReadAll(io.LimitReader(z, int64(limit)+1))
	if err == nil {
		err = checkSize(doc, limit)
	}
	if err != nil {
		return nil, fmt.Errorf("catalogue: unpack: %w", err)
	}
	c := &Catalogue{}
	if err := json.Unmarshal(doc, c); err != nil {
		return nil, fmt.Errorf("catalogue: unpack: %w", err)
	}
	if c.Source != OpenAPI && c.Source != Schemas {
		return nil, fmt.Errorf("catalogue: unpack: the source is %q", c.Source)
	}
	c.Types, err = normalise(c.Types)
	return c, err
}

func checkSize(doc []byte, limit int) error {
	if len(doc) > limit {
		return fmt.Errorf("%w: a document of more than %d bytes", ErrLimit, limit)
	}
	return nil
}

// normalise sorts types by name, drops types without a name, and checks the limits. Of several types with
// one name it keeps the type with an endpoint, or the first.
func normalise(types []Type) ([]Type, error) {
	slices.SortStableFunc(types, func(a, b Type) int {
		if n := strings.Compare(a.Name, b.Name); n != 0 {
			return n
		}
		return cmp.Compare(min(len(b.Endpoint), 1), min(len(a.Endpoint), 1))
	})
	types = slices.CompactFunc(types, func(a, b Type) bool { return a.Name == b.Name })
	types = slices.DeleteFunc(types, func(t Type) bool { return !named(t.Name) })
	if len(types) > maxTypes {
		return nil, fmt.Errorf("%w: %d types, at most %d", ErrLimit, len(types), maxTypes)
	}
	fields, texts := 0, 0
	for i := range types {
		t := &types[i]
		fields += len(t.Fields)
		for _, f := range t.Fields {
			texts += len(f.Name) + len(f.Type) + len(f.Text())
		}
		if fields > maxFields || texts > maxTexts {
			return nil, fmt.Errorf("%w: more than %d fields, or %d bytes of text", ErrLimit, maxFields, maxTexts)
		}
	}
	return types, nil
}

// named reports whether a text can be the name of a type or field.
func named(name string) bool { return name != "" && len(name) <= maxName }

// short cuts a text that is too long at a character boundary.
func short(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + "…"
}
