package engine

import (
	"fmt"
	"slices"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

// referenceSets selects the concepts that are reference sets.
func referenceSets(im *implicitSet, include *r4.Include) (string, error) {
	x, err := im.index()
	if err != nil {
		return "", err
	}
	title := "Reference sets of " + nameOf(&im.system.Header)
	for _, code := range slices.Sorted(slices.Values(slices.Concat(x.Refsets(), languageRefsets(x)))) {
		if _, ok := x.Find(code); ok {
			include.Concept = append(include.Concept, r4.ConceptReference{Code: code})
		}
	}
	if len(include.Concept) == 0 {
		include.Filter = []r4.Filter{{Property: "code", Op: "exists", Value: "false"}} // none: an empty list would be all
	}
	return title, nil
}

// membersOf selects the members of a reference set.
func membersOf(im *implicitSet, include *r4.Include) (string, error) {
	x, err := im.index()
	if err != nil {
		return "", err
	}
	if _, ok := x.Refset(im.argument); !ok {
		if slices.Contains(languageRefsets(x), im.argument) {
			return "", fmt.Errorf("%w: %s is a language reference set: its members are descriptions, not concepts", issue.ErrUnknownValueSet, im.argument)
		}
		return "", fmt.Errorf("%w: %s has no reference set %q", issue.ErrUnknownValueSet, im.system.canonical(), im.argument)
	}
	include.Filter = []r4.Filter{{Property: "concept", Op: "in", Value: im.argument}}
	name := im.argument
	if o, ok := x.Find(im.argument); ok {
		name = x.Display(o)
	}
	return "Members of " + name, nil
}

// languageRefsets returns the language reference sets that designations are in.
func languageRefsets(x *codesystem.Index) []string {
	var codes []string
	kinds := x.DesignationKinds()
	for i := range kinds {
		for _, a := range kinds[i].Acceptability {
			if !slices.Contains(codes, a.Refset) {
				codes = append(codes, a.Refset)
			}
		}
	}
	return codes
}
