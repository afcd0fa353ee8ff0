package httpadapter

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/index"
)

// criterion is one search parameter of a request. An entry matches if any of the values matches.
type criterion struct {
	searchParam
	modifier string
	values   []string
	tests    []func(value string) bool
}

// badSearch returns the error of a search parameter with an unusable value.
func badSearch(name, format string, args ...any) error {
	return withStatus(http.StatusBadRequest, operation.Problem{
		Exit: operation.ExitUsage, Code: "value",
		Expression: "http." + name, Text: name + ": " + fmt.Sprintf(format, args...),
	})
}

// newCriterion compiles a parameter. list is the value as sent: alternatives are separated by
// commas, and a backslash escapes a comma.
func newCriterion(p searchParam, modifier, list string) (*criterion, error) {
	c := &criterion{searchParam: p, modifier: modifier, values: alternatives(list)}
	if modifier == "missing" {
		if list != "true" && list != "false" {
			return nil, badSearch(p.name+":missing", "%q is neither true nor false", cut(list))
		}
		return c, nil
	}
	for _, want := range c.values {
		test, err := c.compile(want)
		if err != nil {
			return nil, err
		}
		c.tests = append(c.tests, test)
	}
	return c, nil
}

// takes reports whether the catalogue knows a modifier of a parameter.
func (p *searchParam) takes(modifier string) bool {
	known := [...]string{paramToken: " not", paramURI: " below above", paramString: " contains exact", paramDate: ""}[p.kind] + " missing"
	return modifier == "" || slices.Contains(strings.Fields(known), modifier)
}

func (c *criterion) compile(want string) (func(string) bool, error) {
	bad := badSearch(c.name, "modifier :%s is not supported for a %s parameter", cut(c.modifier), c.kind)
	switch c.kind {
	case paramString:
		folded := index.Fold(want)
		switch c.modifier {
		case "":
			return func(v string) bool { return folded != "" && strings.HasPrefix(index.Fold(v), folded) }, nil
		case "contains":
			return func(v string) bool { return folded != "" && strings.Contains(index.Fold(v), folded) }, nil
		case "exact":
			return func(v string) bool { return v == want }, nil
		}
		return nil, bad
	case paramToken:
		if (c.name == "identifier" || c.name == "version") && (c.modifier == "" || c.modifier == "not") { // strings, which have no case
			text := want
			want = strings.ToLower(want)
			return func(v string) bool {
				system, _, qualified := strings.Cut(text, "|")
				haveSystem, _, found := strings.Cut(v, "|")
				same := !qualified || !found || system == haveSystem
				return (same && tokenMatches(want, strings.ToLower(v))) != (c.modifier == "not")
			}, nil
		}
		switch c.modifier {
		case "":
			return func(v string) bool { return tokenMatches(want, v) }, nil
		case "not":
			return func(v string) bool { return !tokenMatches(want, v) }, nil
		}
		return nil, bad
	case paramURI:
		switch c.modifier {
		case "":
			return func(v string) bool { return v == want || canonicalMatches(want, v) }, nil
		case "below":
			return func(v string) bool { return v == want || strings.HasPrefix(v, strings.TrimSuffix(want, "/")+"/") }, nil
		case "above":
			return func(v string) bool { return v == want || strings.HasPrefix(want, strings.TrimSuffix(v, "/")+"/") }, nil
		}
		return nil, bad
	default:
		if c.modifier != "" {
			return nil, bad
		}
		return dateTest(c.name, want)
	}
}

// matches reports whether an entry meets the criterion.
func (c *criterion) matches(e *engine.Entry) bool {
	if c.has != nil && c.modifier != "missing" {
		return slices.ContainsFunc(c.values, func(want string) bool { return c.has(e, want) }) != (c.modifier == "not")
	}
	have := c.searchParam.values(e)
	switch c.modifier {
	case "missing":
		return (len(have) == 0) == (c.values[0] == "true")
	case "not":
		for _, test := range c.tests {
			if slices.ContainsFunc(have, func(v string) bool { return !test(v) }) {
				return false
			}
		}
		return true
	}
	for i, test := range c.tests {
		if !slices.ContainsFunc(have, test) {
			continue
		}
		// url=http://x|2.0 selects that version of the resource itself.
		if _, version, found := strings.Cut(c.values[i], "|"); found && (c.name == "url" || c.name == "system") && version != e.Header.Version {
			continue
		}
		return true
	}
	return false
}

// canonicalMatches reports whether the canonical want matches v. Both are url or url|version. The
// versions must be equal if both have one.
func canonicalMatches(want, v string) bool {
	url, version, _ := strings.Cut(want, "|")
	haveURL, haveVersion, _ := strings.Cut(v, "|")
	return url == haveURL && (version == "" || haveVersion == "" || version == haveVersion)
}

// tokenMatches reports whether the token want (code, system|code, |code, system|) matches the value
// v, which is code or system|code.
func tokenMatches(want, v string) bool {
	system, code, qualified := strings.Cut(want, "|")
	haveSystem, haveCode, found := strings.Cut(v, "|")
	if !found {
		haveSystem, haveCode = "", v
	}
	switch {
	case !qualified:
		return haveCode == want
	case system == "" && found:
		return haveSystem == "" && haveCode == code
	case code == "":
		return haveSystem == system
	case !found: // a code whose system is fixed, such as status
		return haveCode == code
	}
	return haveSystem == system && haveCode == code
}

// alternatives splits a value at its commas.
func alternatives(list string) []string {
	var all []string
	var b strings.Builder
	for i := 0; i < len(list); i++ {
		switch {
		case list[i] == '\\' && i+1 < len(list) && strings.IndexByte(`,|$\`, list[i+1]) >= 0:
			i++
			b.WriteByte(list[i])
		case list[i] == ',':
			all = append(all, b.String())
			b.Reset()
		default:
			b.WriteByte(list[i])
		}
	}
	return append(all, b.String())
}
