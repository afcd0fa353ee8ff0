package operation

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/roget-health/roget/engine"
)

// Terminal returns the table of operations for the terminal: All, and what is there for
// people only. By HTTP the same is $expand of an implicit value set.
func Terminal() []*Operation {
	return append(All(), expandConstraint(), search())
}

// snomed is the code system of expression constraints when none is named.
const snomed = "http://snomed.info/sct"

// constraintParams are the parameters for what of a code system is selected.
func constraintParams(least int) []Param {
	return []Param{
		{Name: "ecl", Type: "string", Min: least, Doc: "An expression constraint (ECL 2.2): the codes that fit it."},
		{Name: "system", Type: "uri", Default: snomed, Doc: "Canonical of the code system, url|version is understood."},
		{Name: "version", Type: "string", Doc: "Version of the code system; the default version when absent."},
	}
}

// pageParams are the parameters of expand for what is given of the codes.
func pageParams() []Param {
	return slices.DeleteFunc(slices.Clone(expand.In), func(p Param) bool {
		return p.HTTPOnly || slices.Contains([]string{"url", "valueSetVersion", "filter"}, p.Name)
	})
}

// expandConstraint is expand for an expression constraint.
func expandConstraint() *Operation {
	return &Operation{
		Name: "expand", Type: "ValueSet", Command: "expand",
		Summary: expand.Summary,
		Doc:     "With --ecl it gives the codes of a code system that fit an expression constraint.",
		Spec:    expand.Spec,
		In:      with(constraintParams(1), []Param{{Name: "filter", Type: "string", Doc: "Text that code, display or a designation must match."}}, pageParams()),
		Out:     expand.Out,
		Run: func(ctx context.Context, env Env, in *Input) (Result, error) {
			return runSelection(ctx, env, in, in.String("filter"))
		},
	}
}

// search finds codes by text.
func search() *Operation {
	return &Operation{
		Name: "search", Type: "ValueSet", Command: "search",
		Summary: "Find codes by text, best hits first",
		Doc: "Gives the codes of a code system whose code, display or designation has words that begin with the words " +
			"given, in any order, whatever the case and accents, best hits first. --ecl seeks only among the codes that fit an " +
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

// found is an expansion of which it matters that it has codes.
type found struct{ *engine.ExpandResult }

// Yes is true when there is a hit.
func (f *found) Yes() bool { return f.Total > 0 }

func runSelection(ctx context.Context, env Env, in *Input, text string) (Result, error) {
	return result(env.Engine.Expand(ctx, selection(in, text)))
}

// selection asks for the codes of a code system that fit a constraint and a text.
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
