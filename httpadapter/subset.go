package httpadapter

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/search"
)

// subset is the part of a resource that _summary or _elements selects
// (R4 search.html#summary, #elements).
type subset struct {
	tables   *definitions.Tables
	summary  search.Summary
	elements []string // the selected elements: "name", or for one type "Patient.name"
}

// newSubset returns the subset that is selected, or nil for the whole resource. Elements apply only
// without a summary. A count applies to searches only, so a read returns the whole resource.
func newSubset(tables *definitions.Tables, summary search.Summary, elements []string) *subset {
	if summary == search.SummaryCount || summary == search.SummaryFalse && len(elements) == 0 {
		return nil
	}
	return &subset{tables, summary, elements}
}

// subsetOf returns the subset that _summary and _elements of a read select.
func subsetOf(tables *definitions.Tables, control operation.Control) (*subset, error) {
	if control.Summary == "" && control.Elements == "" {
		return nil, nil
	}
	i := slices.Index(summaries[:], control.Summary)
	if i < 0 {
		return nil, withStatus(http.StatusBadRequest, operation.Problem{
			Code: "value", Expression: "http._summary",
			Text: fmt.Sprintf("_summary %q is not one of true, text, data, count, false", cut(control.Summary)),
		})
	}
	var elements []string
	for name := range strings.SplitSeq(control.Elements, ",") {
		if name = strings.TrimSpace(name); name != "" {
			elements = append(elements, name)
		}
	}
	return newSubset(tables, summaryValues[i], elements), nil
}

// The values of _summary and their meaning, in the same order.
var (
	summaries     = [...]string{"", "false", "true", "text", "data", "count"}
	summaryValues = [...]search.Summary{
		search.SummaryFalse, search.SummaryFalse, search.SummaryTrue, search.SummaryText, search.SummaryData, search.SummaryCount,
	}
)

// keeps reports whether a top-level element of a resource is part of the subset.
func (s *subset) keeps(typ *definitions.Type, e *definitions.Element) bool {
	switch e.JSON {
	case "id", "meta":
		return true
	}
	switch s.summary {
	case search.SummaryTrue:
		return e.Summary || e.Min > 0
	case search.SummaryText:
		return e.JSON == "text" || e.Min > 0
	case search.SummaryData:
		return e.JSON != "text"
	}
	return e.Min > 0 || slices.ContainsFunc(s.elements, func(asked string) bool {
		if of, rest, qualified := strings.Cut(asked, "."); qualified {
			if asked = of; of == typ.Name {
				asked, _, _ = strings.Cut(rest, ".")
			}
		}
		return asked == e.JSON || asked+"[x]" == e.Name
	})
}

// keepsName is keeps for a JSON member of a resource of type typ.
func (s *subset) keepsName(typ, member string) bool {
	if member == "resourceType" {
		return true
	}
	t := s.tables.Type(typ)
	if t == nil {
		return true
	}
	e := t.Element(strings.TrimPrefix(member, "_"))
	return e != nil && s.keeps(t, e)
}

// apply returns the subset of a document, tagged as SUBSETTED.
func (s *subset) apply(doc []byte) ([]byte, error) {
	d, err := document.Parse(doc, r4.DefaultLimits())
	if err != nil {
		return nil, err
	}
	edit, root, typ := d.Edit(), d.Root(), d.ResourceType()
	for member := range root.Members() {
		switch name := member.Name(); {
		case !s.keepsName(typ, name):
			edit.Remove(member)
		case s.summary == search.SummaryTrue:
			s.summarize(edit, s.element(typ, name), member)
		}
	}
	tag(edit, root)
	part, err := edit.Bytes()
	return bytes.TrimSpace(part), err
}

func (s *subset) element(typ, member string) *definitions.Element {
	if t := s.tables.Type(typ); t != nil {
		return t.Element(member)
	}
	return nil
}

// summarize removes the members of backbone elements that are not part of a summary.
func (s *subset) summarize(edit *document.Editor, e *definitions.Element, v document.Value) {
	if e == nil || e.Type == nil || e.Type.Kind != definitions.BackboneType {
		return
	}
	if v.Kind() == document.Array {
		for item := range v.Items() {
			s.summarize(edit, e, item)
		}
		return
	}
	left := 0
	for member := range v.Members() {
		if of := e.Type.Element(strings.TrimPrefix(member.Name(), "_")); of != nil && (of.Summary || of.Min > 0) {
			left++
		}
	}
	if left == 0 {
		return // an element must not be empty
	}
	for member := range v.Members() {
		of := e.Type.Element(strings.TrimPrefix(member.Name(), "_"))
		if of == nil || !of.Summary && of.Min == 0 {
			edit.Remove(member)
			continue
		}
		s.summarize(edit, of, member)
	}
}

// tag adds the SUBSETTED tag to a resource (R4 search.html#summary).
func tag(edit *document.Editor, root document.Value) {
	const coding = `{"system":"http://terminology.hl7.org/CodeSystem/v3-ObservationValue","code":"SUBSETTED"}`
	switch meta := root.Get("meta"); {
	case meta.Kind() != document.Object:
		edit.Set(root, "meta", []byte(`{"tag":[`+coding+`]}`))
	case meta.Get("tag").Kind() == document.Array:
		tags := meta.Get("tag")
		edit.Insert(tags, tags.Len(), []byte(coding))
	default:
		edit.Set(meta, "tag", []byte(`[`+coding+`]`))
	}
}
