package operation

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"sort"
	"strings"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/synth"
)

// paramCodes is the name of the parameter that chooses codes.
const paramCodes = "codes"

// maxGeneratedCodes bounds the codes to draw from for one element, maxCodeChoices the number of
// choices in a request.
const (
	maxGeneratedCodes = 200_000
	maxCodeChoices    = 100
)

// codesForm is the syntax of a choice of codes.
const codesForm = "PATH=ecl:EXPRESSION, PATH=ecl:SYSTEM|EXPRESSION or PATH=valueset:CANONICAL"

// GeneratorCodes returns the codes to draw the values of elements of synthetic resources from, by
// path, for synth.Options. A choice is PATH=ecl:EXPRESSION (of SNOMED CT),
// PATH=ecl:SYSTEM|EXPRESSION or PATH=valueset:CANONICAL; several choices for one path are
// combined. paths are the paths that may be chosen (synth.Type.Codes). Inactive and abstract codes
// are left out; the others are sorted by system and code, so that the same content yields the same
// resources.
//
// The error is an *engine.ParameterError of the parameter codes if a choice cannot be used, is
// empty or has more than 200,000 codes, or an error of engine.Expand.
func GeneratorCodes(ctx context.Context, e *engine.Engine, paths, choices []string) (map[string][]synth.Coding, error) {
	if len(choices) > maxCodeChoices {
		return nil, Invalid(paramCodes, fmt.Sprintf("%d values; at most %d are allowed", len(choices), maxCodeChoices))
	}
	codes := map[string][]synth.Coding{}
	for _, choice := range choices {
		path, from, found := strings.Cut(choice, "=")
		valueSet, ok := chosenValueSet(from)
		switch {
		case !found || !ok:
			return nil, Invalid(paramCodes, fmt.Sprintf("%s is not of the form %s", quote(choice), codesForm))
		case !slices.Contains(paths, path):
			return nil, Invalid(paramCodes, fmt.Sprintf("the codes of %s cannot be chosen; %s", quote(path), choosable(path, paths)))
		}
		list, err := codingsOf(ctx, e, valueSet, choice)
		if err != nil {
			return nil, err
		}
		list = inOrder(append(codes[path], list...))
		if len(list) > maxGeneratedCodes {
			return nil, tooManyCodes(path, len(list))
		}
		codes[path] = list
	}
	return codes, nil
}

// inOrder sorts codings by system and code and removes duplicates.
func inOrder(list []synth.Coding) []synth.Coding {
	sort.Slice(list, func(i, j int) bool {
		a, b := &list[i], &list[j]
		return cmp.Or(cmp.Compare(a.System, b.System), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Display, b.Display)) < 0
	})
	return slices.CompactFunc(list, func(a, b synth.Coding) bool { return a.System == b.System && a.Code == b.Code })
}

// chosenValueSet returns the canonical of the value set that a choice stands for.
func chosenValueSet(from string) (canonical string, ok bool) {
	kind, what, _ := strings.Cut(from, ":")
	switch kind {
	case "valueset":
		return what, what != ""
	case "ecl":
		system := snomed
		// An expression has bars around terms; a system stands before the first, and is a uri.
		if before, expression, found := strings.Cut(what, "|"); found && strings.Contains(before, ":") && !strings.ContainsAny(before, " \t") {
			system, what = before, expression
		}
		return system + "?fhir_vs=ecl/" + url.PathEscape(what), what != ""
	}
	return "", false
}

// choosable returns a hint that names the paths most similar to a wrong one.
func choosable(path string, paths []string) string {
	if len(paths) == 0 {
		return "there are none for this type"
	}
	near := slices.Clone(paths)
	typ, _, _ := strings.Cut(path, ".")
	last := path[strings.LastIndexByte(path, '.')+1:]
	distance := func(p string) int { // 0 where type and name fit, 3 where neither does
		n := 0
		if !strings.HasPrefix(p, typ+".") {
			n += 2
		}
		if !strings.Contains(p, last) {
			n++
		}
		return n
	}
	slices.SortStableFunc(near, func(a, b string) int { return distance(a) - distance(b) })
	const limit = 10
	if len(near) > limit {
		return "there are " + strings.Join(near[:limit], ", ") + " and others"
	}
	return "there are " + strings.Join(near, ", ")
}

// codingsOf returns the codes of a value set that may be used in data.
func codingsOf(ctx context.Context, e *engine.Engine, valueSet, choice string) ([]synth.Coding, error) {
	yes := true
	req := &engine.ExpandRequest{URL: valueSet, ActiveOnly: &yes, ExcludeNested: &yes, ExcludeNotForUI: &yes, Count: new(int)}
	r, err := e.Expand(ctx, req) // counts
	switch {
	case err != nil:
		return nil, err
	case r.Total > maxGeneratedCodes:
		return nil, tooManyCodes(choice, r.Total)
	case r.Endless || r.Unclosed != "":
		return nil, Invalid(paramCodes, fmt.Sprintf("%s has codes that cannot be listed", quote(choice)))
	case r.Total == 0:
		return nil, Invalid(paramCodes, fmt.Sprintf("%s has no codes", quote(choice)))
	}
	req.Count = &r.Total
	if r, err = e.Expand(ctx, req); err != nil {
		return nil, err
	}
	list := make([]synth.Coding, len(r.Entries))
	for i := range r.Entries {
		entry := &r.Entries[i]
		list[i] = synth.Coding{System: entry.System, Code: entry.Code, Display: entry.Display}
	}
	return list, nil
}

func tooManyCodes(what string, n int) error {
	return Invalid(paramCodes, fmt.Sprintf("%s has %s codes, more than %s, the most that can be drawn from; choose fewer",
		quote(what), engine.Thousands(n), engine.Thousands(maxGeneratedCodes)))
}
