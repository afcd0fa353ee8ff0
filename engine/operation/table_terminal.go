package operation

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/roget-health/roget/engine"
)

// Terminal returns the table of operations for the terminal: All, and rows for people only. Over
// HTTP, $expand of an implicit value set does the same.
func Terminal() []*Operation {
	return append(All(), expandConstraint(), search())
}

// snomed is the default code system of expression constraints.
const snomed = "http://snomed.info/sct"

// constraintParams returns the parameters that select codes of a code system.
func constraintParams(required int) []Param {
	return []Param{
		{Name: "ecl", Type: "string", Min: required, Doc: "An expression constraint (ECL 2.2) that selects codes."},
		{Name: "system", Type: "uri", Default: snomed, Doc: "Canonical of the code system, as url or url|version."},
		{Name: "version", Type: "string", Doc: "Version of the code system; the default version when absent."},
	}
}

// pageParams returns the parameters of expand that shape the page.
func pageParams() []Param {
	return slices.DeleteFunc(slices.Clone(expand.In), func(p Param) bool {
		return p.HTTPOnly || slices.Contains([]string{"url", "valueSetVersion", "filter"}, p.Name)
	})
}

// expandConstraint returns the row of expand with an expression constraint.
func expandConstraint() *Operation {
	return &Operation{
		Name: "expand", Type: "ValueSet", Command: "expand",
		Examples: []string{
			"roget expand --ecl '<< code#dog' --system https://roget.health/fhir/CodeSystem/animals",
			"roget expand --ecl '<< 404684003 : 363698007 = << 80891009' --filter infarct",
		},
		Summary: expand.Summary,
		Doc:     "With --ecl, lists the codes of a code system that an expression constraint selects.",
		Spec:    expand.Spec,
		In:      with(constraintParams(1), []Param{{Name: "filter", Type: "string", Doc: "Words that the code, the display or a designation must have; the beginnings of words are enough."}}, pageParams()),
		Out:     expand.Out,
		Run: func(ctx context.Context, env Env, in *Input) (Result, error) {
			return runSelection(ctx, env, in, in.String("filter"))
		},
	}
}

// search returns the row of search by text.
func search() *Operation {
	return &Operation{
		Name: "search", Type: "ValueSet", Command: "search",
		Examples: []string{
			"roget search dog --system https://roget.health/fhir/CodeSystem/animals",
			"roget search infarct --ecl '< 404684003' --display-language en-GB",
		},
		Summary: "Find codes by text, best matches first",
		Doc: "Lists the codes of a code system whose code, display or designations have words that begin with the given " +
			"words, in any order, best matches first; case and accents are ignored. --ecl searches only the codes selected by an " +
			"expression constraint.",
		Spec: expand.Spec,
		In:   with([]Param{{Name: "text", Type: "string", Min: 1, Many: true, Arg: 1, Doc: "Words, or beginnings of words."}}, constraintParams(0), pageParams()),
		Out:  expand.Out,
		Run: func(ctx context.Context, env Env, in *Input) (Result, error) {
			r, err := env.Engine.Expand(ctx, selection(in, strings.Join(in.Strings("text"), " ")))
			if err != nil {
				return nil, err
			}
			return &found{r}, nil
		},
	}
}

// found is an expansion whose Yes depends on whether it has codes.
type found struct{ *engine.ExpandResult }

// Yes reports whether there is a match.
func (f *found) Yes() bool { return f.Total > 0 }

func runSelection(ctx context.Context, env Env, in *Input, text string) (Result, error) {
	return result(env.Engine.Expand(ctx, selection(in, text)))
}

// selection returns a request for the codes of a code system that match a constraint and a text.
func selection(in *Input, text string) *engine.ExpandRequest {
	req := expandRequest(in)
	system, version, _ := strings.Cut(cmp.Or(in.String("system"), snomed), "|")
	req.URL = system + "?fhir_vs"
	if ecl := in.String("ecl"); ecl != "" {
		req.URL += "=ecl/" + url.PathEscape(ecl)
	}
	req.ValueSetVersion, req.Filter = cmp.Or(in.String("version"), version), text
	return req
}
