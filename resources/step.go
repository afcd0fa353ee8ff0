package resources

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/roget-health/roget/resources/patch"
	"github.com/roget-health/roget/resources/search"
)

// action is what an entry of a transaction asks for, in the order in which they are done.
type action uint8

const (
	actDelete action = iota
	actCreate
	actUpdate
	actPatch
	actGet
)

// A condition names a resource by a search. Conditions that are equal ask the same.
type condition struct{ typ, query string }

// A step is one entry of a transaction.
type step struct {
	index  int
	entry  *BundleEntry
	action action
	typ    string
	id     string    // of the address, "" when a condition stands for it
	where  condition // zero: none
	opts   UpdateOptions
	fresh  string // the id of what is created
	sent   *draft // of a create or update
	links  []link // of sent
	patch  Patch

	// What follows depends on what the conditions find.
	key   Key    // the resource the entry is about
	there bool   // a conditional create that found it
	ready *draft // what to store
}

// stepOf reads an entry of a transaction. conditions gets those it has.
func (s *Service) stepOf(i int, e *BundleEntry, conditions *conditions) (*step, error) {
	st := &step{index: i, entry: e}
	if e.Method == verbGet || e.Method == verbHead {
		st.action = actGet
		return st, nil
	}
	if err := st.address(s, conditions); err != nil {
		return nil, err
	}
	var err error
	switch e.Method {
	case verbDelete:
		st.action = actDelete
	case verbPost:
		st.action = actCreate
		st.fresh = s.newID()
		st.sent, err = s.read(st.typ, e.Resource)
	case verbPut:
		st.action = actUpdate
		st.sent, err = s.read(st.typ, e.Resource)
		if err == nil {
			err = st.identify(s)
		}
	case verbPatch:
		st.action = actPatch
		st.patch, err = s.entryPatch(e)
	default:
		err = fmt.Errorf("%w: request.method %.20q is none of DELETE, POST, PUT, PATCH, GET, HEAD", ErrBundle, e.Method)
	}
	return st, err
}

// address reads request.url and the conditions.
func (st *step) address(s *Service, conditions *conditions) error {
	path, query, conditional := strings.Cut(strings.TrimPrefix(st.entry.URL, "/"), "?")
	typ, id, instance := strings.Cut(path, "/")
	if IsAbsolute(st.entry.URL) {
		return fmt.Errorf("%w: request.url %.100q is not of this server", ErrBundle, st.entry.URL)
	}
	if err := s.knows(typ); err != nil {
		return err
	}
	st.typ, st.id = typ, id
	if st.entry.Method == verbPost {
		if instance || conditional {
			return fmt.Errorf("%w: request.url of a POST is a resource type, not %.100q", ErrBundle, st.entry.URL)
		}
		if query = st.entry.IfNoneExist; query == "" {
			return nil
		}
		conditional = true
	}
	var err error
	switch {
	case instance && conditional, !instance && !conditional:
		err = fmt.Errorf("%w: request.url is Type/id, or Type?condition, not %.100q", ErrBundle, st.entry.URL)
	case instance:
		_, err = s.key(typ, id)
	default:
		st.where, err = conditions.add(st.index, typ, query)
	}
	if err != nil {
		return err
	}
	return st.expect()
}

// expect reads If-Match and If-None-Match.
func (st *step) expect() error {
	if st.entry.IfMatch != "" {
		text, found := strings.CutSuffix(strings.TrimPrefix(st.entry.IfMatch, `W/"`), `"`)
		n, err := strconv.ParseInt(text, 10, 64)
		if !found || err != nil || n < 1 {
			return fmt.Errorf(`%w: request.ifMatch %.40q is not a version such as W/"1"`, ErrBundle, st.entry.IfMatch)
		}
		st.opts.IfMatch = &n
	}
	st.opts.IfNoneMatch = st.entry.Method == verbPut && st.entry.IfNoneMatch == "*"
	return nil
}

// identify sees that the id in the body of an update is the one addressed, and chooses one
// for what a conditional update creates.
func (st *step) identify(s *Service) error {
	switch {
	case st.id != "":
		return st.sent.is(st.id)
	case st.sent.id != "":
		st.fresh = st.sent.id
		_, err := s.key(st.typ, st.fresh)
		return err
	default:
		st.fresh = s.newID()
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
	list   []condition
	params map[condition][]search.Param
	entry  map[condition]int // the first that has it
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
		c.params, c.entry = map[condition][]search.Param{}, map[condition]int{}
	}
	c.list = append(c.list, key)
	c.params[key], c.entry[key] = params, i
	return key, nil
}
