package rf2

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// moduleTable numbers the modules of rows, and stores the latest effectiveTime of each.
type moduleTable struct {
	ids     []sctid
	newest  []uint32
	numbers map[sctid]uint32
	last    uint32
}

// note returns the number of a module, and records the time of one of its rows.
func (t *moduleTable) note(id sctid, time uint32) uint32 {
	at := t.last
	if len(t.ids) == 0 || t.ids[at] != id {
		var ok bool
		if at, ok = t.numbers[id]; !ok {
			if t.numbers == nil {
				t.numbers = map[sctid]uint32{}
			}
			at = uint32(len(t.ids))
			t.ids, t.newest = append(t.ids, id), append(t.newest, time)
			t.numbers[id] = at
		}
		t.last = at
	}
	t.newest[at] = max(t.newest[at], time)
	return at
}

// text returns the identifier of a module.
func (t *moduleTable) text(number uint32) string { return t.ids[number].String() }

// modulesRead returns the modules of all components read, with the latest effectiveTime.
func (e *edition) modulesRead() map[sctid]uint32 {
	times := map[sctid]uint32{}
	for _, t := range []*moduleTable{
		&e.concepts.modules, &e.descriptions.modules, &e.acceptability.modules, &e.relationships.modules, &e.refsets.modules,
	} {
		for i, id := range t.ids {
			times[id] = max(times[id], t.newest[i])
		}
	}
	return times
}

// identify returns the module that names the edition, and the date of its version: the date in the
// module dependency reference set, or that of the module's latest row. Without that reference set,
// it is the date of the latest row of all modules.
func (e *edition) identify() (module sctid, date uint32, err error) {
	read := e.modulesRead()
	if module = e.module; module == 0 {
		if module, err = e.editionModule(read); err != nil {
			return 0, 0, err
		}
	} else if _, ok := read[module]; !ok {
		return 0, 0, fmt.Errorf("%w: edition %d: no row belongs to that module; the release has the modules %s", ErrOptions, module, idList(slices.Collect(maps.Keys(read))))
	}
	date = max(read[module], e.dependencies.versions()[module])
	if len(e.dependencies.active()) == 0 {
		for _, t := range read {
			date = max(date, t)
		}
	}
	return module, date, nil
}

// editionModule determines the module that names the edition. Modules of one namespace belong to
// one publisher. The edition is that of the namespace on which no other depends. Within it, the
// edition is named after the module that is known to name one, or after a module on which no other
// depends, or after the module with the most concepts.
func (e *edition) editionModule(read map[sctid]uint32) (sctid, error) {
	links := e.dependencies.active()
	size := e.conceptsByModule()
	if len(links) == 0 {
		return largest(slices.Collect(maps.Keys(read)), size), nil
	}
	byNamespace := map[uint64][]sctid{}
	for id := range read {
		byNamespace[id.namespace()] = append(byNamespace[id.namespace()], id)
	}
	for _, l := range links {
		if from, to := l.source.namespace(), l.target.namespace(); from != to && read[l.source] != 0 {
			delete(byNamespace, to)
		}
	}
	switch len(byNamespace) {
	case 1:
	case 0:
		return 0, fmt.Errorf("%w: modules %s depend on each other; name the module of the edition with --edition", ErrEdition, idList(slices.Collect(maps.Keys(read))))
	default:
		var heads []sctid
		for _, ids := range byNamespace {
			heads = append(heads, largest(ids, size))
		}
		return 0, fmt.Errorf("%w: none of the modules %s depends on the others; load them one by one, or name the module of the edition with --edition", ErrEdition, idList(heads))
	}
	for _, ids := range byNamespace {
		known := editionModules()
		if named := slices.DeleteFunc(slices.Clone(ids), func(id sctid) bool { return !known[id] }); len(named) > 0 {
			ids = named
		}
		return largest(onTop(ids, links), size), nil
	}
	return 0, ErrEdition
}

// onTop returns the modules on which no other of them depends, or all when each has a dependent.
func onTop(ids []sctid, links []dependency) []sctid {
	top := slices.DeleteFunc(slices.Clone(ids), func(id sctid) bool {
		return slices.ContainsFunc(links, func(l dependency) bool {
			return l.target == id && l.source != id && slices.Contains(ids, l.source)
		})
	})
	if len(top) == 0 {
		return ids
	}
	return top
}

// largest returns the module with the most concepts, and of equal ones the one with the lowest
// identifier.
func largest(ids []sctid, size map[sctid]int) sctid {
	return slices.MinFunc(ids, func(a, b sctid) int {
		return cmp.Or(cmp.Compare(size[b], size[a]), cmp.Compare(a, b))
	})
}

// conceptsByModule counts concepts.
func (e *edition) conceptsByModule() map[sctid]int {
	counts := make([]int, len(e.concepts.modules.ids))
	for i := range e.concepts.rows {
		counts[e.concepts.rows[i].module]++
	}
	size := map[sctid]int{}
	for i, n := range counts {
		size[e.concepts.modules.ids[i]] = n
	}
	return size
}

// idList lists identifiers for a message.
func idList(ids []sctid) string {
	slices.Sort(ids)
	var b strings.Builder
	for i, id := range ids {
		if i == 20 {
			fmt.Fprintf(&b, " and %d more", len(ids)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(id.String())
	}
	return b.String()
}
