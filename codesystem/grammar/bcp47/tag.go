package bcp47

import (
	"fmt"
	"slices"
	"strings"
)

// A Tag is a parsed language tag. Subtags are in the recommended case.
type Tag struct {
	Language   string // "" if the tag only has private use
	Extlangs   []string
	Script     string
	Region     string
	Variants   []string
	Extensions []string // "u-co-phonebk"
	PrivateUse string   // "x-whatever"

	whole string // a grandfathered tag
	names []string
}

// String returns the tag in the recommended case: language in lower case, script capitalized,
// region in upper case, everything else in lower case.
func (t *Tag) String() string {
	if t.whole != "" {
		return t.whole
	}
	var parts []string
	add := func(list ...string) {
		for _, s := range list {
			if s != "" {
				parts = append(parts, s)
			}
		}
	}
	add(t.Language)
	add(t.Extlangs...)
	add(t.Script, t.Region)
	add(t.Variants...)
	add(t.Extensions...)
	add(t.PrivateUse)
	return strings.Join(parts, "-")
}

// Names returns English names, the best first: "German (Switzerland)", then the same with the
// other names of the language in the registry.
func (t *Tag) Names() []string { return t.names }

// describe sets the names.
func (t *Tag) describe(r *registry) {
	if t.whole != "" {
		t.names = r.names(grandfathered, strings.ToLower(t.whole))
		return
	}
	var details []string
	detail := func(k kind, subtags ...string) {
		for _, s := range subtags {
			if s != "" {
				details = append(details, r.names(k, strings.ToLower(s))[0])
			}
		}
	}
	base := r.names(language, t.Language)
	if len(t.Extlangs) > 0 {
		base = r.names(extlang, t.Extlangs[0])
	}
	detail(script, t.Script)
	detail(region, t.Region)
	detail(variant, t.Variants...)
	details = append(details, t.Extensions...)
	if t.PrivateUse != "" {
		details = append(details, t.PrivateUse)
	}
	if len(base) == 0 {
		base = []string{"Private use"}
	}
	for _, name := range base {
		if len(details) > 0 {
			name += " (" + strings.Join(details, ", ") + ")"
		}
		if !slices.Contains(t.names, name) {
			t.names = append(t.names, name)
		}
	}
}

// An Error describes what is wrong with a tag.
type Error struct {
	Tag    string
	At     int // offset in bytes of the subtag
	Reason string
}

// Error returns the tag, the reason and the place, counted from 1.
func (e *Error) Error() string {
	return fmt.Sprintf("Error processing language tag '%s': %s at character %d", e.Tag, e.Reason, e.At+1)
}
