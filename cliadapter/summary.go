package cliadapter

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/r4"
)

// foundCells returns the row of a resource: address, time, status, description and subject.
func foundCells(r *index.Record) []string {
	cells := []string{r.Type + "/" + r.ID, r.LastUpdated.UTC().Format(time.RFC3339), "", "", ""}
	d, err := document.Parse(r.Body, r4.Limits{})
	if err != nil {
		return cells
	}
	root := d.Root()
	cells[2] = root.Get("status").Text()
	if cells[2] == "" {
		cells[2] = codeText(root.Get("clinicalStatus"), true)
	}
	for _, name := range [...]string{
		"code", "vaccineCode", "medicationCodeableConcept", "medicationReference", "itemCodeableConcept", "name", "deviceName",
		"title", "type", "class", "description", "relationship", "productCodeableConcept", "url",
	} {
		if cells[3] = briefly(root.Get(name)); cells[3] != "" {
			break
		}
	}
	if value := briefly(root.Get("valueQuantity")); value != "" {
		cells[3] = strings.TrimSpace(cells[3] + " " + value)
	}
	for _, name := range [...]string{"subject", "patient", "individual", "beneficiary", "for"} {
		if cells[4] = referenceText(root.Get(name)); cells[4] != "" {
			break
		}
	}
	return cells
}

// briefly returns a value in words: a text, a name, a code, a quantity.
func briefly(v document.Value) string {
	switch v.Kind() {
	case document.Array:
		return briefly(v.Index(0))
	case document.String:
		return v.Text()
	case document.Object:
	default:
		return ""
	}
	for _, text := range [...]string{
		codeText(v, false), nameText(v), referenceText(v),
		strings.TrimSpace(v.Get("value").Text() + " " + v.Get("unit").Text()), v.Get("name").Text(),
	} {
		if text != "" {
			return text
		}
	}
	return ""
}

// codeText returns the text of a CodeableConcept or Coding: its text or display, or else its code;
// if code is true, the code first.
func codeText(v document.Value, code bool) string {
	coding := v.Get("coding").Index(0)
	if !coding.Exists() {
		coding = v
	}
	order := [...]string{v.Get("text").Text(), coding.Get("display").Text(), coding.Get("code").Text()}
	if code {
		order[0], order[2] = order[2], order[0]
	}
	if v.Get("system").Exists() && v.Get("value").Exists() { // a Quantity
		return ""
	}
	for _, text := range order {
		if text != "" {
			return text
		}
	}
	return ""
}

// nameText returns a HumanName.
func nameText(v document.Value) string {
	if text := v.Get("text").Text(); text != "" {
		return text
	}
	var parts []string
	for given := range v.Get("given").Items() {
		parts = append(parts, given.Text())
	}
	return strings.TrimSpace(strings.Join(append(parts, v.Get("family").Text()), " "))
}

// referenceText returns the display of a Reference, or else its target.
func referenceText(v document.Value) string {
	if text := v.Get("display").Text(); text != "" {
		return text
	}
	return v.Get("reference").Text()
}

// compact returns JSON without white space, all values as they were written.
func compact(body []byte) ([]byte, error) {
	var b bytes.Buffer
	err := json.Compact(&b, body)
	return b.Bytes(), err
}
