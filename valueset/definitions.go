package valueset

import (
	"context"
	"slices"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// CompareDefinitions compares two value sets by their definitions, without evaluating them
// completely. ok is false if the definitions are not sufficient; compile both and use Set.Compare
// then.
//
// It handles value sets of plain includes: a whole code system, listed codes, and filters. It
// does not handle imports of value sets, excludes, or systems used in several versions, unless
// only codes are listed and the policy treats versions as one. rulesOf is the table of rules for
// a single code system.
//
// By definition, a listed code is a member whether or not its code system contains it, and equal
// definitions are the same even if they select nothing. The Comparison contains the codes of the
// last code system of which both sides list codes, in alphabetical order.
//
// Errors are those of ctx.
func CompareDefinitions(ctx context.Context, src Source, this, other *r4.ValueSet, policy VersionPolicy) (c Comparison, ok bool, err error) {
	d := definitions{src: src, policy: policy}
	if !plain(this) || !plain(other) || activeOnly(this) != activeOnly(other) {
		return Comparison{}, false, nil
	}
	if d.add(ctx, this, (*sides).thisPart) && d.add(ctx, other, (*sides).otherPart) {
		c, ok = d.decide(ctx)
	}
	if err := ctx.Err(); err != nil {
		return Comparison{}, false, err
	}
	// Definitions do not show which codes are active. But equal sets have equal active codes.
	if ok && activeOnly(this) && c.Relation != Same {
		return Comparison{}, false, nil
	}
	return c, ok, nil
}

// plain reports whether a value set is a union of includes of code systems.
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

// definitions holds two value sets side by side, by code system.
type definitions struct {
	src     Source
	policy  VersionPolicy
	systems []*sides // in order of first use
}

// sides are the parts that two value sets select from one code system.
type sides struct {
	system string
	// index is the version of the system that both use, or one of several. It is nil if none is
	// loaded.
	index *codesystem.Index
	// version is the version of the index, or the requested version if it is not loaded.
	version       string
	manyVersions  bool
	versionNeeded bool
	supplements   []*codesystem.Index // that filters see
	this, other   definedPart
}

func (s *sides) thisPart() *definedPart  { return &s.this }
func (s *sides) otherPart() *definedPart { return &s.other }

// add adds one of the value sets. It returns false if a code system could not be loaded for a
// reason other than its absence, or if filters see different supplements.
func (d *definitions) add(ctx context.Context, vs *r4.ValueSet, side func(*sides) *definedPart) bool {
	for i := range vs.Compose.Include {
		inc := &vs.Compose.Include[i]
		x, err := resolve(ctx, d.src, inc.System, inc.Version)
		if err != nil && !isAbsent(err) {
			return false
		}
		supplements, err := supplementsFor(d.src, vs, x)
		s := d.system(inc, x, supplements)
		if err != nil || len(inc.Filter) > 0 && !slices.Equal(s.supplements, supplements) {
			return false
		}
		side(s).add(inc)
	}
	return true
}

// system returns the entry for the code system of an include. x is the version that it was
// resolved to, which has supplements.
func (d *definitions) system(inc *r4.Include, x *codesystem.Index, supplements []*codesystem.Index) *sides {
	version := inc.Version
	if x != nil {
		version = x.Version()
	}
	at := slices.IndexFunc(d.systems, func(s *sides) bool { return s.system == inc.System })
	if at < 0 {
		d.systems = append(d.systems, &sides{system: inc.System, index: x, version: version, supplements: supplements})
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

// versionsIrrelevant reports whether the result does not depend on the versions of the sides.
func (s *sides) versionsIrrelevant(policy VersionPolicy) bool {
	onlyCodes := func(p *definedPart) bool { return !p.whole && len(p.selections) == 0 }
	return !s.manyVersions ||
		onlyCodes(&s.this) && onlyCodes(&s.other) && !policy.apart(s.versionNeeded)
}

// listsBeyondIndex reports whether codes are listed in addition to all of a system that is loaded
// in part. These may be codes that the loaded part lacks.
func (s *sides) listsBeyondIndex(p *definedPart) bool {
	return p.whole && len(p.codes) > 0 && s.index != nil && !closed(s.index)
}

// decide combines the evidence of all code systems.
func (d *definitions) decide(ctx context.Context) (c Comparison, ok bool) {
	var sum evidence
	same := true
	for _, s := range d.systems {
		if !s.versionsIrrelevant(d.policy) || s.listsBeyondIndex(&s.this) || s.listsBeyondIndex(&s.other) {
			return Comparison{}, false
		}
		s.this.normalize(s.index)
		s.other.normalize(s.index)
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
