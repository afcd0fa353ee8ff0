package rf2

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// dependencyStore holds the members of the module dependency reference set.
type dependencyStore struct {
	latest[uuid]
	rows []dependency
}

// A dependency states that a version of a module needs some version of another module.
type dependency struct {
	source, target         sctid
	sourceTime, targetTime uint32
	active                 bool
}

func (s *dependencyStore) init() { s.latest = newLatest[uuid](false) }

// read reads a file of module dependencies.
func (s *dependencyStore) read(e *edition, f *source, r *rows) {
	for r.next() {
		member := r.member(0)
		h, inEffect := e.head(f, r)
		refset := r.id(4)
		row := dependency{source: h.module, target: r.id(5), sourceTime: r.date(6), targetTime: r.date(7), active: h.active}
		if r.err != nil {
			return
		}
		if !inEffect || refset != moduleDependency {
			continue
		}
		if slot, counts := s.place(member, h.time); counts {
			s.rows = put(s.rows, slot, row)
		}
	}
}

// active returns the active dependencies.
func (s *dependencyStore) active() []dependency {
	return slices.DeleteFunc(slices.Clone(s.rows), func(d dependency) bool { return !d.active })
}

// versions returns the version of each module that states one.
func (s *dependencyStore) versions() map[sctid]uint32 {
	times := map[sctid]uint32{}
	for _, d := range s.active() {
		times[d.source] = max(times[d.source], d.sourceTime)
	}
	return times
}

// unmet returns an error about the required modules that are missing or older than required.
func (e *edition) unmet() error {
	read, versions := e.modulesRead(), e.dependencies.versions()
	links := e.dependencies.active()
	sort.Slice(links, func(i, j int) bool {
		a, b := &links[i], &links[j]
		return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.target, b.target), cmp.Compare(a.targetTime, b.targetTime)) < 0
	})
	var clauses []string
	for _, d := range slices.Compact(links) {
		if read[d.source] == 0 {
			continue
		}
		have, said := versions[d.target]
		switch {
		case read[d.target] == 0:
			clauses = append(clauses, fmt.Sprintf("module %d needs module %d of %d, which is not among the files", d.source, d.target, d.targetTime))
		case said && have < d.targetTime:
			clauses = append(clauses, fmt.Sprintf("module %d needs module %d of %d, and the files have it of %d", d.source, d.target, d.targetTime, have))
		}
	}
	if len(clauses) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s: load the packages that have them as well", ErrModule, strings.Join(clauses, "; "))
}
