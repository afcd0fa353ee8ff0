package uiadapter

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/ecl"
	"github.com/roget-health/roget/resources/r4"
)

// A Copy is a concept as programs write it. Title is a key of a text or a name.
type Copy struct{ ID, Title, Text string }

// maxCopied is the length of the largest text to copy, in bytes.
const maxCopied = 256 << 10

// copies returns a concept as a Coding, as expression constraints, as an element of a CodeSystem, and
// as a request.
func (p *Page) copies(s *System, o codesystem.Ord) ([]Copy, error) {
	code, display := s.x.Code(o), s.x.Display(o)
	if isLong(display) {
		display = "" // which a Coding may lack
	}
	coding, err := indented(r4.Coding{System: s.URL, Version: s.x.Version(), Code: code, Display: display})
	if err != nil {
		return nil, err
	}
	list := []Copy{{"coding", "Coding", coding}}
	if text := constraint(s.URL, code, display); text != "" {
		list = append(list, Copy{"ecl", "ECL", text})
	}
	if element := s.x.AppendConceptJSON(nil, o); len(element) <= maxCopied {
		var b bytes.Buffer
		if err := json.Indent(&b, element, "", "  "); err != nil {
			return nil, err
		}
		list = append(list, Copy{"json", "FHIR JSON", b.String()})
	}
	query := url.Values{"system": {s.URL}, "code": {code}}
	if s.Version != "" {
		query.Set("version", s.Version)
	}
	request := p.h.Address(p.r) + "/CodeSystem/$lookup?" + query.Encode()
	return append(list, Copy{"curl", "curl", "curl -H 'Accept: application/fhir+json' '" + strings.ReplaceAll(request, "'", "%27") + "'"}), nil
}

// indented returns a value as JSON for people.
func indented(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return strings.TrimSpace(b.String()), err
}

// snomed is the canonical of SNOMED CT.
const snomed = "http://snomed.info/sct"

// constraint returns the expression constraint for a concept and what is below it (ECL 2.2), "" if the
// language cannot name the code. A code that is no identifier of SNOMED CT is an alternate identifier.
func constraint(system, code, display string) string {
	id := code
	if system != snomed {
		id = "code#" + code
		if _, err := ecl.Parse(id); err != nil {
			id = `code#"` + code + `"`
		}
	}
	if _, err := ecl.Parse(id); err != nil {
		return ""
	}
	term := strings.Join(strings.Fields(strings.ReplaceAll(plain(display), "|", " ")), " ")
	if term == "" {
		return "<< " + id
	}
	return "<< " + id + " |" + term + "|"
}
