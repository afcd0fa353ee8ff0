package engine

import (
	"context"

	"github.com/roget-health/roget/codesystem"
)

// Hierarchy returns the index of a version of a code system, of the default version if version is
// "", and whether the codes of the system follow a grammar. Errors are those of finding a code
// system.
func (e *Engine) Hierarchy(system, version string) (x *codesystem.Index, grammar bool, err error) {
	st := e.state()
	if x, err = st.CodeSystem("", "system", system, version); err != nil {
		return nil, false, err
	}
	return x, st.Grammar(x.URL(), x.Version()) != nil, nil
}

// HasCode reports whether a code system that Hierarchy returned has a code, also one that its index
// lacks and its grammar defines.
func (e *Engine) HasCode(ctx context.Context, x *codesystem.Index, code string) (bool, error) {
	x, err := e.source().Covering(ctx, x, code)
	if err != nil {
		return false, err
	}
	_, ok := x.Find(code)
	return ok, nil
}
