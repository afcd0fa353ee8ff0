package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// maxImports is how deep value sets may import each other.
const maxImports = 100

// prepare looks at everything a value set is made of before a code is checked: imports
// that are not there, filters that nobody understands, supplements that are missing.
// path are the canonicals that led here.
func (v *validation) prepare(vs *r4.ValueSet, path []string) error {
	if name := r4.JoinCanonical(vs.URL, vs.Version); name != "" {
		if slices.Contains(path, name) {
			return msgImportCycle.failure(statusUnprocessable, valueset.ErrImportCycle, "", name, "["+strings.Join(path, ", ")+"]")
		}
		if len(path) > maxImports {
			return fmt.Errorf("value set %s: %w", name, valueset.ErrImportDepth)
		}
		path = append(path[:len(path):len(path)], name)
	}
	if vs.Compose != nil {
		for i := range vs.Compose.Include {
			if err := v.prepareInclude(vs, &vs.Compose.Include[i], fmt.Sprintf("ValueSet.compose.include[%d]", i), path); err != nil {
				return err
			}
		}
		for i := range vs.Compose.Exclude {
			if err := v.prepareInclude(vs, &vs.Compose.Exclude[i], fmt.Sprintf("ValueSet.compose.exclude[%d]", i), path); err != nil {
				return err
			}
		}
	}
	if vs == v.root {
		return v.state.checkSupplements(v.source.supplements, v.used)
	}
	return nil
}

func (v *validation) prepareInclude(vs *r4.ValueSet, inc *r4.Include, expression string, path []string) error {
	for _, canonical := range inc.ValueSet {
		imported, err := v.imported(vs, canonical)
		if err != nil {
			return err
		}
		if err := v.prepare(imported, path); err != nil {
			return err
		}
	}
	if inc.System == "" {
		return nil
	}
	x, err := v.source.codes(v.ctx, inc.System, v.source.rules.choose(inc.System, inc.Version), "")
	if err != nil || x == nil {
		return err
	}
	v.used = append(v.used, x)
	for k := range inc.Filter {
		if err := checkFilter(x, &inc.Filter[k], fmt.Sprintf("%s.filter[%d]", expression, k)); err != nil {
			return err
		}
	}
	return nil
}

// checkFilter reports a filter that cannot be evaluated.
func checkFilter(x *codesystem.Index, f *r4.Filter, expression string) error {
	if f.Value == "" {
		return msgFilterWithoutValue.failure(statusInvalid, codesystem.ErrBadFilterValue, expression, x.URL(), f.Property, f.Op)
	}
	_, err := x.CompileFilter(*f)
	switch {
	case err == nil:
		return nil
	case f.Op == "regex" && errors.Is(err, codesystem.ErrBadFilterValue):
		return msgInvalidRegex.failure(statusUnprocessable, err, expression, f.Value, err.Error())
	}
	return msgFilterNotUnderstood.failure(statusInvalid, err, expression, f.Property, f.Op, f.Value)
}

// imported finds a value set that vs imports. One that is not there is an answer, not a
// failure of the request.
func (v *validation) imported(vs *r4.ValueSet, canonical string) (*r4.ValueSet, error) {
	if id, ok := strings.CutPrefix(canonical, "#"); ok {
		inner, err := valueset.Contained(vs, id)
		if err == nil {
			inner.Contained = vs.Contained
			return inner, nil
		}
	} else {
		t, err := v.source.target("valueSet", canonical, "")
		if err == nil {
			return t.definition()
		}
		if !errors.Is(err, ErrUnknownValueSet) {
			return nil, err
		}
	}
	url, version, err := splitVersioned("valueSet", canonical, "")
	if err != nil {
		return nil, err
	}
	name := r4.JoinCanonical(url, v.source.rules.chooseValueSet(url, version))
	return nil, answerable(ErrUnknownValueSet, msgUnknownValueSet.issue("", name))
}
