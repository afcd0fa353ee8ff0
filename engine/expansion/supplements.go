package expansion

import (
	"slices"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// A supplementation has the supplements for one expansion: those that the request or the value set
// names, and language packs.
type supplementation struct {
	systems map[*codesystem.Index][]*codesystem.Index
	// reported are the canonicals of the supplements used: those named, and language packs with a
	// display or designation in the expansion.
	reported []string
}

// supplementationOf returns the supplements for the code systems in use. Each demanded supplement
// must supplement one of them.
func supplementationOf(st *catalog.State, vs *r4.ValueSet, demanded []string, uses []valueset.Dependency) (s supplementation, err error) {
	if !st.HasSupplements() && len(demanded) == 0 && len(vs.Extension) == 0 {
		return s, nil
	}
	demanded, err = catalog.SupplementsNamed(demanded, vs)
	if err != nil {
		return s, err
	}
	var used []*codesystem.Index
	for _, u := range uses {
		if u.Index == nil || slices.Contains(used, u.Index) {
			continue
		}
		used = append(used, u.Index)
		all, err := st.SupplementsOf(u.Index, demanded)
		if err != nil {
			return s, err
		}
		for _, x := range all {
			s.take(u.Index, x, catalog.IsNamed(demanded, x.URL(), x.Version()))
		}
	}
	return s, st.CheckSupplements(demanded, used)
}

// take adds a supplement of a code system.
func (s *supplementation) take(x, supplement *codesystem.Index, named bool) {
	if s.systems == nil {
		s.systems = map[*codesystem.Index][]*codesystem.Index{}
	}
	s.systems[x] = append(s.systems[x], supplement)
	if named {
		s.report(supplement)
	}
}

// report records that a supplement was used; nil is ignored.
func (s *supplementation) report(x *codesystem.Index) {
	if x == nil {
		return
	}
	if c := r4.JoinCanonical(x.URL(), x.Version()); !slices.Contains(s.reported, c) {
		s.reported = append(s.reported, c)
	}
}
