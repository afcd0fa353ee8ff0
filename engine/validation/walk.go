package validation

import (
	"errors"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/expression"
	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/language"
	"github.com/roget-health/roget/engine/resolve"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// check checks a coding against a value set.
func (v *checker) check(f *finding, vs *r4.ValueSet) (verdict, error) {
	switch {
	case f.system == "" && !v.infer:
		v.say(issue.NoSystem.Issue(f.path))
		return notMember, nil
	case f.systemName() == "":
		if err := v.inferSystem(f, vs); err != nil || f.inferred == "" {
			return notMember, err
		}
	}
	if vs.Compose == nil {
		return v.checkStored(f, vs)
	}
	includes := v.shared.layout(vs).of(f.systemName())
	choice := includeChoice{}
	var err error
	if choice.only, err = v.versionThatHas(f, includes); err != nil {
		return notMember, err
	}
	choice.exact = f.given.version != "" && requires(includes, f.systemName(), f.given.version)
	result := notMember
	before := len(v.issues)
	var stopped *issueCount
	for _, inc := range includes {
		if err := v.mayGoOn(); err != nil {
			return notMember, err
		}
		here := len(v.issues)
		verdict, err := v.include(f, vs, inc, choice)
		if err != nil {
			return notMember, err
		}
		if verdict == member {
			if verdict, err = v.taken(f, vs); err != nil {
				return notMember, err
			}
		}
		if result = max(result, verdict); result == member {
			v.forgive(before, here)
			return member, nil
		}
		if verdict == undecided && inc.System != "" && stopped == nil {
			stopped = &issueCount{len(v.issues), len(v.texts)}
		}
	}
	if stopped != nil { // report only that a code system is unknown
		v.issues, v.texts = v.issues[:stopped.issues], v.texts[:stopped.texts]
	}
	return result, nil
}

// inferSystem infers the system of a code from the value set.
func (v *checker) inferSystem(f *finding, vs *r4.ValueSet) error {
	var systems []string
	src := v.source
	if v.mayUseGrammar(vs) || expression.Composed(f.code) {
		var err error
		if src, err = src.About(v.ctx, resolve.Asked{Code: f.code}); err != nil {
			return err
		}
	}
	tolerant := *src // a version that is not allowed is reported when the code is looked up
	tolerant.Rules = src.Rules.Unchecked()
	set, err := v.compiled(&tolerant, vs)
	switch {
	case err == nil:
		for _, e := range set.Infer(f.code) {
			if !slices.Contains(systems, e.System) {
				systems = append(systems, e.System)
			}
		}
	case !resolve.IsUnknownSystem(err) && !errors.Is(err, codesystem.ErrUnknownCode): // see preparer.filter
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

// compiled returns a compiled value set.
func (v *checker) compiled(s *resolve.Source, vs *r4.ValueSet) (*valueset.Set, error) {
	key := keyOf(s, vs)
	if c, kept := v.shared.set(key); kept {
		return c.set, c.err
	}
	c := compiledSet{key: key}
	if vs == v.root {
		c.set, c.err = s.Compiled(v.ctx, v.target, nil)
	} else {
		c.set, c.err = valueset.Compile(v.ctx, s, vs, nil)
	}
	if v.ctx.Err() == nil {
		v.shared.keep(c)
	}
	return c.set, c.err
}

// mayUseGrammar reports whether a grammar may define codes of a value set.
func (v *checker) mayUseGrammar(vs *r4.ValueSet) bool {
	if vs != v.root {
		return true
	}
	key := keyOf(v.source, vs)
	may, known := v.shared.grammars[key]
	if !known {
		may = v.source.MayUseGrammar(v.target)
		put(&v.shared.grammars, key, may)
	}
	return may
}

// taken returns whether a coding that an include selects stays in the value set, that is, no
// exclude removes it. Another include may still select it, in another version of its system.
func (v *checker) taken(f *finding, vs *r4.ValueSet) (verdict, error) {
	if x := f.concept.Index; x != nil && x.Inactive(f.concept.Ord) && activeOnly(vs) { // of an import
		return v.notActive(f, x, f.concept.Ord), nil
	}
	for i := range vs.Compose.Exclude {
		if err := v.ctx.Err(); err != nil {
			return notMember, err
		}
		out, err := v.exclude(f, vs, &vs.Compose.Exclude[i])
		if err != nil || out {
			return notMember, err
		}
	}
	return member, nil
}

// An issueCount is the number of issues and texts at some point.
type issueCount struct{ issues, texts int }

// forgive removes the errors among the issues with indexes from from to to: they are from includes
// that do not have a code which another include has.
func (v *checker) forgive(from, to int) {
	kept := v.issues[:from]
	for i, said := range v.issues[from:] {
		if from+i < to && said.Severity == "error" {
			v.texts = slices.DeleteFunc(v.texts, func(s string) bool { return s == said.Details.Text })
			continue
		}
		kept = append(kept, said)
	}
	v.issues = kept
}

// An includeChoice says which of several includes of a code system concern a coding.
type includeChoice struct {
	only  string // the version to use if several are included, "" for any
	exact bool   // only includes that require the version of the coding, or any
}

// concerns reports whether an include of the system of a coding concerns the coding.
func (c includeChoice) concerns(inc *r4.Include, f *finding) bool {
	return (c.only == "" || inc.Version == c.only) && (!c.exact || catalog.MatchVersion(inc.Version, f.given.version))
}

// include checks a coding against one include.
func (v *checker) include(f *finding, vs *r4.ValueSet, inc *r4.Include, choice includeChoice) (verdict, error) {
	result := notMember
	switch {
	case inc.System == "":
		result = member
	case inc.System == f.systemName() && choice.concerns(inc, f):
		var err error
		if result, err = v.includeSystem(f, vs, inc); err != nil || result == undecided {
			return result, err
		}
	}
	for _, canonical := range inc.ValueSet {
		imported, err := v.imported(vs, canonical)
		if err != nil {
			return notMember, err
		}
		v.reportStatus("ValueSet", &imported.Header, &vs.Header)
		if result == member {
			if result, err = v.checkImport(f, imported); err != nil {
				return notMember, err
			}
		}
	}
	return result, nil
}

// checkImport is check for an imported value set. It is checked only once, even if it is imported
// several times.
func (v *checker) checkImport(f *finding, vs *r4.ValueSet) (verdict, error) {
	if result, ok := f.asked[vs]; ok {
		return result, nil
	}
	result, err := v.check(f, vs)
	if err == nil {
		if f.asked == nil {
			f.asked = map[*r4.ValueSet]verdict{}
		}
		f.asked[vs] = result
	}
	return result, err
}

// includeSystem checks a coding against the code system of an include.
func (v *checker) includeSystem(f *finding, vs *r4.ValueSet, inc *r4.Include) (verdict, error) {
	choice := chooseForCoding(v.source, inc.System, inc.Version, f.given.version)
	v.reportMismatch(f, inc, &choice)
	x, err := v.system(f.code, inc.System, choice.version, f.path)
	if err != nil {
		return notMember, err
	}
	if x == nil {
		f.absent = true
		if !v.source.Strict() {
			if entry := v.shared.entry(inc, f.code); entry != nil {
				return v.takenAsListed(f, inc.Version, choice.version, entry.Display, entry.Designation), nil
			}
		}
		if v.membershipOnly {
			return notMember, nil
		}
		v.unknownSystem(inc.System, choice.version, f.path)
		return undecided, nil
	}
	v.reportStatus("CodeSystem", &x.Header().Header, &vs.Header)
	return v.selected(f, vs, inc, x)
}

// takenAsListed accepts a code that a value set lists of an unknown code system, in a version or in
// none. asked is the version that was looked for.
func (v *checker) takenAsListed(f *finding, version, asked, display string, designations []r4.Designation) verdict {
	f.concept = language.Concept{Display: display, Own: designations}
	f.version = version
	if !v.membershipOnly {
		_, warning := unknownSystem(v.state, f.systemName(), asked, at(f.path, "system"))
		warning.Severity = "warning"
		v.say(warning)
	}
	return member
}

// asExpanded returns the verdict about a coding of an unknown code system, of which only listed
// codes can be members: that of the expansion. walked is the verdict of the walk through the
// definition, and before and unknown are the numbers of issues and unknown systems ahead of it. A
// value set that cannot be expanded leaves it.
func (v *checker) asExpanded(f *finding, walked verdict, before, unknown int) (verdict, error) {
	set, err := v.compiled(v.source, v.root)
	if err != nil {
		return walked, v.ctx.Err()
	}
	version := ""
	if walked != member {
		version = f.given.version
	}
	entry, ok, err := set.Find(f.systemName(), version, f.code)
	switch {
	case err != nil || ok == (walked == member):
		return walked, err
	case !ok:
		return notMember, nil
	case entry.Index != nil:
		return walked, nil
	}
	v.forgive(before, len(v.issues))
	v.unknown = v.unknown[:unknown]
	return v.takenAsListed(f, entry.Version, entry.Version, entry.Own(), entry.Designations()), nil
}

// isOneList reports whether a compose is one include without imports, about which the walk and the
// expansion agree.
func isOneList(c *r4.Compose) bool {
	return c != nil && len(c.Include) == 1 && len(c.Exclude) == 0 && len(c.Include[0].ValueSet) == 0
}

// exclude reports whether an exclude removes a coding.
func (v *checker) exclude(f *finding, vs *r4.ValueSet, exc *r4.Include) (bool, error) {
	if exc.System != "" {
		if exc.System != f.systemName() {
			return false, nil
		}
		version := v.source.Rules.Choose(exc.System, exc.Version)
		switch {
		case version == "": // as it is included
			version = f.version
		case !catalog.MatchVersion(version, f.version) && !v.shared.layout(vs).merges:
			return false, nil
		}
		x, err := v.system(f.code, exc.System, version, f.path)
		if err != nil {
			return false, err
		}
		if x == nil {
			f.absent = true
			if v.shared.entry(exc, f.code) == nil && len(exc.Concept) > 0 {
				return false, nil // a list needs no code system
			}
			v.unknownSystem(exc.System, version, f.path)
			return true, nil
		}
		v.reportStatus("CodeSystem", &x.Header().Header, &vs.Header)
		o, ok := x.Find(f.code)
		if !ok {
			return false, nil
		}
		if in, _, err := v.takes(vs, exc, x, o); err != nil || !in {
			return false, err
		}
	}
	for _, canonical := range exc.ValueSet {
		imported, err := v.imported(vs, canonical)
		if err != nil {
			return false, err
		}
		v.reportStatus("ValueSet", &imported.Header, &vs.Header)
		if f.excluded == nil {
			f.excluded = map[*r4.ValueSet]verdict{}
		}
		silent, copied := *v, *f
		silent.issues, silent.texts, copied.asked = nil, nil, f.excluded
		result, err := silent.checkImport(&copied, imported)
		f.absent = f.absent || copied.absent
		if err != nil || result != member {
			return false, err
		}
	}
	return true, nil
}

// checkStored checks a coding against a value set that has only an expansion.
func (v *checker) checkStored(f *finding, vs *r4.ValueSet) (verdict, error) {
	set, err := v.compiled(v.source, vs)
	if err != nil {
		return notMember, err
	}
	entry, ok, err := set.Find(f.systemName(), f.given.version, f.code)
	if err != nil || !ok {
		return notMember, err
	}
	if entry.Index == nil {
		v.unknownSystem(f.systemName(), f.given.version, f.path)
		return undecided, nil
	}
	if err := v.found(f, entry.Index, entry.Concept, nil); err != nil {
		return notMember, err
	}
	f.version = entry.Index.Version()
	v.reportStatus("CodeSystem", &entry.Index.Header().Header, &vs.Header)
	return v.usable(f, vs, entry.Index, entry.Concept, nil), nil
}
