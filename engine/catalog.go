package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

// state is everything the engine answers from, immutable: a request takes one state
// and keeps it to its end. Publishing makes the next state from a copy.
type state struct {
	// generation is part of the key of every compiled set, so that sets of a former state
	// are not found any more. It rises with each change of code systems or value sets.
	generation uint64
	shelves    [kinds]shelf
	// supplements has the supplements by the url of the system they add to.
	supplements records
	// allCodes has code systems by the canonical they declare for all their codes.
	allCodes records
	// plain is the source of requests without rules of their own.
	plain source
}

// shelf holds the resources of one kind.
type shelf struct {
	// byID has the records of an id, the one that answers first. There is one stored record
	// of an id, but loaded ones may share it: versions of a code system often do.
	byID records
	// byURL has the records of a url, the default version first; supplements those of
	// code systems that only supplement another.
	byURL, supplements records
	// order has those that answer in the order of list, made when first asked for.
	order *lazy[[]*record]
}

// change is a state in the making.
type change struct {
	next    *state
	touched [kinds]bool
}

func (s *state) change() *change { next := *s; return &change{next: &next} }

// shelf returns a shelf that the change may write to.
func (c *change) shelf(k kind) *shelf {
	sh := &c.next.shelves[k]
	if !c.touched[k] {
		c.touched[k] = true
		sh.byID, sh.byURL, sh.supplements = sh.byID.own(), sh.byURL.own(), sh.supplements.own()
		sh.order = new(lazy[[]*record])
		if k == kindCodeSystem {
			c.next.supplements, c.next.allCodes = c.next.supplements.own(), c.next.allCodes.own()
		}
	}
	return sh
}

// fold readies what was written to for many changes to come.
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
	if c.touched[kindCodeSystem] {
		c.next.supplements.fold()
		c.next.allCodes.fold()
	}
}

