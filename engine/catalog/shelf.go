package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

// A shelf has the records of one kind.
type shelf struct {
	// byID has the records of an id, in order of precedence. Only one stored record has a given
	// id, but loaded records may share it, as versions of a code system often do.
	byID records
	// byURL has the records of a url, the default version first. supplements has the records of
	// supplements by their own url.
	byURL, supplements records
	// order has the records that are not shadowed, sorted, made on first use.
	order *lazy[[]*Record]
}

// Shelf returns the shelf of a kind.
func (s *State) Shelf(k Kind) *shelf { return &s.shelves[k] }

// ID returns the record of an id, or nil.
func (s *shelf) ID(id string) *Record {
	if list := s.byID.get(id); len(list) > 0 {
		return list[0]
	}
	return nil
}

// Find returns the record of a url and version, or nil; see the table in version.go. known reports
// whether there is any version of the url.
func (s *shelf) Find(url, version string) (r *Record, known bool) {
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
		if MatchVersion(version, r.Header.Version) {
			if isRelease(version) && ambiguous(r, list[i+1:], version) {
				return nil, true
			}
			return r, true
		}
	}
	return nil, true
}

// ambiguous reports whether several editions of SNOMED CT have a release of a date, so that the
// date does not identify one.
func ambiguous(r *Record, others []*Record, date string) bool {
	e, ok := parseEdition(r.Header.Version)
	return ok && slices.ContainsFunc(others, func(o *Record) bool {
		other, _ := parseEdition(o.Header.Version)
		return other.date == date && other.module != e.module
	})
}

// versions returns the versions of a url, for messages.
func (s *shelf) versions(url string) []string {
	var list []string
	for _, r := range s.byURL.get(url) {
		if v := r.Header.Version; v != "" && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// Unknown returns the error of a canonical that Find did not find.
func (s *shelf) Unknown(sentinel error, url, version string, known bool) error {
	if !known {
		return fmt.Errorf("%w: %s", sentinel, r4.JoinCanonical(url, version))
	}
	have := "it has no version"
	if list := s.versions(url); len(list) > 0 {
		have = "known versions: " + strings.Join(list, ", ")
	}
	return &unknownVersionError{sentinel: sentinel, text: fmt.Sprintf("%s in version %q; %s", url, version, have)}
}

// An unknownVersionError wraps both its sentinel and ErrUnknownVersion.
type unknownVersionError struct {
	sentinel error
	text     string
}

func (e *unknownVersionError) Error() string { return e.sentinel.Error() + ": " + e.text }

func (e *unknownVersionError) Unwrap() []error { return []error{e.sentinel, issue.ErrUnknownVersion} }

// List returns the records that are not shadowed, sorted by url, version and id. The slice must
// not be modified.
func (s *shelf) List() []*Record {
	if s.order == nil {
		return nil
	}
	list, _ := s.order.get(func() ([]*Record, error) { return s.sorted(), nil })
	return list
}

func (s *shelf) sorted() []*Record {
	out := make([]*Record, 0, len(s.byID.under)+len(s.byID.over))
	for _, list := range s.byID.all() {
		for _, r := range list {
			if !s.beaten(r) {
				out = append(out, r)
			}
		}
	}
	slices.SortFunc(out, func(a, b *Record) int {
		return cmp.Or(
			strings.Compare(a.Header.URL, b.Header.URL),
			CompareVersions(a.Header.Version, b.Header.Version),
			strings.Compare(a.Header.ID, b.Header.ID),
		)
	})
	return out
}

// beaten reports whether a record of a higher layer has the id or the canonical of r.
func (s *shelf) beaten(r *Record) bool {
	if s.byID.get(r.Header.ID)[0].layer > r.layer {
		return true
	}
	if r.Header.URL == "" || r.Content == "supplement" {
		return false
	}
	first, _ := s.Find(r.Header.URL, r.Header.Version)
	return first != nil && first.layer > r.layer && first.Header.Version == r.Header.Version
}

// same returns the records with the layer and canonical of r.
func (s *shelf) same(r *Record) (out []*Record) {
	for _, t := range [...]*records{&s.byURL, &s.supplements} {
		for _, old := range t.get(r.Header.URL) {
			if old.layer == r.layer && old.Header.Version == r.Header.Version {
				out = append(out, old)
			}
		}
	}
	return out
}

// stored returns the stored record of an id, or nil.
func (s *shelf) stored(id string) *Record {
	for _, r := range s.byID.get(id) {
		if r.layer == layerStored {
			return r
		}
	}
	return nil
}

// Supplement returns the first supplement with a url, or nil.
func (s *shelf) Supplement(url string) *Record {
	if list := s.supplements.get(url); len(list) > 0 {
		return list[0]
	}
	return nil
}
