package search

import (
	"context"
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/r4"
)

// checkEvery is after how many values, of a record or of a criterion, Match checks its context.
const checkEvery = 128

// Match reports whether a record with the values v meets a criterion. The record needs no Body.
// Errors are those of the Terminology and Reader of env, an *Error for unavailable sets of codes,
// and ctx.Err().
func (c *Criterion) Match(ctx context.Context, rec *index.Record, v index.View, env *Env) (bool, error) {
	switch {
	case c.Chain != nil:
		return env.chain(ctx, c.Chain, v)
	case c.Has != nil:
		return env.has(ctx, c.Has, rec, v)
	case c.Group != nil:
		return c.Group.match(ctx, rec, v, env)
	}
	for i := range c.Alternatives {
		if (i+1)%checkEvery == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		match, err := c.alternative(ctx, &c.Alternatives[i], rec, v, env)
		if err != nil {
			return false, err
		}
		if match {
			return !c.Modifier.Negative(), nil
		}
	}
	return c.Modifier.Negative(), nil
}

// Negative reports whether a criterion with the modifier is met if no alternative matches.
func (m Modifier) Negative() bool { return m == Not || m == NotIn }

// MatchAll reports whether a record meets all criteria.
func MatchAll(ctx context.Context, criteria []Criterion, rec *index.Record, v index.View, env *Env) (bool, error) {
	for i := range criteria {
		if match, err := criteria[i].Match(ctx, rec, v, env); !match || err != nil {
			return false, err
		}
	}
	return true, nil
}

// alternative reports whether a record has a value that matches an alternative.
func (c *Criterion) alternative(ctx context.Context, a *Alternative, rec *index.Record, v index.View, env *Env) (bool, error) {
	if ofRecord(a.Param) {
		return a.matchRecord(c.Modifier, rec), nil
	}
	return c.ofValues(ctx, a, v.Encoded(a.Param.Number), env)
}

// ofValues reports whether one of the encoded values of a parameter matches an alternative.
func (c *Criterion) ofValues(ctx context.Context, a *Alternative, encoded []byte, env *Env) (bool, error) {
	if c.Modifier == Missing {
		return a.Missing != (len(encoded) > 0), nil
	}
	var set r4.Codes
	switch c.Modifier {
	case In, NotIn, ECL, Below, Above:
		if a.Kind == definitions.Reference {
			return env.inHierarchy(ctx, c.Modifier, a, encoded)
		}
		if a.Kind != definitions.Token {
			break
		}
		var err error
		if set, err = env.Codes(ctx, c.Modifier, a); err != nil {
			return false, err
		}
	}
	if set != nil {
		if match, known := env.inSet(a, encoded); known {
			return match, nil
		}
		match, err := c.anyValue(ctx, a, encoded, set)
		if err == nil {
			env.noteInSet(a, encoded, match)
		}
		return match, err
	}
	return c.anyValue(ctx, a, encoded, set)
}

// anyValue reports whether one of the values of a resource matches an alternative.
func (c *Criterion) anyValue(ctx context.Context, a *Alternative, encoded []byte, set r4.Codes) (bool, error) {
	n := 0
	for value := range index.Decode(encoded) {
		if a.matches(c.Modifier, &value, set) {
			return true, nil
		}
		if n++; n%checkEvery == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
	}
	return false, nil
}

// ofRecord reports whether a parameter is about the record rather than its values.
func ofRecord(p *definitions.SearchParam) bool { return p.Code == "_id" || p.Code == "_lastUpdated" }

// matchRecord decides _id and _lastUpdated.
func (a *Alternative) matchRecord(m Modifier, rec *index.Record) bool {
	if m == Missing {
		return !a.Missing
	}
	if a.Kind == definitions.Date {
		at := rec.LastUpdated.UnixMilli()
		return a.Time.Holds(a.Prefix, index.Span[int64]{Low: at, High: at + 1})
	}
	return (m == Plain || m == Not) && a.Token.matches(&index.Value{Kind: index.Token, Code: rec.ID})
}

