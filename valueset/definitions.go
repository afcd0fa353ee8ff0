package valueset

import (
	"context"
	"slices"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// CompareDefinitions compares two value sets by what their definitions say, without
// evaluating them as wholes. ok is false where the definitions do not tell; then
// compile both and use Set.Compare.
//
// It decides value sets of plain includes: all of a code system, codes listed, filters.
// It leaves alone imports of value sets, excludes, and systems that are drawn from in
// several versions, unless only codes are listed and the policy takes versions for one.
// What can be told of one code system is a table, rulesOf.
//
// By its definition, a listed code is a member whether its code system has it or not, and
// what is defined alike is the same, even where it selects nothing.
// Codes are given for the last code system of which both sides list codes, in
// alphabetical order.
//
// Errors are those of ctx.
func CompareDefinitions(ctx context.Context, src Source, this, other *r4.ValueSet, policy VersionPolicy) (c Comparison, ok bool, err error) {
	d := definitions{src: src, policy: policy}
	if !plain(this) || !plain(other) || activeOnly(this) != activeOnly(other) {
		return Comparison{}, false, nil
	}
	if d.add(ctx, this, (*sides).thisPortion) && d.add(ctx, other, (*sides).otherPortion) {
		c, ok = d.decide(ctx)
	}
	if err := ctx.Err(); err != nil {
		return Comparison{}, false, err
	}
	// Which of the codes are active is not in the definitions, but the same codes have the
	// same active ones.
	if ok && activeOnly(this) && c.Relation != Same {
		return Comparison{}, false, nil
	}
	return c, ok, nil
}

// plain reports that a value set is a union of includes of code systems.
func plain(vs *r4.ValueSet) bool {
	if vs.Compose == nil || len(vs.Compose.Include) == 0 || len(vs.Compose.Exclude) > 0 {
		return false
	}
	return !slices.ContainsFunc(vs.Compose.Include, func(inc r4.Include) bool {
		_, err := checkInclude(&inc)
		return err != nil || len(inc.ValueSet) > 0
	})
}

func activeOnly(vs *r4.ValueSet) bool {
	return vs.Compose.Inactive != nil && !*vs.Compose.Inactive
}

// definitions are two value sets side by side, code system by code system.
type definitions struct {
	src     Source
	policy  VersionPolicy
	systems []*sides // in order of first use
}

// sides are what the two value sets take from one code system.
type sides struct {
	system string
	// index is the version of the system both draw from, or one of those they do; nil when
	// none is loaded.
	index *codesystem.Index
	// version is that of the index, or the one asked for when it is not loaded.
	version       string
	manyVersions  bool
	versionNeeded bool
	this, other   portion
}

func (s *sides) thisPortion() *portion  { return &s.this }
func (s *sides) otherPortion() *portion { return &s.other }

// add takes in one of the value sets. It is false when a code system cannot be had for
// another reason than that it is not there.
func (d *definitions) add(ctx context.Context, vs *r4.ValueSet, side func(*sides) *portion) bool {
	for i := range vs.Compose.Include {
		inc := &vs.Compose.Include[i]
		x, err := resolve(ctx, d.src, inc.System, inc.Version)
		if err != nil && !isAbsent(err) {
			return false
		}
		side(d.system(inc, x)).add(inc)
	}
	return true
}

// system finds the code system of an include, x being the version it is resolved to.
func (d *definitions) system(inc *r4.Include, x *codesystem.Index) *sides {
	version := inc.Version
	if x != nil {
		version = x.Version()
	}
	at := slices.IndexFunc(d.systems, func(s *sides) bool { return s.system == inc.System })
	if at < 0 {
		d.systems = append(d.systems, &sides{system: inc.System, index: x, version: version})
		at = len(d.systems) - 1
	}
	s := d.systems[at]
	if s.version != version || (s.index == nil) != (x == nil) {
		s.manyVersions = true
	}
	if s.index == nil {
		s.index = x
	}
	s.versionNeeded = s.versionNeeded || x != nil && x.Header().VersionNeeded
	return s
}

// oneVersion reports that it does not matter which versions the sides draw from.
func (s *sides) oneVersion(policy VersionPolicy) bool {
	onlyCodes := func(p *portion) bool { return !p.whole && len(p.selections) == 0 }
	return !s.manyVersions ||
		onlyCodes(&s.this) && onlyCodes(&s.other) && !policy.apart(s.versionNeeded)
}

// beyond reports that codes are listed besides all of a system that is loaded in part:
// they may be codes that the part has not.
func (s *sides) beyond(p *portion) bool {
	return p.whole && len(p.codes) > 0 && s.index != nil && !closed(s.index)
}

// decide adds up what is known of each code system.
func (d *definitions) decide(ctx context.Context) (c Comparison, ok bool) {
	var sum evidence
	same := true
	for _, s := range d.systems {
		if !s.oneVersion(d.policy) || s.beyond(&s.this) || s.beyond(&s.other) {
			return Comparison{}, false
		}
		s.this.tidy(s.index)
		s.other.tidy(s.index)
		e, ok := s.decide(ctx, &c)
		if !ok {
			return Comparison{}, false
		}
		sum = sum.and(e)
		same = same && s.this.whole == s.other.whole && (s.this.whole || identical(&s.this, &s.other))
	}
	if c.Relation, ok = sum.relation(); same && c.Relation == Empty {
		c.Relation = Same
	}
	return c, ok
}
