package engine

import (
	"slices"
	"strings"

	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/resolve"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// inferSystem finds the system of a code from the codes of the value set.
func (v *validation) inferSystem(f *finding, vs *r4.ValueSet) error {
	var systems []string
	src, err := v.source.About(v.ctx, resolve.Asked{Code: f.code}) // a grammar may make it
	if err != nil {
		return err
	}
	tolerant := *src // a version that is not allowed is spoken of when the code is looked up
	tolerant.Rules = src.Rules.Unchecked()
	var set *valueset.Set
	if vs == v.root {
		set, err = tolerant.Compiled(v.ctx, v.target, nil)
	} else {
		set, err = valueset.Compile(v.ctx, &tolerant, vs, nil)
	}
	switch {
	case err == nil:
		for _, e := range set.Infer(f.code) {
			if !slices.Contains(systems, e.System) {
				systems = append(systems, e.System)
			}
		}
	case !resolve.IsUnknownSystem(err):
		return err
	}
	switch len(systems) {
	case 1:
		f.inferred = systems[0]
	case 0:
		v.say(issue.CannotInfer.Issue("code", f.code, v.label()))
	default:
		v.say(issue.SeveralSystems.Issue("code", f.code, v.label(), strings.Join(systems, ", ")))
	}
	return nil
}
