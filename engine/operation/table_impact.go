package operation

import (
	"context"
	"fmt"

	"github.com/roget-health/roget/engine"
)

// mostImpacts is the default number of concepts in the answer of $impact.
const mostImpacts = 1000

// maxFirst bounds the codes and resources that are named of each difference.
const maxFirst = 1000

var impact = Operation{
	Name: "impact", Type: "CodeSystem",
	Example: []Argument{{"old", "https://roget.health/fhir/CodeSystem/animals|1.0.0"}, {"new", "https://roget.health/fhir/CodeSystem/animals"}},
	Summary: "List what a new version of a code system changes",
	Doc: "Compares two versions of a code system: concepts that were added, removed or moved, or whose status, meaning or display is different, " +
		"with what replaces them; value sets, reference sets, concept maps and expressions whose codes change; and stored resources with codes " +
		"that are inactive in the new version, or that it lacks, as far as searches know the codes and the request may search the resources. " +
		"In the terminal, roget impact does the same.",
	Spec: "command impact of the guide",
	In: with([]Param{
		{Name: "old", Type: "uri", Names: "CodeSystem", Min: 1, Doc: "The old version, as url|version."},
		{Name: "new", Type: "uri", Names: "CodeSystem", Min: 1, Doc: "The new version, as url|version."},
		{Name: "valueSet", Type: "uri", Names: "ValueSet", Many: true, Doc: "Canonical of a value set to examine; all value sets and concept maps when absent."},
		{Name: "expression", Type: "string", Many: true, Doc: "Expression constraint to examine."},
		{Name: "stored", Type: "boolean", Default: "true", Doc: "Examine the stored resources."},
		{Name: "first", Type: "integer", Default: fmt.Sprint(engine.DefaultFirst), Doc: fmt.Sprintf("Codes and resources that are named of each difference, at most %d.", maxFirst)},
		{Name: "limit", Type: "integer", Aliases: []string{"_limit"}, Default: fmt.Sprint(mostImpacts), Doc: "Largest number of rows about concepts; the totals count all."},
	}, requestParams()),
	Out: []Param{
		{Name: "old", Type: "canonical", Min: 1, Doc: "The old version."},
		{Name: "new", Type: "canonical", Min: 1, Doc: "The new version."},
		{Name: "unchanged", Type: "integer", Min: 1, Doc: "Concepts of both versions without a difference."},
		{Name: "total", Many: true, Doc: "The number of rows about one thing with one change.", Part: []Param{
			{Name: "about", Type: "code", Min: 1, Doc: "What the rows are about."},
			{Name: "change", Type: "code", Min: 1, Doc: "The change."},
			{Name: "count", Type: "integer", Min: 1, Doc: "The number of rows."},
		}},
		{Name: "impact", Many: true, Doc: "A row.", Part: []Param{
			{Name: "about", Type: "code", Min: 1, Doc: "concept, value-set, reference-set, concept-map, expression or resource."},
			{Name: "change", Type: "code", Min: 1, Doc: "removed or added; of a concept also moved, status, meaning, display or other; of a reference set also changed; of a code that resources have, removed or inactive; failed for what could not be evaluated."},
			{Name: "name", Type: "string", Min: 1, Doc: "A code, canonical or expression."},
			{Name: "display", Type: "string", Doc: "The display of the code."},
			{Name: "field", Type: "string", Doc: "What is different about a concept."},
			{Name: "old", Type: "string", Doc: "Its old value."},
			{Name: "new", Type: "string", Doc: "Its new value, or why something could not be evaluated."},
			{Name: "count", Type: "integer", Doc: "The number of codes or resources."},
			{Name: "first", Type: "string", Many: true, Doc: "One of the first codes or resources."},
			{Name: "replacement", Many: true, Doc: "What replaces the code.", Part: []Param{
				{Name: "relation", Type: "code", Min: 1, Doc: "How it is related: replacedby, sameas, possibly and others, or the equivalence of a concept map."},
				{Name: "code", Type: "code", Min: 1, Doc: "The other code."},
				{Name: "display", Type: "string", Doc: "Its display."},
			}},
		}},
	},
	Run: runImpact,
}

func runImpact(ctx context.Context, env Env, in *Input) (Result, error) {
	req := engine.ImpactRequest{Old: in.String("old"), New: in.String("new"), ValueSets: in.Strings("valueSet"), Expressions: in.Strings("expression")}
	most := mostImpacts
	for _, p := range []struct {
		name    string
		to      *int
		highest int
	}{{"first", &req.First, maxFirst}, {"limit", &most, 1_000_000}} {
		n, given := in.Int(p.name)
		switch {
		case given && n < 1:
			return nil, invalid(p.name, fmt.Sprintf("%d is below 1", n))
		case given:
			*p.to = min(n, p.highest)
		}
	}
	if stored, given := in.Bool("stored"); env.Resources != nil && (stored || !given) {
		req.Uses = env.Resources.Uses
	}
	r, err := env.Engine.Impact(ctx, &req)
	if err != nil {
		return nil, err
	}
	r.Most = most
	return r, nil
}
