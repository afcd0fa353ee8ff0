package terminology

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/engine/names"
	"github.com/roget-health/roget/mcpadapter/answer"
)

// A NameError is about a resource that is not loaded, or a name of several.
type NameError struct{ text string }

// Error returns the text, which says what is loaded.
func (e *NameError) Error() string { return e.text }

// kindNames are what people call the types.
var kindNames = map[string]string{"CodeSystem": "code system", "ValueSet": "value set", "ConceptMap": "concept map"}

// maxName bounds the canonical of a resource; that of an implicit value set has an expression.
const maxName = 3*maxExpression + 1000

// resolve returns the canonical of a resource that an assistant named by its canonical, id,
// name or title. The version stays as given.
func (t *Tools) resolve(ctx context.Context, typ, name string) (string, error) {
	name = strings.TrimSpace(name)
	if len(name) > maxName {
		return "", &NameError{fmt.Sprintf("the name of a %s has more than %d bytes", kindNames[typ], maxName)}
	}
	if name == "" || implicit(name) {
		return name, nil
	}
	list, err := t.source.Resources(ctx, typ)
	if err != nil {
		return "", err
	}
	plain, version, versioned := strings.Cut(name, "|")
	var known []string // versions of the canonical
	for i := range list {
		if list[i].URL == plain {
			known = append(known, list[i].Version)
		}
	}
	switch {
	case len(known) > 0 && (!versioned || slices.Contains(known, version) || strings.ContainsAny(version, "x*")):
		return name, nil
	case len(known) > 0:
		return "", &NameError{fmt.Sprintf("version %s of %s is not loaded; loaded are %s", answer.Cut(version, 40), plain, strings.Join(known[:min(len(known), 8)], ", "))}
	}
	found := called(list, plain)
	switch len(found) {
	case 1:
		if versioned {
			return t.resolve(ctx, typ, found[0]+"|"+version)
		}
		return found[0], nil
	case 0:
		return "", unknown(typ, plain, list)
	}
	return "", &NameError{fmt.Sprintf("%q is the name of %d %ss: use a url: %s", answer.Cut(name, 80), len(found), kindNames[typ], strings.Join(found[:min(len(found), 5)], ", "))}
}

// implicit reports whether a canonical is of something that is not in a catalogue.
func implicit(canonical string) bool {
	return strings.Contains(canonical, "?fhir_") || strings.HasPrefix(canonical, "http://snomed.info/sct")
}

// called returns the canonicals of the resources that have a name. Resources that are not
// part of FHIR come first.
func called(list []Resource, name string) []string {
	want := names.Fold(name)
	if want == "" {
		return nil
	}
	var own, basic []string
	for i := range list {
		r := &list[i]
		last := r.URL[strings.LastIndexAny(r.URL, "/:")+1:]
		if r.URL == "" || !slices.Contains([]string{names.Fold(r.ID), names.Fold(r.Name), names.Fold(r.Title), names.Fold(last), names.Fold(r.URL)}, want) {
			continue
		}
		if r.basic() {
			basic = append(basic, r.URL)
		} else {
			own = append(own, r.URL)
		}
	}
	if len(own) == 0 {
		own = basic
	}
	slices.Sort(own)
	return slices.Compact(own)
}

// unknown returns the error about a resource that is not loaded, with the nearest ones.
func unknown(typ, name string, list []Resource) error {
	type near struct {
		text  string
		score int
	}
	var found []near
	want := names.Fold(answer.Cut(name, 200))
	for i := range list {
		r := &list[i]
		if r.URL == "" || r.Content == "not-present" {
			continue
		}
		score := 0
		for _, word := range []string{r.ID, r.Name, r.Title, r.URL} {
			score = max(score, alike(want, names.Fold(word)))
		}
		if !r.basic() {
			score += 15
		}
		found = append(found, near{r.URL, score})
	}
	slices.SortStableFunc(found, func(a, b near) int { return cmp.Compare(b.score, a.score) })
	var nearest []string
	for _, f := range found {
		if len(nearest) < 6 && !slices.Contains(nearest, f.text) {
			nearest = append(nearest, f.text)
		}
	}
	text := fmt.Sprintf("the %s %q is not loaded", kindNames[typ], answer.Cut(name, 120))
	if len(nearest) == 0 {
		return &NameError{text + "; nothing of this type is. Load a release with roget load, or continue without it"}
	}
	return &NameError{fmt.Sprintf("%s; among the %d that are: %s. Use one of these, or see them all with catalogue kind=%s", text, len(list), strings.Join(nearest, ", "), typ)}
}

// alike returns how much two folded names have in common: 0 to 100.
func alike(a, b string) int {
	if a == "" || b == "" {
		return 0
	}
	if strings.Contains(a, b) || strings.Contains(b, a) {
		return 60 + 40*min(len(a), len(b))/max(len(a), len(b))
	}
	common := 0
	for i := 0; i+3 <= len(a); i++ {
		if strings.Contains(b, a[i:i+3]) {
			common++
		}
	}
	return 100 * common / max(len(a), len(b))
}

// systems returns the canonicals of the loaded code systems that have codes to list: those
// that are not part of FHIR, and those that are.
func (t *Tools) systems(ctx context.Context) (own, basic []string, err error) {
	list, err := t.source.Resources(ctx, "CodeSystem")
	if err != nil {
		return nil, nil, err
	}
	for i := range list {
		r := &list[i]
		if r.URL == "" || r.Supplements != "" || r.Content == "not-present" {
			continue
		}
		if r.basic() {
			basic = append(basic, r.URL)
		} else {
			own = append(own, r.URL)
		}
	}
	slices.Sort(own)
	slices.Sort(basic)
	return slices.Compact(own), slices.Compact(basic), nil
}
