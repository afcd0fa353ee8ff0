package resolve

import (
	"slices"

	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/resources/r4"
)

// Composes reports whether a value set has codes that no expansion lists, because it includes all
// codes of SNOMED CT or those that pass filters: post-coordinated expressions pass them too. A
// filter expressions = false excludes them. Value sets that cannot be found are ignored.
func (s *Source) Composes(t *Target) bool {
	w := openWalk{source: s}
	return w.target(t)
}

// An openWalk walks through definitions.
type openWalk struct {
	source *Source
	seen   []string // canonicals of imports
}

func (w *openWalk) target(t *Target) bool {
	vs, err := t.Definition()
	if err != nil || vs.Compose == nil {
		return false
	}
	for i := range vs.Compose.Include {
		if w.include(&vs.Compose.Include[i]) {
			return true
		}
	}
	return false
}

func (w *openWalk) include(inc *r4.Include) bool {
	if inc.System != "" && (inc.System != catalog.SNOMED || len(inc.Concept) > 0 || slices.ContainsFunc(inc.Filter, precoordinated)) {
		return false
	}
	return len(inc.ValueSet) == 0 || slices.ContainsFunc(inc.ValueSet, w.imported)
}

func precoordinated(f r4.Filter) bool {
	return f.Property == "expressions" && f.Op == "=" && f.Value == "false"
}

func (w *openWalk) imported(canonical string) bool {
	if slices.Contains(w.seen, canonical) {
		return false
	}
	w.seen = append(w.seen, canonical)
	t, err := w.source.Target("valueSet", canonical, "")
	return err == nil && w.target(&t)
}
