package resources

import (
	"context"
	"fmt"
	"time"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/profile"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/validate"
)

// A draft is a checked document that may become a version.
type draft struct {
	doc     *document.Document
	outline outline
	typ     string
	id      string // as in the document, "" if absent
	// action is what storing the document is: an update unless it is set. assigned reports whether
	// the id of a new resource was chosen by the service.
	action   access.Actions
	assigned bool
	strict   bool // whether what writes tolerate is an error
	issues   []validate.Issue
	values   *index.Values // set once the document is indexed
}

// draft parses and validates a document of a type, also as the answers to a Questionnaire.
func (s *Service) draft(ctx context.Context, typ string, body []byte) (*draft, error) {
	d, err := s.draftAlone(ctx, typ, body, false)
	if err == nil {
		err = s.answers(ctx, d)
	}
	return d, err
}

// draftAlone is draft without a look at other resources.
func (s *Service) draftAlone(ctx context.Context, typ string, body []byte, strict bool) (*draft, error) {
	ctx, span := s.observe(ctx, "validate")
	d, err := s.parseDraft(typ, body)
	if err == nil {
		d.strict = strict
		err = s.check(ctx, d)
	} else {
		d = nil
	}
	span.finish(ctx, err)
	return d, err
}

// draftOf is draft for a document that is already parsed.
func (s *Service) draftOf(ctx context.Context, typ string, doc *document.Document) (*draft, error) {
	d, err := newDraft(typ, doc)
	if err != nil {
		return nil, err
	}
	return d, s.check(ctx, d)
}

// parseDraft parses a document and checks that it has the expected type.
func (s *Service) parseDraft(typ string, body []byte) (*draft, error) {
	doc, err := parse(body)
	if err != nil {
		return nil, err
	}
	return newDraft(typ, doc)
}

func newDraft(typ string, doc *document.Document) (*draft, error) {
	d := &draft{doc: doc, typ: typ, action: access.Update}
	var err error
	if d.outline, err = outlineOf(doc); err != nil {
		return nil, d.malformed(d.outline.meta, typ, err.Error())
	}
	switch got := d.outline.resourceType; {
	case got.Kind() != document.String:
		return nil, fmt.Errorf("%w: the body has no resourceType, expected %s", ErrTypeMismatch, typ)
	case got.Text() != typ:
		return nil, fmt.Errorf("%w: the body is a %.64s, expected %s", ErrTypeMismatch, got.Text(), typ)
	}
	if id := d.outline.id; id.Exists() {
		if id.Kind() != document.String {
			return nil, d.malformed(id, typ+".id", "id must be a string")
		}
		d.id = id.Text()
	}
	return d, nil
}

// malformed returns the error for a value of the wrong form.
func (d *draft) malformed(v document.Value, expression, text string) error {
	line, column := d.doc.Position(v.Offset())
	return &r4.SyntaxError{Line: line, Column: column, Offset: int64(v.Offset()), Expression: expression, Code: "structure", Msg: text}
}

// requireID returns ErrIDMismatch unless the document has the addressed id.
func (d *draft) requireID(id string) error {
	if d.id != id {
		return fmt.Errorf("%w: %s.id is %q, but the URL says %q", ErrIDMismatch, d.typ, d.id, id)
	}
	return nil
}

// check validates the document.
func (s *Service) check(ctx context.Context, d *draft) error {
	t := s.tools()
	judge := t.validator.Validate
	if d.strict {
		judge = t.validator.Strict
	}
	d.issues = append(judge(d.doc), s.unserved(d)...)
	if s.profiled {
		more, err := t.profiles.Check(ctx, d.doc, profile.Request{})
		if err != nil {
			return err
		}
		d.issues = append(d.issues, more...)
	}
	return validate.Check(d.issues)
}

// index extracts the search values of the document if the store is Indexed.
func (s *Service) index(d *draft) error {
	if s.indexed == nil || d.values != nil {
		return nil
	}
	var err error
	if d.values, err = s.tools().extractor.Extract(d.doc); err != nil {
		return fmt.Errorf("index %s: %w", d.typ, err)
	}
	return nil
}

// entries returns the number of entries of an indexed document.
func (d *draft) entries() int {
	if d.values == nil {
		return 0
	}
	return d.values.Count()
}

// write returns the Write that stores the document after a version.
func (s *Service) write(d *draft, key Key, after int64) (Write, error) {
	w := Write{Key: key, IfVersion: &after, Fresh: d.assigned && after == 0, At: s.writeTime()}
	w.Render = func(versionID int64, lastUpdated time.Time) ([]byte, error) {
		return d.outline.splice(key.ID, versionID, lastUpdated)
	}
	if err := s.index(d); err != nil {
		return Write{}, err
	}
	if d.values != nil {
		w.Entries = d.values.Entries(&s.vocabulary) // before Terms, which marks its terms as known
		w.Terms = d.values.Terms(&s.vocabulary)
		w.Values = d.values.Append(nil)
	}
	return w, nil
}
