package resources

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/search"
	"github.com/roget-health/roget/resources/validate"
)

// questionnaires finds the Questionnaires of the responses that one change stores, each once.
type questionnaires struct {
	s *Service
	// together are the Questionnaires that the change stores as well. One takes the place of the stored
	// one with its key.
	together []keyed

	mu     sync.Mutex
	stored map[string][]keyed // by canonical
}

// A keyed is a resource and its key.
type keyed struct {
	key      Key
	resource document.Value
}

// answers checks a QuestionnaireResponse that is stored alone against its Questionnaire.
func (s *Service) answers(ctx context.Context, d *draft) error {
	return (&questionnaires{s: s}).check(ctx, d)
}

// add adds a resource to the change, if it is a Questionnaire.
func (q *questionnaires) add(key Key, d *draft) {
	if d.typ != "Questionnaire" {
		return
	}
	q.together = slices.DeleteFunc(q.together, func(k keyed) bool { return k.key == key })
	q.together = append(q.together, keyed{key, d.doc.Root()})
}

// check checks a QuestionnaireResponse against its Questionnaire, if that is contained in it, stored or
// in the same change, and the client may read it. It adds the issues, and returns an error if one
// prevents storing the document.
func (q *questionnaires) check(ctx context.Context, d *draft) error {
	canonical := d.outline.top.Get("questionnaire").Text()
	if d.typ != "QuestionnaireResponse" || canonical == "" || q.s.relaxed {
		return nil
	}
	questionnaire, err := q.of(ctx, d, canonical)
	if err != nil || !questionnaire.Exists() {
		return err
	}
	d.issues = append(d.issues, validate.Answers(d.doc, questionnaire)...)
	return validate.Check(d.issues)
}

// of returns the Questionnaire with a canonical, absent if there is none or more than one: then the
// response is valid on its own.
func (q *questionnaires) of(ctx context.Context, d *draft, canonical string) (document.Value, error) {
	if id, local := strings.CutPrefix(canonical, "#"); local {
		for resource := range d.outline.top.Get("contained").Items() {
			if resource.Get("id").Is(id) && resource.Get("resourceType").Is("Questionnaire") {
				return resource, nil
			}
		}
		return document.Value{}, nil
	}
	url, version, _ := strings.Cut(canonical, "|")
	stored, err := q.find(ctx, canonical, url, version)
	if err != nil {
		return document.Value{}, err
	}
	var found []document.Value
	replaced := map[Key]bool{}
	for _, k := range q.together {
		replaced[k.key] = true
		if k.resource.Get("url").Is(url) && (version == "" || k.resource.Get("version").Is(version)) {
			found = append(found, k.resource)
		}
	}
	for _, k := range stored {
		if !replaced[k.key] {
			found = append(found, k.resource)
		}
	}
	if len(found) != 1 {
		return document.Value{}, nil
	}
	return found[0], nil
}

// find returns the stored Questionnaires with a canonical that the client may read.
func (q *questionnaires) find(ctx context.Context, canonical, url, version string) ([]keyed, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	list, known := q.stored[canonical]
	if known || q.s.indexed == nil {
		return list, nil
	}
	params := []search.Param{{Name: "url", Value: search.Escape(url)}}
	if version != "" {
		params = append(params, search.Param{Name: "version", Value: search.Escape(version)})
	}
	found, err := q.s.Search(ctx, SearchRequest{Type: "Questionnaire", Params: params})
	if err != nil && !errors.Is(err, access.ErrForbidden) && !errors.Is(err, search.ErrParameter) {
		return nil, err
	}
	for _, m := range found.Matches {
		if doc, err := parse(m.Body); err == nil {
			list = append(list, keyed{Key{Type: m.Type, ID: m.ID}, doc.Root()})
		}
	}
	if q.stored == nil {
		q.stored = map[string][]keyed{}
	}
	q.stored[canonical] = list
	return list, nil
}
