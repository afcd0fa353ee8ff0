package bulk

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
)

// A unit is what a worker stores at a time: documents that stand alone, or a bundle.
type unit struct {
	documents []item

	source  *source
	place   string
	bundle  *resources.Bundle
	numbers []int // of the entries in the bundle as it was read
	atomic  bool  // all or nothing
}

// An item is a document that stands alone.
type item struct {
	*source
	place string
	body  []byte
}

// within names an entry of a bundle at a place.
func within(place string, i int) string {
	entry := fmt.Sprintf("Bundle.entry[%d]", i)
	if place == "" {
		return entry
	}
	return place + ", " + entry
}

// requests makes a unit of a transaction or batch. Without newIDs, what it would create
// unconditionally is put by its id.
func requests(b *resources.Bundle, newIDs bool) *unit {
	u := &unit{bundle: &resources.Bundle{Type: "transaction"}, atomic: b.Type == "transaction"}
	for i, e := range b.Entries {
		switch e.Method {
		case "GET", "HEAD":
			continue
		case "POST":
			if e.IfNoneExist != "" || newIDs {
				break
			}
			if typ, id := keyOf(e.Resource); typ == e.URL && id != "" {
				e.Method, e.URL = "PUT", typ+"/"+id
			}
		}
		u.bundle.Entries = append(u.bundle.Entries, e)
		u.numbers = append(u.numbers, i)
	}
	return u
}

// linked reports that the resources of a bundle refer to each other by names that hold
// only inside of it.
func linked(b *resources.Bundle) bool {
	for i := range b.Entries {
		if strings.HasPrefix(b.Entries[i].FullURL, "urn:") {
			return true
		}
	}
	return false
}

// collected makes a unit of a collection whose resources refer to each other: all are put
// by their ids, at once.
func collected(b *resources.Bundle) *unit {
	u := &unit{bundle: &resources.Bundle{Type: "transaction"}, atomic: true}
	for i, e := range b.Entries {
		if e.Resource == nil {
			continue
		}
		next := resources.BundleEntry{FullURL: e.FullURL, Resource: e.Resource, Method: "POST"}
		typ, id := keyOf(e.Resource)
		next.URL = typ
		if id != "" {
			next.Method, next.URL = "PUT", typ+"/"+id
		}
		u.bundle.Entries = append(u.bundle.Entries, next)
		u.numbers = append(u.numbers, i)
	}
	return u
}

// keyOf gives type and id of a document; both "" when it cannot be read, id "" when it has
// none that can be.
func keyOf(body []byte) (typ, id string) {
	d, err := document.Parse(body, r4.Limits{})
	if err != nil {
		return "", ""
	}
	if id = d.Root().Get("id").Text(); !resources.ValidID(id) {
		id = ""
	}
	return d.ResourceType(), id
}

// store stores a unit. The error ends the import.
func (m *importer) store(ctx context.Context, u *unit) error {
	switch {
	case u.bundle == nil:
		return m.load(ctx, u)
	case u.atomic:
		return m.transact(ctx, u)
	}
	return m.batch(ctx, u)
}

// ends reports that an error is not about what is stored, but about the target.
func ends(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, resources.ErrStoreFailed) || errors.Is(err, resources.ErrClosed) || errors.Is(err, resources.ErrNotSearchable)
}

// wait keeps a unit for later when an error says that what it refers to is not there.
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

// load stores documents that stand alone.
func (m *importer) load(ctx context.Context, u *unit) error {
	bodies := make([][]byte, len(u.documents))
	for i := range u.documents {
		bodies[i] = u.documents[i].body
	}
	results, err := m.target.Load(ctx, bodies)
	if err != nil {
		return err
	}
	if m.judge != nil {
		m.judged(u, results)
		return nil
	}
	outcomes := make([]resources.Outcome, 0, len(results))
	later := &unit{}
	size := 0
	for i := range results {
		it := u.documents[i]
		switch err := results[i].Err; {
		case err == nil:
			outcomes = append(outcomes, results[i].Outcome)
		case errors.Is(err, resources.ErrNoMatch) && !m.last:
			later.documents = append(later.documents, it)
			size += len(it.body)
			continue // stays pending
		default:
			m.refuse(Refusal{File: it.String(), Place: it.place, Count: 1, Err: err}, it.source)
		}
		m.release(it.source)
	}
	m.stored(outcomes)
	if len(later.documents) > 0 && !m.wait(later, size, resources.ErrNoMatch) {
		for _, it := range later.documents {
			m.refuse(Refusal{File: it.String(), Place: it.place, Count: 1, Err: resources.ErrNoMatch}, it.source)
			m.release(it.source)
		}
	}
	return nil
}

// judged tells what was found about documents.
func (m *importer) judged(u *unit, results []resources.LoadResult) {
	m.mu.Lock()
	for i := range results {
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

// batch stores the entries of a batch, which are independent: many at once, and without
// those that are refused.
func (m *importer) batch(ctx context.Context, u *unit) error {
	const atOnce = 250
	later := &unit{source: u.source, place: u.place, bundle: &resources.Bundle{Type: u.bundle.Type}}
	for from := 0; from < len(u.bundle.Entries); from += atOnce {
		to := min(from+atOnce, len(u.bundle.Entries))
		part := &unit{source: u.source, place: u.place, bundle: &resources.Bundle{Type: u.bundle.Type}}
		part.bundle.Entries = append(part.bundle.Entries, u.bundle.Entries[from:to]...)
		part.numbers = append(part.numbers, u.numbers[from:to]...)
		if err := m.batchPart(ctx, part, later); err != nil {
			return err
		}
	}
	if len(later.bundle.Entries) > 0 && m.wait(later, later.size(), resources.ErrNoMatch) {
		return nil
	}
	for _, number := range later.numbers {
		m.refuse(Refusal{File: u.source.String(), Place: within(u.place, number), Count: 1, Err: resources.ErrNoMatch}, u.source)
	}
	m.release(u.source)
	return nil
}

// batchPart stores entries as one change as long as one of them is refused: without that one
// then. Those that wait for others go to later.
func (m *importer) batchPart(ctx context.Context, u, later *unit) error {
	for len(u.bundle.Entries) > 0 {
		outcomes, err := m.target.Transaction(ctx, u.bundle, resources.TransactionOptions{})
		if err == nil {
			m.stored(outcomes)
			return nil
		}
		if ends(ctx, err) {
			return err
		}
		var entry *resources.EntryError
		if !errors.As(err, &entry) || entry.Index >= len(u.bundle.Entries) {
			m.refuse(Refusal{File: u.source.String(), Place: u.place, Count: len(u.bundle.Entries), Err: err}, u.source)
			return nil
		}
		i := entry.Index
		if errors.Is(err, resources.ErrNoMatch) && !m.last {
			later.bundle.Entries = append(later.bundle.Entries, u.bundle.Entries[i])
			later.numbers = append(later.numbers, u.numbers[i])
		} else {
			m.refuse(Refusal{File: u.source.String(), Place: within(u.place, u.numbers[i]), Count: 1, Err: entry.Err}, u.source)
		}
		u.bundle.Entries = append(u.bundle.Entries[:i], u.bundle.Entries[i+1:]...)
		u.numbers = append(u.numbers[:i], u.numbers[i+1:]...)
	}
	return nil
}