// add puts a record on its shelf. A stored one replaces that of its id: a store may
// keep two documents of one canonical, and the one written later answers. Any other
// replaces those of its layer that have its canonical, or its id where there is none.
func (c *change) add(k kind, r *record) {
	for _, old := range c.next.shelves[k].byID.get(r.Header.ID) {
		if old.layer == r.layer && (r.layer == layerStored || r.Header.URL == "" && old.Header.URL == "") {
			c.remove(k, old)
		}
	}
	sh := c.shelf(k)
	// Of the concept maps a request brings along, all are asked: one canonical twice is no mistake.
	if r.layer != layerStored && r.Header.URL != "" && (r.layer != layerRequest || k != kindConceptMap) {
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
	if k != kindCodeSystem {
		return
	}
	if r.Content == "supplement" {
		c.next.supplements.insert(canonicalURL(r.Supplements), r)
	} else if r.AllCodes != "" {
		c.next.allCodes.insert(canonicalURL(r.AllCodes), r)
	}
}

// same lists the records of the layer and canonical of r.
func (s *shelf) same(r *record) (out []*record) {
	for _, t := range [...]*records{&s.byURL, &s.supplements} {
		for _, old := range t.get(r.Header.URL) {
			if old.layer == r.layer && old.Header.Version == r.Header.Version {
				out = append(out, old)
			}
		}
	}
	return out
}

// stored finds the stored record of an id.
func (s *shelf) stored(id string) *record {
	for _, r := range s.byID.get(id) {
		if r.layer == layerStored {
			return r
		}
	}
	return nil
}

// remove takes a record off its shelf.
func (c *change) remove(k kind, r *record) {
	sh := c.shelf(k)
	sh.byID.discard(r.Header.ID, r)
	sh.byURL.discard(r.Header.URL, r)
	sh.supplements.discard(r.Header.URL, r)
	if k == kindCodeSystem {
		c.next.supplements.discard(canonicalURL(r.Supplements), r)
		c.next.allCodes.discard(canonicalURL(r.AllCodes), r)
	}
}

// canonicalURL returns the url of a canonical that may have a version.
func canonicalURL(canonical string) string {
	url, _, _ := strings.Cut(canonical, "|")
	return url
}

// precedence orders the records of a url: the one that answers first.
func precedence(a, b *record) int {
	present := func(r *record) int {
		if r.Content == "not-present" {
			return 0
		}
		return 1
	}
	return cmp.Or(
		stubs(a, b),
		cmp.Compare(b.layer, a.layer),
		cmp.Compare(present(b), present(a)),
		compareVersions(b.Header.Version, a.Header.Version),
		cmp.Compare(b.seq, a.seq),
	)
}

// id returns the record that answers for an id, nil when there is none.
func (s *shelf) id(id string) *record {
	if list := s.byID.get(id); len(list) > 0 {
		return list[0]
	}
	return nil
}

// find returns the record of a url and version; see the table in version.go. known tells
// whether the url is there in any version.
func (s *shelf) find(url, version string) (r *record, known bool) {
	list := s.byURL.get(url)
	if len(list) == 0 {
		return nil, false
	}
	if version == "" {
		return list[0], true
	}
	for _, r := range list {
		if r.Header.Version == version {
			return r, true
		}
	}
	for i, r := range list {
		if matchVersion(version, r.Header.Version) {
			if isRelease(version) && ambiguous(r, list[i+1:], version) {
				return nil, true
			}
			return r, true
		}
	}
	return nil, true
}

// ambiguous reports that a date is that of releases of several editions of SNOMED CT:
// which one is meant, nobody can tell.
func ambiguous(r *record, others []*record, date string) bool {
	e, ok := parseEdition(r.Header.Version)
	return ok && slices.ContainsFunc(others, func(o *record) bool {
		other, _ := parseEdition(o.Header.Version)
		return other.date == date && other.module != e.module
	})
}

// versions lists the versions of a url, for messages.
func (s *shelf) versions(url string) []string {
	var list []string
	for _, r := range s.byURL.get(url) {
		if v := r.Header.Version; v != "" && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// unknown is the error of a canonical that find did not give.
func (s *shelf) unknown(sentinel error, url, version string, known bool) error {
	if !known {
		return fmt.Errorf("%w: %s", sentinel, r4.JoinCanonical(url, version))
	}
	have := "it has no version"
	if list := s.versions(url); len(list) > 0 {
		have = "known versions: " + strings.Join(list, ", ")
	}
	return &unknownVersionError{sentinel: sentinel, text: fmt.Sprintf("%s in version %q; %s", url, version, have)}
}

// unknownVersionError is both of the kind asked for and ErrUnknownVersion.
type unknownVersionError struct {
	sentinel error
	text     string
}

func (e *unknownVersionError) Error() string { return e.sentinel.Error() + ": " + e.text }

func (e *unknownVersionError) Unwrap() []error { return []error{e.sentinel, issue.ErrUnknownVersion} }

// list returns the records that answer, by url, version and id. Not to be modified.
func (s *shelf) list() []*record {
	if s.order == nil {
		return nil
	}
	list, _ := s.order.get(func() ([]*record, error) { return s.sorted(), nil })
	return list
}

func (s *shelf) sorted() []*record {
	out := make([]*record, 0, len(s.byID.under)+len(s.byID.over))
	for _, list := range s.byID.all() {
		for _, r := range list {
			if !s.beaten(r) {
				out = append(out, r)
			}
		}
	}
	slices.SortFunc(out, func(a, b *record) int {
		return cmp.Or(
			strings.Compare(a.Header.URL, b.Header.URL),
			compareVersions(a.Header.Version, b.Header.Version),
			strings.Compare(a.Header.ID, b.Header.ID),
		)
	})
	return out
}

// beaten reports that a record of a higher layer has the id or the canonical of r.
func (s *shelf) beaten(r *record) bool {
	if s.byID.get(r.Header.ID)[0].layer > r.layer {
		return true
	}
	if r.Header.URL == "" || r.Content == "supplement" {
		return false
	}
	first, _ := s.find(r.Header.URL, r.Header.Version)
	return first != nil && first.layer > r.layer && first.Header.Version == r.Header.Version
}
