package catalogue

import (
	"slices"
	"strings"
)

// Find searches views in order for a type by its name, plural or singular, ignoring case. It also tries
// the possible singulars of an unknown plural. A nil view has no types. Platform toolkit, section 4.6.
func Find(name string, views ...*Catalogue) (*Catalogue, *Type) {
	for _, view := range views {
		if view == nil {
			continue
		}
		for _, candidate := range candidates(name) {
			if t := view.lookup(candidate); t != nil {
				return view, t
			}
		}
	}
	return nil, nil
}

// candidates returns a name and its possible singulars.
func candidates(name string) []string {
	names := []string{name}
	for _, ending := range [...][2]string{{"ies", "y"}, {"es", ""}, {"s", ""}} {
		if n := len(name) - len(ending[0]); n > 0 && strings.EqualFold(name[n:], ending[0]) {
			names = append(names, name[:n]+ending[1])
		}
	}
	return names
}

// lookup finds a type by name, then by plural, then by singular.
func (c *Catalogue) lookup(name string) *Type {
	if name == "" {
		return nil
	}
	for _, spelling := range [...]func(*Type) string{
		func(t *Type) string { return t.Name },
		func(t *Type) string { return t.Plural },
		func(t *Type) string { return t.Singular },
	} {
		if i := slices.IndexFunc(c.Types, func(t Type) bool { return strings.EqualFold(spelling(&t), name) }); i >= 0 {
			return &c.Types[i]
		}
	}
	return nil
}
