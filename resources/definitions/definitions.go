package definitions

import (
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/roget-health/roget/resources/r4"
)

var (
	//go:embed headers.tsv.gz
	packedHeaders string
	//go:embed documents.ndjson.gz
	documents string
)

// Definition is a CodeSystem or ValueSet: what it is called, and its document, which is
// unpacked when asked for.
type Definition struct {
	Header   r4.Header
	Content  string // CodeSystem.content
	AllCodes string // CodeSystem.valueSet
	Concepts int    // CodeSystem: number of concepts, those below others too

	place place
	from  *archive
}

// Document returns the resource as JSON; the caller may keep and change it. It is safe for
// concurrent use. An error means that the program is damaged.
func (d *Definition) Document() ([]byte, error) { return d.from.read(d.place) }

// All returns every definition, CodeSystems before ValueSets, by url and version. What
// their headers point to is shared and must not be changed. The list is unpacked anew for
// each call; a program that is damaged has none.
func All() []Definition {
	headers, err := unpacked(packedHeaders)
	if err != nil {
		return nil
	}
	n := strings.Count(headers, "\n")
	shared := shared{
		from:        &archive{packed: documents},
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
	}
	return list
}

// shared is what the definitions of a list have in common, to be allocated once.
type shared struct {
	from        *archive
	identifiers []r4.Identifier
	extensions  map[string]json.RawMessage
	yes, no     bool
}

// read reads a row; the columns are those that gen writes.
func (s *shared) read(r row, d *Definition) {
	h := &d.Header
	for _, column := range [...]*string{&h.ResourceType, &h.ID, &h.URL, &h.Version, &h.Name, &h.Title, &h.Status} {
		*column = r.next()
	}
	h.Experimental = s.boolean(r.next())
	h.Date, h.Publisher, h.Language = r.next(), r.next(), r.next()
	h.Identifier = s.identifier(r.next())
	h.Extension = s.extension(r.next())
	h.Copyright = r.next()
	d.Content, d.AllCodes = r.next(), r.next()
	d.Concepts = r.number()
	d.place = place{member: r.number(), offset: r.number(), length: r.number()}
	d.from = s.from
}

// boolean returns what true, false or nothing stands for.
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

// extension returns the extension that tells the standards status of a resource.
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
