package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// usable gives the part of a value set that can be evaluated for a code although some
// other include needs a code system that is not there: the includes and excludes of
// the code's own system. nil when nothing is left.
func (v *validator) usable(ctx context.Context, t *target, system string) (*valueset.Set, error) {
	vs, err := t.definition()
	if err != nil {
		return nil, err
	}
	if system == "" || vs.Compose == nil {
		return nil, nil
	}
	other := func(i r4.Include) bool { return i.System != system || len(i.ValueSet) > 0 }
	if slices.ContainsFunc(vs.Compose.Exclude, func(i r4.Include) bool { return len(i.ValueSet) > 0 }) {
		return nil, nil
	}
	part, compose := *vs, *vs.Compose
	compose.Include = slices.DeleteFunc(slices.Clone(compose.Include), other)
	compose.Exclude = slices.DeleteFunc(slices.Clone(compose.Exclude), other)
	if len(compose.Include) == 0 {
		return nil, nil
	}
	part.Compose = &compose
	set, err := valueset.Compile(ctx, v.source, &part, nil)
	if err != nil && isUnknownSystem(err) {
		return nil, nil
	}
	return set, err
}

// ambiguous answers for a code without a system that several systems have.
func (v *validator) ambiguous(set *valueset.Set, g *given) ValidateCodeResult {
	r := ValidateCodeResult{Code: g.code}
	var systems []string
	for _, e := range set.Infer(g.code) {
		if !slices.Contains(systems, e.System) {
			systems = append(systems, e.System)
		}
	}
	r.fail(issue("error", "invalid", "cannot-infer", msgAmbiguous(g.code, systems), g.at.element("code")))
	return r
}

// absent answers for a code that is not a member, and finds out why.
func (v *validator) absent(ctx context.Context, set *valueset.Set, g *given) ValidateCodeResult {
	r := ValidateCodeResult{Code: g.code, System: g.system, Version: g.version}
	if v.broken != nil {
		r.fail(issue("error", "not-found", "not-found", msgCannotEvaluate(v.label, v.broken), ""))
	}
	fragment := false
	if g.system != "" {
		fragment = v.lookInSystem(ctx, &r, set, g)
	}
	if fragment {
		r.Result = true
		return r
	}
	if v.broken == nil {
		r.fail(issue("error", "code-invalid", "not-in-vs", msgNotInValueSet(g, v.label), g.at.element("code")))
	}
	return r
}

// lookInSystem tells what the code system has to say of a code that is not a member.
// It reports true for a code that may be valid: it is not in the loaded fragment of a
// system of which the value set takes everything.
func (v *validator) lookInSystem(ctx context.Context, r *ValidateCodeResult, set *valueset.Set, g *given) bool {
	if set != nil && g.version != "" {
		if other, ok := set.Contains(g.system, "", g.code); ok && other.Version != "" {
			r.fail(issue("error", "invalid", "vs-invalid", msgOtherVersion(g, other.Version), g.at.element("version")))
		}
	}
	x, err := v.source.CodeSystem(ctx, g.system, g.version)
	if err != nil {
		r.fail(v.state.unknownSystem(g, err))
		return false
	}
	r.Version = x.Version()
	o, ok := x.Find(g.code)
	if ok {
		r.Display = x.Display(o)
		c := concept{index: x, ord: o, display: r.Display}
		r.Display = c.pickDisplay(v.want)
		return false
	}
	if x.Header().Content == "fragment" && set != nil {
		if m := set.Members(x); m != nil && int(m.GetCardinality()) == x.Len() {
			r.hint(issue("warning", "code-invalid", "invalid-code", msgFragment(g.code, x), g.at.element("code")))
			return true
		}
	}
	r.fail(issue("error", "code-invalid", "invalid-code", msgUnknownCode(g.code, x), g.at.element("code")))
	v.state.hintMalformed(r, g.system, g.version, g.code)
	return false
}

// unknownSystem is the issue of a code whose system cannot be asked.
func (st *state) unknownSystem(g *given, err error) r4.Issue {
	at := g.at.element("system")
	switch {
	case errors.Is(err, ErrNoContent):
		return issue("error", "not-found", "not-found", msgNoContent(g.system), at)
	case errors.Is(err, ErrUnknownSystem) || errors.Is(err, ErrUnknownVersion):
		for _, list := range st.supplements.all() {
			if slices.ContainsFunc(list, func(r *record) bool { return r.Header.URL == g.system }) {
				return issue("error", "invalid", "invalid-data", msgSupplement(g.system), at)
			}
		}
		return issue("error", "not-found", "not-found", msgUnknownSystem(g.system, g.version, st.shelves[kindCodeSystem].versions(g.system)), at)
	}
	return issue("error", "exception", "not-found", err.Error(), at)
}

// acceptsDisplay reports that a display is one of the concept's: its display in the
// value set or the system, or a designation in any language. Case and white space do
// not count.
func (c *concept) acceptsDisplay(display string) bool {
	if sameText(display, c.display) {
		return true
	}
	if c.index != nil && sameText(display, c.index.Display(c.ord)) {
		return true
	}
	for d := range c.designations {
		if sameText(display, d.Value) {
			return true
		}
	}
	return false
}

// validDisplays lists displays for a message: the best one for the languages asked
// for, then the others, not too many.
func (c *concept) validDisplays(want languages) []string {
	const most = 5
	var list []string
	add := func(s string) {
		if s != "" && len(list) < most && !slices.ContainsFunc(list, func(t string) bool { return sameText(s, t) }) {
			list = append(list, s)
		}
	}
	add(c.pickDisplay(want))
	add(c.display)
	if c.index != nil {
		add(c.index.Display(c.ord))
	}
	for d := range c.designations {
		add(d.Value)
	}
	return list
}
