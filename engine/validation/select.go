package validation

import (
	"errors"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

// selected returns whether an include selects a code of its code system, and reports why the code
// may not be used.
func (v *checker) selected(f *finding, vs *r4.ValueSet, inc *r4.Include, x *codesystem.Index) (verdict, error) {
	o, ok := x.Find(f.code)
	if !ok {
		if len(inc.Concept) > 0 || len(inc.Filter) > 0 || v.membershipOnly {
			return notMember, nil
		}
		v.unknownCode(x, f)
		if isPart(x) {
			f.version = x.Version()
			return member, nil
		}
		return notMember, nil
	}
	in, listed, err := v.takes(vs, inc, x, o)
	if err != nil || !in {
		return notMember, err
	}
	if err := v.found(f, x, o, listed); err != nil {
		return notMember, err
	}
	f.concept.OwnLanguage = vs.Language
	if code := x.Code(o); code != f.code {
		v.normalized(f, code, x)
	}
	result := v.usable(f, vs, x, o, listed)
	if result == member {
		f.version = x.Version()
	}
	return result, nil
}

// takes reports whether an include of a value set selects a concept. listed is its entry in the list
// of the include, if there is one.
func (v *checker) takes(vs *r4.ValueSet, inc *r4.Include, x *codesystem.Index, o codesystem.Ord) (in bool, listed *r4.ConceptReference, err error) {
	if len(inc.Concept) > 0 {
		if listed = v.listed(inc, x, o); listed == nil {
			return false, nil, nil
		}
	}
	for k := range inc.Filter {
		filter, err := v.shared.filter(v.source, vs, x, &inc.Filter[k])
		if err != nil {
			if errors.Is(err, codesystem.ErrUnknownCode) { // see preparer.filter
				err = nil
			}
			return false, nil, err
		}
		if in, err := filter.Contains(v.ctx, o); err != nil || !in {
			return false, nil, err
		}
	}
	return true, listed, nil
}

// listed returns the entry of a concept in the list of an include, or nil. An entry with the code
// as the code system writes it is preferred.
func (v *checker) listed(inc *r4.Include, x *codesystem.Index, o codesystem.Ord) *r4.ConceptReference {
	if entry := v.shared.entry(inc, x.Code(o)); entry != nil {
		return entry
	}
	r, _ := v.state.Shelf(catalog.KindCodeSystem).Find(x.URL(), x.Version())
	isGrammar := r != nil && r.Grammar != nil
	if x.CaseSensitive() && !isGrammar {
		return nil
	}
	return v.shared.variant(inc, x, o, !isGrammar)
}

// normalized reports that the code system writes a code differently.
func (v *checker) normalized(f *finding, code string, x *codesystem.Index) {
	m := &issue.CodeNotNormal
	if strings.EqualFold(code, f.code) {
		m = &issue.CodeCase
	}
	v.issues.Add(m.Issue(at(f.path, "code"), f.code, code, r4.JoinCanonical(x.URL(), x.Version())))
	v.normal = code
}

// valueSetDeprecated is the extension of a listed concept that should no longer be used.
const valueSetDeprecated = "http://hl7.org/fhir/StructureDefinition/valueset-deprecated"

// usable returns whether a selected concept may be used.
func (v *checker) usable(f *finding, vs *r4.ValueSet, x *codesystem.Index, o codesystem.Ord, listed *r4.ConceptReference) verdict {
	expression := at(f.path, "code")
	switch {
	case x.Abstract(o) && v.noAbstract:
		if !v.membershipOnly {
			v.issues.Add(issue.Abstract.Issue(expression, x.URL(), f.code))
		}
		return notMember
	case x.Inactive(o) && (v.activeOnly || activeOnly(vs)):
		return v.notActive(f, x, o)
	}
	v.flag(f, x, o)
	if status := listedStatus(listed); status != "" {
		v.issues.Add(issue.DeprecatedInValueSet.Issue(expression, x.URL(), f.code, status, r4.JoinCanonical(vs.URL, vs.Version)))
	}
	return member
}

// activeOnly reports whether a value set excludes inactive concepts.
func activeOnly(vs *r4.ValueSet) bool {
	return vs.Compose != nil && vs.Compose.Inactive != nil && !*vs.Compose.Inactive
}

// notActive reports that a concept is not a member because it is inactive.
func (v *checker) notActive(f *finding, x *codesystem.Index, o codesystem.Ord) verdict {
	v.say(issue.NotActive.Issue(at(f.path, "code"), "not active", f.code))
	if !v.membershipOnly {
		v.flag(f, x, o)
	}
	return notMember
}

// listedStatus returns the status of a listed concept if it needs a warning.
func listedStatus(listed *r4.ConceptReference) string {
	if listed == nil {
		return ""
	}
	if status := listed.Extension.Text(issue.StandardsStatus); status == "withdrawn" || status == "deprecated" {
		return status
	}
	if listed.Extension.Find(valueSetDeprecated) != nil {
		return "deprecated"
	}
	return ""
}
