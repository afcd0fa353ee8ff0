package bcp47

import (
	"fmt"
	"slices"
	"strings"
)

// Tag is a language tag, taken apart. Subtags are in the recommended case.
type Tag struct {
	Language   string // "" for a tag of private use only
	Extlangs   []string
	Script     string
	Region     string
	Variants   []string
	Extensions []string // "u-co-phonebk"
	PrivateUse string   // "x-whatever"

	whole string // a grandfathered tag
	names []string
}

// String returns the tag in the recommended case: language in small letters, script with a
// capital, region in capitals, all else small.
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

// Names returns English names, the best first: "German (Switzerland)", and such with the
// other names that the registry has for the language.
func (t *Tag) Names() []string { return t.names }

// describe makes the names.
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

// Error says what is wrong with a tag.
type Error struct {
	Tag    string
	At     int // offset in bytes of the subtag
	Reason string
}

// Error returns the tag, the reason and the place, which counts from 1.
func (e *Error) Error() string {
	return fmt.Sprintf("Error processing language tag '%s': %s at character %d", e.Tag, e.Reason, e.At+1)
}
