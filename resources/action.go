package resources

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/resources/patch"
	"github.com/roget-health/roget/resources/search"
	"github.com/roget-health/roget/resources/validate"
)

// actionKind is what an entry of a transaction asks for, in the order of execution.
type actionKind uint8

const (
	actDelete actionKind = iota
	actCreate
	actUpdate
	actPatch
	actGet // or an operation
)

// A condition selects a resource by a search. Equal conditions match the same resource.
type condition struct{ typ, query string }

// An action is one entry of a transaction.
type action struct {
	index     int
	entry     *BundleEntry
	kind      actionKind
	typ       string
	id        string    // of the address, "" if a condition replaces it
	condition condition // zero if there is none
	opts      UpdateOptions
	newID     string           // id of a resource to create
	draft     *draft           // of a create or update
	links     []link           // of draft
	dangling  []validate.Issue // about references to entries that are not there
	patch     Patch

	// The fields below depend on what the conditions match.
	key     Key    // the resource of the entry
	matched bool   // a conditional create that found its match
	result  *draft // the document to store
}

// actionOf parses an entry of a transaction and adds its conditions to conditions.
func (s *Service) actionOf(ctx context.Context, i int, e *BundleEntry, conditions *conditions) (*action, error) {
	act := &action{index: i, entry: e}
	if err := e.CheckRequest(i); err != nil {
		return nil, err
	}
	if e.Method == verbGet || e.Method == verbHead || e.IsOperation() {
		act.kind = actGet
		return act, nil
	}
	if err := act.address(s, conditions); err != nil {
		return nil, err
	}
	if err := act.covered(ctx, s); err != nil {
		return nil, err
	}
	var err error
	switch e.Method {
	case verbDelete:
		act.kind = actDelete
	case verbPost:
		act.kind = actCreate
		act.newID = s.newID()
		if act.draft, err = s.parseDraft(act.typ, e.Resource); err == nil {
			act.draft.action, act.draft.assigned = access.Create, true
		}
	case verbPut:
		act.kind = actUpdate
		act.draft, err = s.parseDraft(act.typ, e.Resource)
		if err == nil {
			err = act.identify(s)
		}
	case verbPatch:
		act.kind = actPatch
		act.patch, err = s.entryPatch(e)
	default:
		err = fmt.Errorf("%w: request.method must be DELETE, POST, PUT, PATCH, GET or HEAD, not %.20q", ErrBundle, e.Method)
	}
	return act, err
}

// address parses request.url and the conditions.
func (act *action) address(s *Service, conditions *conditions) error {
	path, query, conditional := strings.Cut(strings.TrimPrefix(act.entry.URL, "/"), "?")
	typ, id, instance := strings.Cut(path, "/")
	if IsAbsolute(act.entry.URL) {
		return fmt.Errorf("%w: request.url %.100q is not a URL of this server", ErrBundle, act.entry.URL)
	}
	if err := s.checkType(typ); err != nil {
		return err
	}
	act.typ, act.id = typ, id
	if act.entry.Method == verbPost {
		switch {
		case instance:
			return fmt.Errorf("%w: request.url of a POST must be a resource type, not %.100q", ErrBundle, act.entry.URL)
		case conditional && act.entry.IfNoneExist != "":
			return fmt.Errorf("%w: request.url %.100q and request.ifNoneExist both state a condition; send one of them", ErrBundle, act.entry.URL)
		case conditional:
		case act.entry.IfNoneExist == "":
			return nil
		default:
			query, conditional = act.entry.IfNoneExist, true
		}
	}
	var err error
	switch {
	case instance && conditional, !instance && !conditional:
		err = fmt.Errorf("%w: request.url must be Type/id or Type?condition, not %.100q", ErrBundle, act.entry.URL)
	case instance:
		_, err = s.key(typ, id)
	default:
		act.condition, err = conditions.add(act.index, typ, query)
	}
	if err != nil {
		return err
	}
	return act.expect()
}

// expect parses If-Match and If-None-Match.
func (act *action) expect() error {
	if act.entry.IfMatch != "" {
		text, found := strings.CutSuffix(strings.TrimPrefix(act.entry.IfMatch, `W/"`), `"`)
		n, err := strconv.ParseInt(text, 10, 64)
		if !found || err != nil || n < 1 {
			return fmt.Errorf(`%w: request.ifMatch %.40q is not a version such as W/"1"`, ErrBundle, act.entry.IfMatch)
		}
		act.opts.IfMatch = &n
	}
	act.opts.IfNoneMatch = act.entry.Method == verbPut && act.entry.IfNoneMatch == "*"
	return nil
}

// identify checks that the id in the body of an update is the addressed one, and chooses the id of
// a resource that a conditional update creates.
func (act *action) identify(s *Service) error {
	switch {
	case act.id != "":
		return act.draft.requireID(act.id)
	case act.draft.id != "":
		act.newID = act.draft.id
		_, err := s.key(act.typ, act.newID)
		return err
	default:
		act.newID = s.newID()
		act.draft.assigned = true
		return nil
	}
}

// covered returns access.ErrForbidden if the grant of a context does not cover the interaction for
// the type.
func (act *action) covered(ctx context.Context, s *Service) error {
	switch act.entry.Method {
	case verbDelete:
		return s.covers(ctx, act.typ, access.Delete)
	case verbPost:
		return s.covers(ctx, act.typ, access.Create)
	case verbPut, verbPatch:
		return s.covers(ctx, act.typ, access.Update)
	}
	return nil
}

// needs returns what the action needs of the current version; see Service.admit.
func (act *action) needs() []access.Actions {
	switch act.kind {
	case actDelete:
		return needsDelete()
	case actPatch:
		return needsPatch()
	default:
		return needsUpdate()
	}
}

// entryPatch parses the patch of an entry.
func (s *Service) entryPatch(e *BundleEntry) (Patch, error) {
	body, media, err := e.PatchBody()
	if err != nil {
		return nil, err
	}
	switch media {
	case "application/fhir+json":
		return patch.FHIRPath(s.tools().tables, body)
	case "application/json-patch+json":
		return patch.JSONPatch(body)
	case "application/merge-patch+json":
		return patch.MergePatch(body)
	case "application/json":
		return patch.JSON(s.tools().tables, body)
	}
	return nil, fmt.Errorf("%w: Binary.contentType must be application/json-patch+json or application/merge-patch+json, not %.60q", patch.ErrMalformed, media)
}

// conditions are the distinct searches of a transaction.
type conditions struct {
	list       []condition
	params     map[condition][]search.Param
	firstEntry map[condition]int // index of the first entry with it
}

// add parses the condition of entry i.
func (c *conditions) add(i int, typ, query string) (condition, error) {
	params, err := ParseCondition(typ, query)
	if err != nil {
		return condition{}, err
	}
	var text strings.Builder
	for _, p := range params {
		fmt.Fprintf(&text, "%q=%q&", p.Name, p.Value)
	}
	key := condition{typ, text.String()}
	if key.query == "" {
		return key, &search.Error{Text: "a condition needs a search parameter, such as identifier"}
	}
	if _, known := c.params[key]; known {
		return key, nil
	}
	if c.params == nil {
		c.params, c.firstEntry = map[condition][]search.Param{}, map[condition]int{}
	}
	c.list = append(c.list, key)
	c.params[key], c.firstEntry[key] = params, i
	return key, nil
}
