package catalog

import (
	"sync/atomic"
)

// A State is everything an engine answers from. It is immutable: a request uses one state from
// beginning to end, and publishing modifies a copy.
type State struct {
	// generation is part of the key of every compiled set, so that sets of a former state
	// are not found any more. It rises with each change of code systems or value sets.
	Generation uint64
	shelves    [kinds]shelf
	// supplements has the supplements by the url of the supplemented code system.
	supplements records
	// allCodes has code systems by their CodeSystem.valueSet, the value set of all codes.
	allCodes records
	numbers  *numbers
}

// numbers has the counters that all states of an engine and its overlays share.
type numbers struct{ records, generations atomic.Uint64 }

// NewState returns a state without records.
func NewState() *State { return &State{numbers: new(numbers)} }

// Publish returns the next state with the entries, which must have passed Check.
func (s *State) Publish(entries []*Entry) *State {
	c := s.change()
	for _, entry := range entries {
		c.publish(entry, entry.layer())
	}
	return c.commit()
}

// Withdraw returns the next state without the stored entry of an id; s itself if there is none.
func (s *State) Withdraw(k Kind, id string) *State {
	r := s.shelves[k].stored(id)
	if r == nil {
		return s
	}
	c := s.change()
	c.remove(k, r)
	return c.commit()
}

// With returns a state in which entries take precedence over the records of s.
func (s *State) With(entries []*Entry) (*State, error) {
	for _, entry := range entries {
		if _, err := entry.Check(); err != nil {
			return nil, err
		}
	}
	c := s.change()
	for _, entry := range entries {
		c.publish(entry, layerRequest)
	}
	c.next.Generation = s.numbers.generations.Add(1)
	return c.next, nil
}

// A change is a state under construction.
type change struct {
	next    *State
	touched [kinds]bool
}

func (s *State) change() *change { next := *s; return &change{next: &next} }

// publish adds an entry.
func (c *change) publish(entry *Entry, l layer) {
	k, _ := KindOf(entry.Header.ResourceType)
	entry.name()
	c.add(k, &Record{Entry: entry, layer: l, Seq: c.next.numbers.records.Add(1)})
}

// commit returns the next state.
func (c *change) commit() *State {
	if c.touched[KindCodeSystem] || c.touched[KindValueSet] {
		c.next.Generation = c.next.numbers.generations.Add(1)
	}
	c.fold()
	return c.next
}

// add adds a record to its shelf. A stored record replaces the stored record of its id; if a store
// has two documents of one canonical, the one written later is used. Any other record replaces the
// records of its layer with its canonical, or with its id if it has no canonical.
func (c *change) add(k Kind, r *Record) {
	for _, old := range c.next.shelves[k].byID.get(r.Header.ID) {
		if old.layer == r.layer && (r.layer == layerStored || r.Header.URL == "" && old.Header.URL == "") {
			c.remove(k, old)
		}
	}
	sh := c.shelf(k)
	// All concept maps that come with a request are used, even if two have the same canonical.
	if r.layer != layerStored && r.Header.URL != "" && (r.layer != layerRequest || k != KindConceptMap) {
		for _, old := range sh.same(r) {
			c.remove(k, old)
		}
	}
	sh.byID.insert(r.Header.ID, r)
	if url := r.Header.URL; url != "" {
		if r.Content == "supplement" {
			sh.supplements.insert(url, r)
		} else {
			sh.byURL.insert(url, r)
		}
	}
	if k != KindCodeSystem {
		return
	}
	if r.Content == "supplement" {
		c.next.supplements.insert(CanonicalURL(r.Supplements), r)
	} else if r.AllCodes != "" {
		c.next.allCodes.insert(CanonicalURL(r.AllCodes), r)
	}
}

// remove removes a record from its shelf.
func (c *change) remove(k Kind, r *Record) {
	sh := c.shelf(k)
	sh.byID.discard(r.Header.ID, r)
	sh.byURL.discard(r.Header.URL, r)
	sh.supplements.discard(r.Header.URL, r)
	if k == KindCodeSystem {
		c.next.supplements.discard(CanonicalURL(r.Supplements), r)
		c.next.allCodes.discard(CanonicalURL(r.AllCodes), r)
	}
}

// shelf returns a shelf that the change may modify.
func (c *change) shelf(k Kind) *shelf {
	sh := &c.next.shelves[k]
	if !c.touched[k] {
		c.touched[k] = true
		sh.byID, sh.byURL, sh.supplements = sh.byID.own(), sh.byURL.own(), sh.supplements.own()
		sh.order = new(lazy[[]*Record])
		if k == KindCodeSystem {
			c.next.supplements, c.next.allCodes = c.next.supplements.own(), c.next.allCodes.own()
		}
	}
	return sh
}

// fold merges the layers of the modified records where that pays.
func (c *change) fold() {
	for k := range c.touched {
		if !c.touched[k] {
			continue
		}
		sh := &c.next.shelves[k]
		for _, t := range [...]*records{&sh.byID, &sh.byURL, &sh.supplements} {
			t.fold()
		}
	}
	if c.touched[KindCodeSystem] {
		c.next.supplements.fold()
		c.next.allCodes.fold()
	}
}
