package validation

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// maxImports bounds the depth of imports.
const maxImports = 100

// An importStep is a value set on the path from the root to an import.
type importStep struct {
	vs   *r4.ValueSet
	name string // its canonical, "" when it has none
}

// A preparation is what prepare found out about a value set.
type preparation struct {
	used     []*codesystem.Index // that the value set uses, each once
	baseless []r4.Issue
	err      error
}

// prepare checks the parts of the value set before codes are checked: unknown imports, unsupported
// filters, missing supplements.
func (v *checker) prepare() error {
	key := keyOf(v.source, v.root)
	p := v.shared.prepared[key]
	if p == nil {
		walk := preparer{v: v, done: map[*r4.ValueSet]bool{}}
		p = &walk.preparation
		if p.err = walk.valueSet(v.root, nil); v.ctx.Err() != nil {
			return v.ctx.Err()
		}
		put(&v.shared.prepared, key, p)
	}
	v.baseless = p.baseless
	if p.err != nil {
		return p.err
	}
	return v.state.CheckSupplements(v.source.Supplements, p.used)
}

// A preparer makes a preparation.
type preparer struct {
	preparation
	v    *checker
	done map[*r4.ValueSet]bool
}

// valueSet checks the root or an import. path is the chain of imports.
func (p *preparer) valueSet(vs *r4.ValueSet, path []importStep) error {
	if err := p.v.ctx.Err(); err != nil {
		return err
	}
	here := importStep{vs, r4.JoinCanonical(vs.URL, vs.Version)}
	if slices.ContainsFunc(path, func(s importStep) bool { return s.vs == vs || s.name == here.name && s.name != "" }) {
		return circular(here, path)
	}
	if len(path) > maxImports {
		return fmt.Errorf("value set %s: %w", here.name, valueset.ErrImportDepth)
	}
	if p.done[vs] {
		return nil
	}
	path = append(path[:len(path):len(path)], here)
	if vs.Compose != nil {
		for i := range vs.Compose.Include {
			if err := p.include(vs, &vs.Compose.Include[i], "include", i, path); err != nil {
				return err
			}
		}
		for i := range vs.Compose.Exclude {
			if err := p.include(vs, &vs.Compose.Exclude[i], "exclude", i, path); err != nil {
				return err
			}
		}
	}
	p.done[vs] = true
	return nil
}

// circular returns the error of a value set that imports itself via path.
func circular(vs importStep, path []importStep) error {
	names := make([]string, len(path))
	for i := range path {
		names[i] = path[i].label()
	}
	return issue.ImportCycle.Failure(issue.ClassUnprocessable, valueset.ErrImportCycle, "", vs.label(), "["+strings.Join(names, ", ")+"]")
}

// label returns the name of a value set for messages; a contained one has only an id.
func (s importStep) label() string { return cmp.Or(s.name, "#"+s.vs.ID) }

// include checks an element of ValueSet.compose: list[i].
func (p *preparer) include(vs *r4.ValueSet, inc *r4.Include, list string, i int, path []importStep) error {
	if err := p.v.ctx.Err(); err != nil {
		return err
	}
	for _, canonical := range inc.ValueSet {
		imported, err := p.v.imported(vs, canonical)
		if err != nil {
			return err
		}
		if err := p.valueSet(imported, path); err != nil {
			return err
		}
	}
	if inc.System == "" {
		return nil
	}
	x, err := p.v.source.Codes(p.v.ctx, inc.System, p.v.source.Rules.Choose(inc.System, inc.Version), "")
	if err != nil || x == nil {
		return err
	}
	if !slices.Contains(p.used, x) {
		p.used = append(p.used, x)
	}
	for k := range inc.Filter {
		if err := p.filter(vs, x, &inc.Filter[k], fmt.Sprintf("ValueSet.compose.%s[%d].filter[%d]", list, i, k)); err != nil {
			return err
		}
	}
	return nil
}

// filter returns an error for a filter that cannot be evaluated. A filter by a code that the code
// system lacks selects nothing; the answer reports it.
func (p *preparer) filter(vs *r4.ValueSet, x *codesystem.Index, f *r4.Filter, expression string) error {
	if f.Value == "" {
		return issue.FilterWithoutValue.Failure(issue.ClassInvalid, codesystem.ErrBadFilterValue, expression, x.URL(), f.Property, f.Op)
	}
	_, err := p.v.shared.filter(p.v.source, vs, x, f)
	var constraint *valueset.ConstraintError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &constraint):
		return issue.InvalidConstraint.Failure(issue.ClassUnprocessable, err, "", constraint.Expression, constraint.Reason)
	case errors.Is(err, codesystem.ErrUnknownCode):
		p.baseless = append(p.baseless, issue.FilterCodeUnknown.Issue(expression, f.Property, f.Op, f.Value, r4.JoinCanonical(x.URL(), x.Version())))
		return nil
	case f.Op == "regex" && errors.Is(err, codesystem.ErrBadFilterValue):
		return issue.InvalidRegex.Failure(issue.ClassUnprocessable, err, expression, f.Value, err.Error())
	}
	return issue.FilterNotUnderstood.Failure(issue.ClassInvalid, err, expression, f.Property, f.Op, f.Value)
}

// reportBaseless reports filters by codes that the code system lacks: as warnings if the code is a
// member all the same, because another include has it. If such a filter is part of an exclude, it
// is unknown whether the code is excluded.
func (v *checker) reportBaseless(isMember bool) {
	for _, i := range v.baseless {
		if isMember && !strings.Contains(i.Expression[0], ".exclude[") {
			i.Severity = "warning"
		}
		v.say(i)
	}
}
