package definitions

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"unicode"

	"github.com/roget-health/roget/codesystem/packed"
	"github.com/roget-health/roget/resources/r4"
)

var (
	//go:embed headers.tsv.lzma
	packedHeaders string
	//go:embed documents.ndjson.lzma
	documents string
)

// A Definition is a CodeSystem or ValueSet: its header, and its document, which is unpacked on
// demand.
type Definition struct {
	Header   r4.Header
	Content  string // CodeSystem.content
	AllCodes string // CodeSystem.valueSet
	Concepts int    // CodeSystem: number of concepts at all levels

	place int // the line of its document
}

// Document returns the resource as JSON, which the caller owns. It is safe for concurrent use. An
// error means that the executable is corrupt.
func (d *Definition) Document() ([]byte, error) {
	lines, err := bodies()
	if err != nil {
		return nil, fmt.Errorf("definitions: %w", err)
	}
	body := lines[d.place]
	var document bytes.Buffer
	known := json.NewEncoder(&document)
	known.SetEscapeHTML(false)
	err = known.Encode(struct {
		r4.Header
		ValueSet string `json:"valueSet,omitempty"`
		Content  string `json:"content,omitempty"`
	}{d.Header, d.AllCodes, d.Content})
	if err != nil {
		return nil, err
	}
	document.Truncate(document.Len() - len("}\n"))
	if len(body) > len("{}\n") {
		document.WriteByte(',')
	}
	document.Write(body[1 : len(body)-1])
	return document.Bytes(), nil
}

// All returns all definitions, CodeSystems before ValueSets, ordered by url and version. What the
// headers point to is shared and must not be changed. The list is unpacked on each call. It is
// empty if the executable is corrupt.
func All() []Definition {
	text, err := packed.Table(packedHeaders)
	if err != nil {
		return nil
	}
	headers := string(text)
	n := strings.Count(headers, "\n")
	shared := shared{
		identifiers: make([]r4.Identifier, 0, n),
		extensions:  map[string]json.RawMessage{},
		yes:         true,
	}
	list := make([]Definition, n)
	rest := headers
	for i := range list {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		shared.read(row(line), &list[i])
		list[i].place = i
	}
	return list
}

// shared caches values that many definitions have in common.
type shared struct {
	identifiers []r4.Identifier
	extensions  map[string]json.RawMessage
	yes, no     bool
}

// read decodes a row, whose columns are those that gen writes.
func (s *shared) read(r row, d *Definition) {
	h := &d.Header
	for _, column := range [...]*string{&h.ResourceType, &h.ID, &h.URL, &h.Version, &h.Name, &h.Title, &h.Status} {
		*column = r.next()
	}
	tail := h.ID[strings.LastIndexByte(h.ID, '-')+1:]
	h.URL, h.Name, h.Title = whole(h.URL, h.ID), whole(h.Name, tail), whole(h.Title, tail)
	if h.Name == "=" {
		h.Name = NameOf(h.Title)
	}
	h.Experimental = s.boolean(r.next())
	h.Date, h.Publisher, h.Language = r.next(), r.next(), r.next()
	h.Identifier = s.identifier(r.next())
	h.Extension = s.extension(r.next())
	h.Copyright = r.next()
	d.Content, d.AllCodes = r.next(), whole(r.next(), h.ID)
	d.Concepts = r.number()
}

// whole puts an ending in place of the star at the end of a text.
func whole(text, ending string) string {
	if start, short := strings.CutSuffix(text, "*"); short {
		return start + ending
	}
	return text
}

// NameOf returns the words of a title, each with a capital, as one. It is the name of most definitions.
func NameOf(title string) string {
	words := strings.FieldsFunc(title, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, "")
}

// bodies returns the bodies of the documents in the order of the headers. It unpacks them once.
var bodies = sync.OnceValues(func() ([][]byte, error) {
	text, err := packed.Lines(documents)
	return bytes.SplitAfter(text, []byte("\n")), err
})

// boolean returns a shared pointer for true and false, nil for "".
func (s *shared) boolean(text string) *bool {
	switch text {
	case "true":
		return &s.yes
	case "false":
		return &s.no
	}
	return nil
}

// identifier returns the list of one identifier, an OID.
func (s *shared) identifier(oid string) r4.IdentifierList {
	if oid == "" {
		return nil
	}
	s.identifiers = append(s.identifiers, r4.Identifier{System: "urn:ietf:rfc:3986", Value: oid})
	n := len(s.identifiers)
	return s.identifiers[n-1 : n : n]
}

// extension returns the extension with the standards status of a resource.
func (s *shared) extension(status string) json.RawMessage {
	if status == "" {
		return nil
	}
	text := s.extensions[status]
	if text == nil {
		text = json.RawMessage(`[{"url":"http://hl7.org/fhir/StructureDefinition/structuredefinition-standards-status","valueCode":"` + status + `"}]`)
		s.extensions[status] = text
	}
	return text
}
