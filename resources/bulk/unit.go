package bulk

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/r4"
)

// A unit is what a worker stores at a time: single documents, or a bundle, all or nothing.
type unit struct {
	documents []item

	source  *source
	place   string
	bundle  *resources.Bundle
	numbers []int // indexes of the entries in the original bundle
}

// Methods of requests in a bundle.
const (
	get  = "GET"
	head = "HEAD"
	post = "POST"
	put  = "PUT"
)

// An item is a single document.
type item struct {
	*source
	place string
	resources.LoadItem
}

// within returns the place of an entry of a bundle.
func within(place string, i int) string {
	entry := fmt.Sprintf("Bundle.entry[%d]", i)
	if place == "" {
		return entry
	}
	return place + ", " + entry
}

// requests makes a unit of a transaction. Unless newIDs is set, unconditional creates become
// updates with their ids.
func requests(b *resources.Bundle, newIDs bool) *unit {
	u := &unit{bundle: &resources.Bundle{Type: "transaction"}}
	for i, e := range b.Entries {
		switch e.Method {
		case get, head:
			continue
		case post:
			if typ, id := keyOf(e.Resource); e.IfNoneExist == "" && !newIDs && typ == e.URL && id != "" {
				e.Method, e.URL = put, typ+"/"+id
			}
		}
		u.bundle.Entries = append(u.bundle.Entries, e)
		u.numbers = append(u.numbers, i)
	}
	return u
}

// alone returns an entry of a batch as a single document: a create, or an update without a
// condition. It returns false for other requests.
func alone(e *resources.BundleEntry, newIDs bool) (resources.LoadItem, bool) {
	typ, id := keyOf(e.Resource)
	switch {
	case e.Method == post && typ == e.URL:
		return resources.LoadItem{Body: e.Resource, New: newIDs, IfNoneExist: e.IfNoneExist}, true
	case e.Method == put && typ+"/"+id == e.URL && e.IfMatch == "" && e.IfNoneMatch == "":
		return resources.LoadItem{Body: e.Resource}, true
	}
	return resources.LoadItem{}, false
}

// linked reports whether the resources of a bundle refer to each other by names that are valid only
// inside it.
func linked(b *resources.Bundle) bool {
	for i := range b.Entries {
		if strings.HasPrefix(b.Entries[i].FullURL, "urn:") {
			return true
		}
	}
	return false
}

// collected makes a unit of a collection whose resources refer to each other: all are stored by
// their ids, as one.
func collected(b *resources.Bundle) *unit {
	u := &unit{bundle: &resources.Bundle{Type: "transaction"}}
	for i, e := range b.Entries {
		if e.Resource == nil {
			continue
		}
		next := resources.BundleEntry{FullURL: e.FullURL, Resource: e.Resource, Method: post}
		typ, id := keyOf(e.Resource)
		next.URL = typ
		if id != "" {
			next.Method, next.URL = put, typ+"/"+id
		}
		u.bundle.Entries = append(u.bundle.Entries, next)
		u.numbers = append(u.numbers, i)
	}
	return u
}

// keyOf returns type and id of a document, "" if they are absent, not at its top level, or after
// something malformed. It reads only as much as is needed; both usually come first.
func keyOf(body []byte) (typ, id string) {
	var s r4.Scanner
	s.ResetBytes(body, r4.Limits{})
	if s.Kind() != r4.KindObject || !s.Object() {
		return "", ""
	}
	for found := 0; found < 2 && s.Member(); {
		name := string(s.Name())
		if s.Kind() != r4.KindString || name != "resourceType" && name != "id" {
			s.Skip()
			continue
		}
		found++
		if text := string(s.Text()); name == "id" {
			id = text
		} else {
			typ = text
		}
	}
	if !resources.ValidID(id) {
		id = ""
	}
	return typ, id
}

// store stores a unit. An error ends the import.
func (m *importer) store(ctx context.Context, u *unit) error {
	if u.bundle == nil {
		return m.load(ctx, u)
	}
	return m.transact(ctx, u)
}

// ends reports whether an error is about the target rather than about the resources.
func ends(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, resources.ErrStoreFailed) || errors.Is(err, resources.ErrClosed) || errors.Is(err, resources.ErrNotSearchable)
}

// wait keeps a unit for later if the error is that a resource it refers to is missing.
func (m *importer) wait(u *unit, size int, err error) bool {
	if !errors.Is(err, resources.ErrNoMatch) {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.last || m.bytes+size > maxWaiting {
		return false
	}
	m.bytes += size
	m.waiting = append(m.waiting, u)
	return true
}

// load stores single documents.
func (m *importer) load(ctx context.Context, u *unit) error {
	items := make([]resources.LoadItem, len(u.documents))
	for i := range u.documents {
		items[i] = u.documents[i].LoadItem
	}
	results, err := m.target.Load(ctx, items)
	if err != nil {
		return err
	}
	if m.judge != nil {
		m.judged(u, results)
		return nil
	}
	outcomes := make([]resources.Outcome, 0, len(results))
	waiting := &unit{}
	size := 0
	for i := range results {
		it := u.documents[i]
		switch err := results[i].Err; {
		case err == nil:
			outcomes = append(outcomes, results[i].Outcome)
		case errors.Is(err, resources.ErrNoMatch) && !m.last:
			waiting.documents = append(waiting.documents, it)
			size += len(it.Body)
			continue // stays pending
		default:
			m.refuse(Refusal{File: it.String(), Place: it.place, Count: 1, Err: err}, it.source)
		}
		m.release(it.source)
	}
	m.stored(outcomes)
	if len(waiting.documents) > 0 && !m.wait(waiting, size, resources.ErrNoMatch) {
		for _, it := range waiting.documents {
			m.refuse(Refusal{File: it.String(), Place: it.place, Count: 1, Err: resources.ErrNoMatch}, it.source)
			m.release(it.source)
		}
	}
	return nil
}

// judged reports what was found about documents.
func (m *importer) judged(u *unit, results []resources.LoadResult) {
	m.mu.Lock()
	for i := range results {
		if u.documents[i].xml {
			results[i].Issues = unplaced(results[i].Issues)
		}
		m.judge(&u.documents[i], &results[i])
	}
	m.mu.Unlock()
	m.reading.Count(0, len(results), 0)
	for i := range u.documents {
		m.release(u.documents[i].source)
	}
}

// transact stores a bundle, all or nothing.
func (m *importer) transact(ctx context.Context, u *unit) error {
	outcomes, err := m.target.Transaction(ctx, u.bundle, resources.TransactionOptions{})
	if err != nil {
		if ends(ctx, err) {
			return err
		}
		if m.wait(u, u.size(), err) {
			return nil
		}
		place := u.place
		var entry *resources.EntryError
		if errors.As(err, &entry) && entry.Index < len(u.numbers) {
			place, err = within(place, u.numbers[entry.Index]), entry.Err
		}
		m.refuse(Refusal{File: u.source.String(), Place: place, Count: len(u.bundle.Entries), Err: err}, u.source)
	}
	m.stored(outcomes)
	m.release(u.source)
	return nil
}

func (u *unit) size() (n int) {
	for i := range u.bundle.Entries {
		n += len(u.bundle.Entries[i].Resource)
	}
	return n
}
