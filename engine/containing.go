package engine

import (
	"context"
	"slices"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/resolve"
	"github.com/roget-health/roget/resources/r4"
)

// A ContainingRequest asks which published value sets have a code. System is required; an empty
// Version matches any.
type ContainingRequest struct {
	Code, System, Version string
	Limit                 int // value sets at most
}

// A ContainingResult has value sets with a code.
type ContainingResult struct {
	// Entries are the value sets in their default versions: those that were loaded or stored, then
	// those that are built in, by canonical.
	Entries []*Entry
	// More is true if there may be more than the limit.
	More bool
	// Failed counts the value sets that may have the code but cannot be compiled, because they need
	// something that is not published.
	Failed int
}

// Containing returns the published value sets that have a code. It compiles only those whose
// definition names the code system or imports other value sets, and the cache keeps them. Errors:
// ErrMissingParameter, and the error of ctx.
func (e *Engine) Containing(ctx context.Context, req *ContainingRequest) (*ContainingResult, error) {
	switch "" {
	case req.Code:
		return nil, issue.Missing("code", "the code to seek")
	case req.System:
		return nil, issue.Missing("system", "the code system of the code")
	}
	src, err := e.source().About(ctx, resolve.Asked{System: req.System, Version: req.Version, Code: req.Code})
	if err != nil {
		return nil, err
	}
	shelf := src.State.Shelf(catalog.KindValueSet)
	result := &ContainingResult{}
	for _, builtIn := range [...]bool{false, true} {
		for _, r := range shelf.List() {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if r.BuiltIn != builtIn {
				continue
			}
			if usual, _ := shelf.Find(r.Header.URL, ""); usual != r || !mayName(r, req.System) {
				continue
			}
			has, err := contains(ctx, src, r, req)
			switch {
			case ctx.Err() != nil:
				return nil, ctx.Err()
			case err != nil:
				result.Failed++
			case has && len(result.Entries) >= req.Limit:
				result.More = true
				return result, nil
			case has:
				result.Entries = append(result.Entries, r.Entry)
			}
		}
	}
	return result, nil
}

// contains reports whether a value set has the code of a request.
func contains(ctx context.Context, src *resolve.Source, r *catalog.Record, req *ContainingRequest) (bool, error) {
	t, err := src.Target("url", r4.JoinCanonical(r.Header.URL, r.Header.Version), "")
	if err != nil {
		return false, err
	}
	set, err := src.Set(ctx, &t)
	if err != nil {
		return false, err
	}
	_, has := set.Contains(req.System, req.Version, req.Code)
	return has, nil
}

// mayName reports whether a value set may have codes of a code system, by its definition.
func mayName(r *catalog.Record, system string) bool {
	vs, err := r.Definition()
	if err != nil || vs.Compose == nil {
		return true // an expansion, or an error that compiling reports
	}
	return slices.ContainsFunc(vs.Compose.Include, func(inc r4.Include) bool {
		return inc.System == system || inc.System == "" || len(inc.ValueSet) > 0
	})
}

// LanguagePacks returns the supplements that give a code system displays in other languages without
// being requested, in order of precedence. Lookup and Expand use them; programs that read an index
// themselves pass them to package language.
func (e *Engine) LanguagePacks(x *codesystem.Index) ([]*codesystem.Index, error) {
	return e.state().SupplementsOf(x, nil)
}
