package resources

import (
	"context"
	"strings"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/search"
	"github.com/roget-health/roget/resources/validate"
)

// answers checks a QuestionnaireResponse against its Questionnaire, if that is contained in it or
// stored, and the client may read it. It adds the issues, and returns an error if one prevents
// storing the document.
func (s *Service) answers(ctx context.Context, d *draft) error {
	canonical := d.outline.top.Get("questionnaire").Text()
	if d.typ != "QuestionnaireResponse" || canonical == "" || s.relaxed {
		return nil
	}
	questionnaire := s.questionnaire(ctx, d, canonical)
	if !questionnaire.Exists() {
		return nil
	}
	d.issues = append(d.issues, validate.Answers(d.doc, questionnaire)...)
	return validate.Check(d.issues)
}

// questionnaire returns the Questionnaire with a canonical, absent if there is none or more than one.
func (s *Service) questionnaire(ctx context.Context, d *draft, canonical string) document.Value {
	if id, local := strings.CutPrefix(canonical, "#"); local {
		for resource := range d.outline.top.Get("contained").Items() {
			if resource.Get("id").Is(id) && resource.Get("resourceType").Is("Questionnaire") {
				return resource
			}
		}
		return document.Value{}
	}
	url, version, _ := strings.Cut(canonical, "|")
	if s.indexed == nil {
		return document.Value{}
	}
	params := []search.Param{{Name: "url", Value: search.Escape(url)}}
	if version != "" {
		params = append(params, search.Param{Name: "version", Value: search.Escape(version)})
	}
	found, err := s.Search(ctx, SearchRequest{Type: "Questionnaire", Params: params})
	if err != nil || len(found.Matches) != 1 {
		return document.Value{} // the response is valid on its own
	}
	doc, err := parse(found.Matches[0].Body)
	if err != nil {
		return document.Value{}
	}
	return doc.Root()
}
