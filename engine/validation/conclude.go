package validation

import (
	"slices"
	"strings"

	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/resolve"
	"github.com/roget-health/roget/resources/r4"
)

// result returns the answer for the findings about the codings.
func (v *checker) result(cc *r4.CodeableConcept, findings []finding) Result {
	best, first := choose(findings)
	overall := notMember
	for i := range findings {
		overall = max(overall, findings[i].verdict)
	}
	if best != nil && v.form == asConcept {
		v.relentUnknown(findings)
		if v.source.Under == resolve.Clinical {
			best = v.faultless(findings, best)
			v.relentOthers(best)
		}
	}
	v.reportBaseless(overall == member)
	if overall == notMember && v.wantsSummary(findings) {
		v.notFound(findings)
	}
	r := Result{
		Result:         overall == member && !v.issues.Failed(),
		NormalizedCode: v.normal,
	}
	shown := best
	if shown == nil && v.form != asConcept {
		shown = first
	}
	v.show(&r, shown)
	if !r.Result {
		r.UnknownSystems, r.Undecided = v.unknown, overall != notMember
	}
	v.reportFlagged(&r, shown)
	if v.form == asConcept {
		r.CodeableConcept = completed(cc, findings)
	}
	for _, i := range v.issues {
		if i.Severity == "error" {
			v.tell(i.Details.Text)
		}
	}
	slices.Sort(v.texts)
	r.Message = strings.Join(v.texts, "; ")
	r.Issues = v.issues
	return r
}

// reportFlagged reports the inactive or deprecated concept.
func (v *checker) reportFlagged(r *Result, shown *finding) {
	flagged := &v.flagged
	path := flagged.path
	if path == "" {
		path = "code"
	}
	switch {
	case !flagged.found:
	case flagged.inactive:
		if shown != nil && shown.path == flagged.path {
			r.Inactive = true
			if flagged.status != "inactive" {
				r.Status = flagged.status
			}
		}
		m := &issue.InactiveStatus
		if flagged.status == "inactive" || flagged.status == "DISCOURAGED" {
			m = &issue.Inactive
		}
		v.say(m.Issue(path, flagged.status, flagged.code))
	case flagged.status == "deprecated":
		r.Status = flagged.status
		v.say(issue.Deprecated.Issue(path, flagged.code))
	}
}

// choose returns the first coding that is a member (best), or nil, and the coding to answer about
// otherwise (first).
func choose(findings []finding) (best, first *finding) {
	for i := range findings {
		f := &findings[i]
		if f.verdict == member {
			return f, f
		}
		if first == nil && f.code != "" {
			first = f
		}
	}
	return nil, first
}

// show adds the coding of the answer to r.
func (v *checker) show(r *Result, f *finding) {
	if f == nil {
		return
	}
	r.Code, r.System, r.Version = f.code, f.systemName(), f.given.version
	if f.verdict == notMember {
		r.System = f.system
	}
	if f.version != "" {
		r.Version = f.version
	}
	if f.concept.Index != nil || f.concept.Display != "" {
		r.Display = f.concept.PickDisplay(&v.want)
		if r.Display == "" {
			r.Display = f.concept.Display
		}
	}
}

// wantsSummary reports whether to report that no coding is in the value set.
func (v *checker) wantsSummary(findings []finding) bool {
	if v.ofSystem {
		return !v.issues.Failed()
	}
	return v.form == asConcept || slices.ContainsFunc(findings, func(f finding) bool { return f.code != "" })
}

// notFound reports that no coding is in the value set.
func (v *checker) notFound(findings []finding) {
	if v.form == asConcept {
		v.say(issue.NoCodingInValueSet.Issue("", v.label()))
		return
	}
	for i := range findings {
		f := &findings[i]
		v.say(issue.NotInValueSet.Issue(at(f.path, "code"), f.label(), v.label()))
	}
}

// relentUnknown turns errors about unknown code systems of other codings into warnings, if one
// coding of a CodeableConcept is a member.
func (v *checker) relentUnknown(findings []finding) {
	for i := range findings {
		f := &findings[i]
		if f.verdict == member {
			continue
		}
		expression := at(f.path, "system")
		for k := range v.issues {
			is := &v.issues[k]
			if is.Severity != "error" || is.Code != "not-found" || !slices.Equal(is.Expression, []string{expression}) {
				continue
			}
			v.texts = slices.DeleteFunc(v.texts, func(s string) bool { return s == is.Details.Text })
			*is = issue.UnknownNotChecked.Issue(expression, r4.JoinCanonical(f.system, f.given.version))
			v.tell(is.Details.Text)
		}
	}
}

// relentOthers turns errors about codings other than the member into warnings: one member makes a
// CodeableConcept valid (clinical document 4.3). Under the rules of the ecosystem every error counts.
func (v *checker) relentOthers(best *finding) {
	for k := range v.issues {
		if i := &v.issues[k]; i.Severity == "error" && len(i.Expression) > 0 && !best.concerns(i) {
			i.Severity = "warning"
		}
	}
}

// faultless returns the first coding that is a member without an error, else the finding or.
func (v *checker) faultless(findings []finding, or *finding) *finding {
	for k := range findings {
		f := &findings[k]
		if f.verdict == member && !slices.ContainsFunc(v.issues, func(i r4.Issue) bool { return i.Severity == "error" && f.concerns(&i) }) {
			return f
		}
	}
	return or
}

// concerns reports whether an issue is about a coding or one of its elements.
func (f *finding) concerns(i *r4.Issue) bool {
	return len(i.Expression) > 0 && (i.Expression[0] == f.path || strings.HasPrefix(i.Expression[0], f.path+"."))
}

// completed returns a CodeableConcept in which codings have versions if they are in their code
// system, but not in the value set.
func completed(cc *r4.CodeableConcept, findings []finding) *r4.CodeableConcept {
	out := *cc
	out.Coding = slices.Clone(cc.Coding)
	for i := range findings {
		if f := &findings[i]; f.verdict != member && f.given.version == "" {
			out.Coding[i].Version = f.version
		}
	}
	return &out
}

// unprepared returns the answer for a value set or code system that cannot be used.
func (v *checker) unprepared(failure *issue.Failure, cc *r4.CodeableConcept) Result {
	r := Result{
		Issues: failure.Issues(), Message: issue.Texts(failure.Issues()), UnknownSystems: failure.Unknown, Undecided: true,
	}
	switch {
	case v.form == asConcept:
		r.CodeableConcept = cc
	case len(cc.Coding) > 0:
		c := &cc.Coding[0]
		r.System, r.Version, r.Code = c.System, c.Version, c.Code
		if c.System != "" && c.Version == "" {
			if record, _ := v.state.Shelf(catalog.KindCodeSystem).Find(c.System, v.source.Rules.Choose(c.System, "")); record != nil {
				r.Version = record.Header.Version
			}
		}
	}
	return r
}
