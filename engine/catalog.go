package engine

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

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
	supplements map[string][]*record
	// allCodes has code systems by the canonical they declare for all their codes.
	allCodes map[string][]*record
	// plain is the source of requests without rules of their own.
	plain source
}

// shelf holds the resources of one kind.
type shelf struct {
	// byID has the records of an id by layer; the highest answers.
	byID map[string]*[layers]*record
	// byURL has the records of a url, the default version first.
	byURL map[string][]*record
	// order has those that answer in the order of list, made when first asked for.
	order *lazy[[]*record]
}

// change is a state in the making.
type change struct {
	next    *state
	touched [kinds]bool
}

func (s *state) change() *change { next := *s; return &change{next: &next} }

// shelf gives a shelf whose maps are private to the change. The values in them are
// shared and are replaced, never written to.
func (c *change) shelf(k kind) *shelf {
	sh := &c.next.shelves[k]
	if !c.touched[k] {
		c.touched[k] = true
		sh.byID, sh.byURL, sh.order = clone(sh.byID), clone(sh.byURL), new(lazy[[]*record])
		if k == kindCodeSystem {
			c.next.supplements, c.next.allCodes = clone(c.next.supplements), clone(c.next.allCodes)
		}
	}
	return sh
}

func clone[V any](m map[string]V) map[string]V {
	if m == nil {
		return map[string]V{}
	}
	return maps.Clone(m)
}

// add puts a record on its shelf. It replaces the one of the same layer and id, and,
// unless stored, those of the same layer and url|version: a store may keep two
// documents of one canonical, and the one written later answers.
func (c *change) add(k kind, r *record) {
	c.remove(k, r.Header.ID, r.layer)
	sh := c.shelf(k)
	if r.layer != layerStored && r.Header.URL != "" {
		for _, old := range sh.byURL[r.Header.URL] {
			if old.layer == r.layer && old.Header.Version == r.Header.Version && old.Supplements == r.Supplements {
				c.remove(k, old.Header.ID, old.layer)
			}
		}
	}
	var ids [layers]*record
	if old := sh.byID[r.Header.ID]; old != nil {
		ids = *old
	}
	ids[r.layer] = r
	sh.byID[r.Header.ID] = &ids
	if url := r.Header.URL; url != "" && r.Content != "supplement" {
		insert(sh.byURL, url, r)
	}
	if k != kindCodeSystem {
		return
	}
	if r.Content == "supplement" {
		insert(c.next.supplements, canonicalURL(r.Supplements), r)
	} else if r.AllCodes != "" {
		insert(c.next.allCodes, canonicalURL(r.AllCodes), r)
	}
}

// remove takes the record of a layer and id off its shelf, if there is one.
func (c *change) remove(k kind, id string, l layer) bool {
	old := c.next.shelves[k].byID[id]
	if old == nil || old[l] == nil {
		return false
	}
	sh, r, ids := c.shelf(k), old[l], *old
	ids[l] = nil
	if ids == [layers]*record{} {
		delete(sh.byID, id)
	} else {
		sh.byID[id] = &ids
	}
	discard(sh.byURL, r.Header.URL, r)
	if k == kindCodeSystem {
		discard(c.next.supplements, canonicalURL(r.Supplements), r)
		discard(c.next.allCodes, canonicalURL(r.AllCodes), r)
	}
	return true
}

// canonicalURL gives the url of a canonical that may have a version.
func canonicalURL(canonical string) string {
	url, _, _ := strings.Cut(canonical, "|")
	return url
}

func insert(m map[string][]*record, key string, r *record) {
	list := append(slices.Clone(m[key]), r)
	slices.SortFunc(list, precedence)
	m[key] = list
}

func discard(m map[string][]*record, key string, r *record) {
	i := slices.Index(m[key], r)
	switch {
	case i < 0:
	case len(m[key]) == 1:
		delete(m, key)
	default:
		m[key] = slices.Delete(slices.Clone(m[key]), i, i+1)
	}
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
		cmp.Compare(b.layer, a.layer),
		cmp.Compare(present(b), present(a)),
		compareVersions(b.Header.Version, a.Header.Version),
		cmp.Compare(b.seq, a.seq),
	)
}

// id gives the record that answers for an id, nil when there is none.
func (s *shelf) id(id string) *record {
	ids := s.byID[id]
	if ids == nil {
		return nil
	}
	for l := layers; l > 0; l-- {
		if r := ids[l-1]; r != nil {
			return r
		}
	}
	return nil
}

// find gives the record of a url and version; see the table in version.go. known tells
// whether the url is there in any version.
func (s *shelf) find(url, version string) (r *record, known bool) {
	list := s.byURL[url]
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
	if isPattern(version) {
		for _, r := range list {
			if matchVersion(version, r.Header.Version) {
				return r, true
			}
		}
	}
	return nil, true
}

// versions lists the versions of a url, for messages.
func (s *shelf) versions(url string) []string {
	var list []string
	for _, r := range s.byURL[url] {
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

func (e *unknownVersionError) Unwrap() []error { return []error{e.sentinel, ErrUnknownVersion} }

// list gives the records that answer, by url, version and id. Not to be modified.
func (s *shelf) list() []*record {
	if s.order == nil {
		return nil
	}
	list, _ := s.order.get(func() ([]*record, error) { return s.sorted(), nil })
	return list
}

func (s *shelf) sorted() []*record {
	out := make([]*record, 0, len(s.byID))
	for id := range s.byID {
		out = append(out, s.id(id))
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