// matches reports whether a value matches. set is the set of codes for modifiers that need one.
func (a *Alternative) matches(m Modifier, v *index.Value, set r4.Codes) bool {
	switch a.Kind {
	case definitions.Token:
		return v.Kind == index.Token && a.matchToken(m, v, set)
	case definitions.String:
		return v.Kind == index.String && a.matchString(m, v)
	case definitions.URI:
		return v.Kind == index.URI && a.matchURI(m, v)
	case definitions.Date:
		return v.Kind == index.Date && a.Time.Holds(a.Prefix, v.Time)
	case definitions.Number:
		return v.Kind == index.NumberKind && a.Number.Holds(a.Prefix, v.Number)
	case definitions.Quantity:
		return v.Kind == index.Quantity && a.matchQuantity(v)
	case definitions.Reference:
		if v.Kind != index.Reference {
			return false
		}
		if m == Identifier {
			return (v.Code != "" || v.System != "") && a.Token.matches(v)
		}
		return a.Reference.Matches(v)
	case definitions.Composite:
		return v.Kind == index.Composite && a.matchComposite(v)
	case definitions.Special:
		return v.Kind == index.Position && a.Near.holds(v.Latitude, v.Longitude)
	}
	return false
}

func (a *Alternative) matchToken(m Modifier, v *index.Value, set r4.Codes) bool {
	switch m {
	case In, NotIn, Below, Above, ECL:
		return v.Code != "" && set.Contains(v.System, v.Code)
	case Text:
		return a.Folded != "" && strings.HasPrefix(index.Fold(v.Text), a.Folded)
	case OfType:
		if !v.HasCode(a.Target) {
			return false
		}
		for coding := range v.Components(0) {
			if a.Token.matches(&coding) {
				return true
			}
		}
		return false
	}
	return a.Token.matches(v)
}

// specialValues is the system of booleans (https://hl7.org/fhir/R4/search.html#token).
const specialValues = "http://terminology.hl7.org/CodeSystem/special-values"

// matches compares code and system. A code that has its system from its binding has none in the
// document; a search may name the system or not.
func (t *Token) matches(v *index.Value) bool {
	switch {
	case !t.AnyCode && !v.HasCode(t.Code):
		return false
	case t.AnySystem || t.System == v.System:
		return true
	case v.Form == index.FormBoolean:
		return t.System == "" || t.System == specialValues || t.System == "http://hl7.org/fhir/special-values"
	}
	return t.System == "" && v.Implied()
}

// matchString compares texts. One without a letter or digit matches nothing.
func (a *Alternative) matchString(m Modifier, v *index.Value) bool {
	switch {
	case m == Exact:
		return v.Text == a.Target
	case a.Folded == "":
		return false
	case m == Contains:
		return strings.Contains(index.Fold(v.Text), a.Folded)
	case m == Equals:
		return index.Fold(v.Text) == a.Folded
	case m == EndsWith:
		return strings.HasSuffix(index.Fold(v.Text), a.Folded)
	}
	return v.Begins(a.Folded, a.Spaced)
}

// matchURI compares URLs. Below matches URLs that begin with the requested one, Above those that
// are a prefix of it up to a slash.
func (a *Alternative) matchURI(m Modifier, v *index.Value) bool {
	switch m {
	case Below:
		return strings.HasPrefix(v.URL, a.Target)
	case Above:
		rest, is := strings.CutPrefix(a.Target, v.URL)
		return is && v.URL != "" && (rest == "" || rest[0] == '/' || v.URL[len(v.URL)-1] == '/')
	}
	if v.URL == a.Target {
		return true
	}
	url, version, _ := strings.Cut(a.Target, "|")
	return version != "" && v.URL == url && v.Version == version
}

// matchQuantity compares in the canonical unit if both have one, otherwise as written.
func (a *Alternative) matchQuantity(v *index.Value) bool {
	u := &a.Unit
	if u.CanonicalUnit != "" && v.CanonicalUnit != "" {
		return u.CanonicalUnit == v.CanonicalUnit && u.Canonical.Holds(a.Prefix, v.Canonical)
	}
	switch {
	case u.System != "" && u.System != v.System:
		return false
	case u.Code != "" && u.Code != v.Code && (u.System != "" || u.Code != v.Unit):
		return false
	}
	return a.Number.Holds(a.Prefix, v.Number)
}

// Matches reports whether a reference matches. It matches any version unless one is requested.
func (r *Reference) Matches(v *index.Value) bool {
	if r.Version != "" && r.Version != v.Version {
		return false
	}
	if r.URL != "" {
		return v.URL == r.URL
	}
	key := v.KeyAt(r.Bases)
	if key.ID != r.Key.ID || key.ID == "" {
		return false
	}
	if r.Types == nil {
		return key.Type == r.Key.Type
	}
	for _, t := range r.Types {
		if t == key.Type {
			return true
		}
	}
	return false
}

// matchComposite reports whether one element has all parts.
func (a *Alternative) matchComposite(v *index.Value) bool {
	for i := range a.Parts {
		found := false
		for part := range v.Components(i) {
			if found = a.Parts[i].matches(Plain, &part, nil); found {
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}
