package fhir

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/r5"
)

// asR4 returns a ValueSet or ConceptMap as R4. One that is neither R4 nor R5 is returned unchanged.
func asR4(body []byte) []byte {
	if !r5.Detect(body) {
		return body
	}
	converted, err := r5.ToR4(body)
	if err != nil {
		return body
	}
	return converted
}

// members are the elements of a CodeSystem that R4 does not have, as members of a resource.
type members []byte

func (m *members) add(name string, value []byte) {
	*m = append(*m, ',')
	*m = append(r4.AppendString(*m, name), ':')
	*m = append(*m, value...)
}

// extend adds the extensions that hold the members in R4 to those of a header.
func (m members) extend(header *r4.CodeSystem) error {
	if len(m) == 0 {
		return nil
	}
	doc := append([]byte(`{"resourceType":"CodeSystem"`), m...)
	converted, err := r5.ToR4(append(doc, '}'))
	if err != nil {
		return err
	}
	var parts struct{ Extension json.RawMessage }
	if err := json.Unmarshal(converted, &parts); err != nil {
		return fmt.Errorf("the elements of R5: %w", err)
	}
	if len(header.Extension) == 0 {
		header.Extension = parts.Extension
		return nil
	}
	own := bytes.TrimRight(bytes.TrimSuffix(bytes.TrimSpace(header.Extension), []byte("]")), " \t\r\n")
	if !bytes.Equal(own, []byte("[")) {
		own = append(bytes.Clone(own), ',')
	}
	header.Extension = append(own, parts.Extension[1:]...)
	return nil
}
