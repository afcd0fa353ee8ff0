package validation

import (
	"slices"

	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// A layout has the includes of a value set in the order in which they are asked about a coding:
// higher versions of a code system first. A coding meets only the includes that may concern it, so
// that a value set of many code systems takes no longer than one of few.
type layout struct {
	ordered []*r4.Include
	// bySystem has the indexes of the includes of one code system alone, general those of all
	// others: they import value sets, about which there may be something to report.
	bySystem map[string][]int
	general  []int
	merges   bool // see valueset.Merges
}

// fewIncludes is the number of includes up to which it is faster to ask all of them.
const fewIncludes = 16

func newLayout(compose *r4.Compose) *layout {
	list := compose.Include
	l := &layout{ordered: orderedIncludes(list), merges: valueset.Merges(compose)}
	if len(list) <= fewIncludes {
		return l
	}
	l.bySystem = map[string][]int{}
	for i, inc := range l.ordered {
		if inc.System == "" || len(inc.ValueSet) > 0 {
			l.general = append(l.general, i)
		} else {
			l.bySystem[inc.System] = append(l.bySystem[inc.System], i)
		}
	}
	return l
}

// of returns the includes that may concern a coding of a code system.
func (l *layout) of(system string) []*r4.Include {
	if l.bySystem == nil {
		return l.ordered
	}
	indexes := l.bySystem[system]
	if len(l.general) > 0 {
		indexes = slices.Concat(indexes, l.general)
		slices.Sort(indexes)
	}
	includes := make([]*r4.Include, len(indexes))
	for k, i := range indexes {
		includes[k] = l.ordered[i]
	}
	return includes
}

// orderedIncludes returns includes with higher versions of a code system first.
func orderedIncludes(list []r4.Include) []*r4.Include {
	out := make([]*r4.Include, len(list))
	for i := range list {
		out[i] = &list[i]
	}
	slices.SortStableFunc(out, func(a, b *r4.Include) int {
		if a.System == b.System && a.Version != "" && b.Version != "" {
			return catalog.CompareVersions(b.Version, a.Version)
		}
		return 0
	})
	return out
}
