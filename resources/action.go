package resources

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/roget-health/roget/resources/patch"
	"github.com/roget-health/roget/resources/search"
)

// action is what an entry of a transaction asks for, in the order in which they are done.
type actionKind uint8

const (
	actDelete actionKind = iota
	actCreate
	actUpdate
	actPatch
	actGet
)

// A condition names a resource by a search. Conditions that are equal ask the same.
type condition struct{ typ, query string }

// A step is one entry of a transaction.
type action struct {
	index     int
	entry     *BundleEntry
	kind      actionKind
	typ       string
	id        string    // of the address, "" when a condition stands for it
	condition condition // zero: none
	opts      UpdateOptions
	newID     string // the id of what is created
	draft     *draft // of a create or update
	links     []link // of sent
	patch     Patch

	// What follows depends on what the conditions find.
	key     Key    // the resource the entry is about
	matched bool   // a conditional create that found it
	result  *draft // what to store
}

// actionOf reads an entry of a transaction. conditions gets those it has.
func (s *Service) actionOf(i int, e *BundleEntry, conditions *conditions) (*action, error) {
	act := &action{index: i, entry: e}
	if e.Method == verbGet || e.Method == verbHead {
		act.kind = actGet
		return act, nil
	}
	if err := act.address(s, conditions); err != nil {
		return nil, err
	}
	var err error
	switch e.Method {
	case verbDelete:
		act.kind = actDelete
	case verbPost:
		act.kind = actCreate
		act.newID = s.newID()
		act.draft, err = s.parseDraft(act.typ, e.Resource)
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
		err = fmt.Errorf("%w: request.method %.20q is none of DELETE, POST, PUT, PATCH, GET, HEAD", ErrBundle, e.Method)
	}
	return act, err
}

// address reads request.url and the conditions.
func (act *action) address(s *Service, conditions *conditions) error {
	path, query, conditional := strings.Cut(strings.TrimPrefix(act.entry.URL, "/"), "?")
	typ, id, instance := strings.Cut(path, "/")
	if IsAbsolute(act.entry.URL) {
		return fmt.Errorf("%w: request.url %.100q is not of this server", ErrBundle, act.entry.URL)
	}
	if err := s.checkType(typ); err != nil {
		return err
	}
	act.typ, act.id = typ, id
	if act.entry.Method == verbPost {
		if instance || conditional {
			return fmt.Errorf("%w: request.url of a POST is a resource type, not %.100q", ErrBundle, act.entry.URL)
		}
		if query = act.entry.IfNoneExist; query == "" {
			return nil
		}
		conditional = true
	}
	var err error
	switch {
	case instance && conditional, !instance && !conditional:
		err = fmt.Errorf("%w: request.url is Type/id, or Type?condition, not %.100q", ErrBundle, act.entry.URL)
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

// expect reads If-Match and If-None-Match.
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

// identify sees that the id in the body of an update is the one addressed, and chooses one
// for what a conditional update creates.
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
		return nil
	}
}

// entryPatch reads the patch of an entry.
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
	}
	return nil, fmt.Errorf("%w: Binary.contentType %.60q is none of application/json-patch+json, application/merge-patch+json", patch.ErrMalformed, media)
}

// conditions are the searches of a transaction, each once.
type conditions struct {
	list       []condition
	params     map[condition][]search.Param
	firstEntry map[condition]int // the first that has it
}

// add reads the condition of entry i.
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
		return key, &search.Error{Text: "a condition needs a parameter"}
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
