package engine

import (
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

func (v *validation) selected(f *finding, vs *r4.ValueSet, inc *r4.Include, x *codesystem.Index) (verdict, error) {
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
	in, listed, err := v.takes(inc, x, o)
	if err != nil || !in {
		return notMember, err
	}
	if err := v.found(f, x, o, listed); err != nil {
		return notMember, err
	}
	f.concept.ownLanguage = vs.Language
	if code := x.Code(o); code != f.code {
		v.normalized(f, code, x)
	}
	result := v.usable(f, vs, x, o, listed)
	if result == member {
		f.version = x.Version()
	}
	return result, nil
}

func (v *validation) takes(inc *r4.Include, x *codesystem.Index, o codesystem.Ord) (in bool, listed *r4.ConceptReference, err error) {
	if len(inc.Concept) > 0 {
		if listed = v.listed(inc, x, o); listed == nil {
			return false, nil, nil
		}
	}
	for k := range inc.Filter {
		if in, err := x.MatchFilter(v.ctx, inc.Filter[k], o); err != nil || !in {
			return false, nil, err
		}
	}
	return true, listed, nil
}

func (v *validation) listed(inc *r4.Include, x *codesystem.Index, o codesystem.Ord) *r4.ConceptReference {
	code := x.Code(o)
	for i := range inc.Concept {
		if inc.Concept[i].Code == code {
			return &inc.Concept[i]
		}
	}
	if x.CaseSensitive() {
		if r, _ := v.state.shelves[kindCodeSystem].find(x.URL(), x.Version()); r == nil || r.Grammar == nil {
			return nil
		}
	}
	for i := range inc.Concept {
		if found, ok := x.Find(inc.Concept[i].Code); ok && found == o {
			return &inc.Concept[i]
		}
	}
	return nil
}

func (v *validation) found(f *finding, x *codesystem.Index, o codesystem.Ord, listed *r4.ConceptReference) error {
	supplements, err := v.state.supplementsOf(x, v.source.supplements)
	if err != nil {
		return err
	}
	f.concept = concept{index: x, ord: o, display: x.Display(o), supplements: supplements}
	if listed != nil {
		f.concept.own = listed.Designation
		if listed.Display != "" {
			f.concept.display = listed.Display
		}
	}
	return nil
}

func (v *validation) normalized(f *finding, code string, x *codesystem.Index) {
	m := &msgCodeNotNormal
	if strings.EqualFold(code, f.code) {
		m = &msgCodeCase
	}
	v.issues.add(m.issue(at(f.path, "code"), f.code, code, r4.JoinCanonical(x.URL(), x.Version())))
	v.normal = code
}

const valueSetDeprecated = "http://hl7.org/fhir/StructureDefinition/valueset-deprecated"

func (v *validation) usable(f *finding, vs *r4.ValueSet, x *codesystem.Index, o codesystem.Ord, listed *r4.ConceptReference) verdict {
	expression := at(f.path, "code")
	switch {
	case x.Abstract(o) && v.noAbstract:
		if !v.membershipOnly {
			v.issues.add(msgAbstract.issue(expression, x.URL(), f.code))
		}
		return notMember
	case x.Inactive(o) && (v.activeOnly || activeOnly(vs)):
		return v.notActive(f, x, o)
	}
	v.flag(f, x, o)
	if status := listedStatus(listed); status != "" {
		v.issues.add(msgDeprecatedInValueSet.issue(expression, x.URL(), f.code, status, r4.JoinCanonical(vs.URL, vs.Version)))
	}
	return member
}

func activeOnly(vs *r4.ValueSet) bool {
	return vs.Compose != nil && vs.Compose.Inactive != nil && !*vs.Compose.Inactive
}

func (v *validation) notActive(f *finding, x *codesystem.Index, o codesystem.Ord) verdict {
	v.say(msgNotActive.issue(at(f.path, "code"), "not active", f.code))
	if !v.membershipOnly {
		v.flag(f, x, o)
	}
	return notMember
}

func listedStatus(listed *r4.ConceptReference) string {
	if listed == nil {
		return ""
	}
	if status := listed.Extension.Text(standardsStatus); status == "withdrawn" || status == "deprecated" {
		return status
	}
	if listed.Extension.Find(valueSetDeprecated) != nil {
		return "deprecated"
	}
	return ""
}
