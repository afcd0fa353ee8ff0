package operation

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// Terminal returns the table of operations for the terminal: All, and rows for people only. Over
// HTTP, $expand of an implicit value set does the same.
func Terminal() []*Operation {
	return append(All(), expandConstraint(), search())
}

// snomed is the default code system of expression constraints.
const snomed = "http://snomed.info/sct"

// constraintParams returns the parameters that select codes of a code system.
func constraintParams(ecl, system Param) []Param {
	ecl.Name, ecl.Type, ecl.Doc = "ecl", "string", "An expression constraint (ECL 2.2) that selects codes."
	system.Name, system.Type, system.Names = "system", "uri", "CodeSystem"
	return []Param{
		ecl, system,
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
		In:      with(constraintParams(Param{Min: 1}, Param{Default: snomed, Doc: "Canonical of the code system, as url or url|version."}), []Param{{Name: "filter", Type: "string", Doc: "Words that the code, the display or a designation must have; the beginnings of words are enough."}}, pageParams()),
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
			"roget search dog",
			"roget search dog --system animals",
			"roget search infarct --ecl '< 404684003' --display-language en-GB",
		},
		Summary: "Find codes by text, best matches first",
		Doc: "Lists the codes whose code, display or designations have words that begin with the given words, in any order, best " +
			"matches first; case and accents are ignored. --system searches one code system, --ecl only the codes selected by an " +
			"expression constraint. Without them, all loaded code systems are searched, and if they have no match, those that are built in.",
		Spec: expand.Spec,
		In: with([]Param{{Name: "text", Type: "string", Min: 1, Many: true, Arg: 1, Doc: "Words, or beginnings of words."}}, constraintParams(Param{},
			Param{Doc: "Canonical of the code system, as url or url|version. When absent, all are searched; with --ecl it is " + snomed + "."}), pageParams()),
		Out: expand.Out,
		Run: func(ctx context.Context, env Env, in *Input) (Result, error) {
			requests := []*engine.ExpandRequest{selection(in, strings.Join(in.Strings("text"), " "))}
			all := !in.Has("system") && !in.Has("ecl")
			if all {
				requests = everywhere(in, env.Engine, requests[0])
			}
			for i, req := range requests {
				r, err := env.Engine.Expand(ctx, req)
				if err != nil {
					return nil, err
				}
				if r.Total > 0 || i == len(requests)-1 {
					return &found{r, all}, nil
				}
			}
			if version := in.String("version"); version != "" {
				return nil, fmt.Errorf("%w: none is loaded in version %s", engine.ErrUnknownVersion, version)
			}
			return nil, fmt.Errorf("%w: there is nothing to search", engine.ErrUnknownSystem)
		},
	}
}

// everywhere returns requests for what one finds in all code systems: first in those that are loaded,
// then in those that are built in. Each code has its code system.
func everywhere(in *Input, eng *engine.Engine, like *engine.ExpandRequest) []*engine.ExpandRequest {
	var loaded, builtIn r4.ValueSet
	for _, e := range eng.Entries("CodeSystem") {
		vs := &loaded
		if e.BuiltIn {
			vs = &builtIn
		}
		if e.Header.URL == "" || e.Supplements != "" || !e.HasCodes(false) || e.Concepts == 0 || in.Has("version") && e.Header.Version != in.String("version") {
			continue
		}
		if vs.Compose == nil {
			vs.Compose = &r4.Compose{}
		}
		if n := len(vs.Compose.Include); n == 0 || vs.Compose.Include[n-1].System != e.Header.URL {
			vs.Compose.Include = append(vs.Compose.Include, r4.Include{System: e.Header.URL, Version: in.String("version")})
		}
	}
	var requests []*engine.ExpandRequest
	for _, vs := range []*r4.ValueSet{&loaded, &builtIn} {
		if vs.Compose == nil {
			continue
		}
		vs.ResourceType, vs.Status, vs.Title = "ValueSet", "active", "all code systems"
		req := *like
		req.URL, req.ValueSetVersion, req.ValueSet = "", "", vs
		requests = append(requests, &req)
	}
	return requests
}

// found is an expansion whose Yes depends on whether it has codes.
type found struct {
	*engine.ExpandResult
	systems bool // show the code system of each code, also if there is only one
}

// Table has one row for each code.
func (f *found) Table() *Table {
	t := f.ExpandResult.Table()
	if f.systems && len(t.Rows) > 0 && len(t.Header) == 2 {
		t.Header = append(t.Header, "SYSTEM")
		for i := range t.Rows {
			t.Rows[i] = append(t.Rows[i], f.Entries[i].System)
		}
	}
	return t
}

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
