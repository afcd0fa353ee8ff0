package engine

import (
	"slices"

	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/resolve"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// A request may change a value set before it is expanded.

// without returns the value set less some code systems.
func without(s *resolve.Source, t *resolve.Target, systems []string) (resolve.Target, error) {
	vs, err := t.Definition()
	if err != nil {
		return resolve.Target{}, err
	}
	given := *vs
	if vs.Compose != nil {
		compose := *vs.Compose
		compose.Exclude = slices.Clone(compose.Exclude)
		given.Compose = &compose
	} else {
		return resolve.Target{}, issue.NotSupported("exclude-system", "the value set has an expansion only")
	}
	for _, canonical := range systems {
		url, version, err := catalog.SplitVersioned("exclude-system", canonical, "")
		if err != nil {
			return resolve.Target{}, err
		}
		given.Compose.Include = slices.DeleteFunc(slices.Clone(given.Compose.Include), func(i r4.Include) bool {
			return i.System == url && (version == "" || catalog.MatchVersion(version, i.Version) && i.Version != "")
		})
		if r, _ := s.State.Shelf(catalog.KindCodeSystem).Find(url, version); r != nil {
			given.Compose.Exclude = append(given.Compose.Exclude, r4.Include{System: url, Version: version})
		}
	}
	// The request takes out a version, which is not what the value set says about versions.
	given.Compose.Extension = append(slices.Clone(given.Compose.Extension), valueset.VersionsMatch(false))
	if len(given.Compose.Include) == 0 {
		given.Compose, given.Expansion = nil, &r4.Expansion{}
	}
	return resolve.Target{Given: &given}, nil
}

// matching returns the value set with versions of a system taken for one, or told apart.
func matching(t *resolve.Target, match bool) (resolve.Target, error) {
	vs, err := t.Definition()
	if err != nil || vs.Compose == nil {
		return *t, err
	}
	given, compose := *vs, *vs.Compose
	compose.Extension = append(r4.Extensions{valueset.VersionsMatch(match)}, compose.Extension...)
	given.Compose = &compose
	return resolve.Target{Given: &given}, nil
}
