package search

import (
	"fmt"
	"strings"
	"time"

	"github.com/roget-health/roget/resources/definitions"
)

// String describes a criterion for people.
func (c Criterion) String() string {
	switch {
	case c.Chain != nil:
		parts := []string{c.Name, "→"}
		for _, t := range c.Chain.Targets {
			parts = append(parts, fmt.Sprintf("%s(%s)", t.Type, t.Criterion))
		}
		return strings.Join(parts, " ")
	case c.Has != nil:
		return fmt.Sprintf("%s ← %s.%s(%s)", c.Name, c.Has.Type, c.Has.Param.Code, c.Has.Criterion)
	}
	if g := c.Group; g != nil {
		parts := make([]string, len(g.Of))
		for i := range g.Of {
			parts[i] = g.Of[i].String()
		}
		return map[bool]string{true: "not "}[g.Not] + "(" + strings.Join(parts, map[bool]string{true: " or ", false: " and "}[g.Any]) + ")"
	}
	parts := make([]string, len(c.Alternatives))
	for i, a := range c.Alternatives {
		parts[i] = a.describe(c.Modifier)
		if a.Param != c.Param {
			parts[i] += " of " + a.Param.Code
		}
	}
	return c.Name + " " + strings.Join(parts, ", ")
}

// describe describes an alternative.
func (a *Alternative) describe(m Modifier) string {
	switch m {
	case Missing:
		return fmt.Sprint(a.Missing)
	case In, NotIn:
		return "token set " + a.Target
	case ECL:
		return "token ecl " + a.Token.System + " " + a.Target
	case Text:
		return "token text " + a.Target
	case OfType:
		return "token " + a.Token.String() + " " + a.Target
	case Identifier:
		return "token " + a.Token.String()
	}
	switch a.Kind {
	case definitions.Token:
		return "token " + a.Token.String()
	case definitions.Date:
		return "date " + a.Prefix.String() + " " + timeString(a.Time.Low) + "/" + timeString(a.Time.High)
	case definitions.Number:
		return fmt.Sprintf("number %s", a.Text)
	case definitions.Quantity:
		out := "quantity " + a.Text
		if a.Unit.CanonicalUnit != "" {
			out += " in " + a.Unit.CanonicalUnit
		}
		return out
	case definitions.Reference:
		return "reference " + a.Reference.String()
	case definitions.Special:
		return fmt.Sprintf("near %v %v %v km", a.Near.Latitude, a.Near.Longitude, a.Near.Km)
	case definitions.Composite:
		parts := make([]string, len(a.Parts))
		for i := range a.Parts {
			parts[i] = a.Parts[i].describe(Plain)
		}
		return "composite (" + strings.Join(parts, " $ ") + ")"
	}
	return a.Kind.String() + " " + a.Target
}

// String formats a token as "system|code", with "*" for any code, and as "* code" for any system.
func (t Token) String() string {
	switch {
	case t.AnySystem:
		return "* " + t.Code
	case t.AnyCode:
		return t.System + "|*"
	}
	return t.System + "|" + t.Code
}

// timeString formats an instant.
func timeString(ms int64) string {
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
}

// String formats a reference.
func (r Reference) String() string {
	out := r.URL
	switch {
	case r.Types != nil:
		out = fmt.Sprintf("%v/%s", r.Types, r.Key.ID)
	case out == "":
		out = r.Key.String()
	}
	if r.Version != "" {
		out += " version " + r.Version
	}
	return out
}
