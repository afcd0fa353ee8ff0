package engine

import (
	"slices"
	"strconv"

	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// A value set may bring parameters for its expansion along, in extensions of its compose.
// A parameter of the request beats one of the same name; those that may be given several
// times add up.

// withParameters gives the request as the parameters of a value set complete it; it
// is not changed.
func (req *ExpandRequest) withParameters(vs *r4.ValueSet) *ExpandRequest {
	list := valueset.Parameters(vs.Compose)
	if len(list) == 0 {
		return req
	}
	full := *req
	for _, p := range list {
		full.complete(p.Name, p.Value.Text)
	}
	return &full
}

// complete takes one parameter of the value set.
func (req *ExpandRequest) complete(name, text string) {
	optional := func(b **bool) {
		if value, err := strconv.ParseBool(text); *b == nil && err == nil {
			*b = &value
		}
	}
	number := func(n **int) {
		if value, err := strconv.Atoi(text); *n == nil && err == nil && value >= 0 {
			*n = &value
		}
	}
	more := func(list *[]string) {
		if !slices.Contains(*list, text) {
			*list = append(slices.Clip(*list), text)
		}
	}
	switch name {
	case "displayLanguage":
		if req.DisplayLanguage == "" {
			req.DisplayLanguage = text
		}
	case "filter":
		if req.Filter == "" {
			req.Filter = text
		}
	case "includeDesignations":
		optional(&req.IncludeDesignations)
	case "includeDefinition":
		optional(&req.IncludeDefinition)
	case "excludeNotForUI":
		optional(&req.ExcludeNotForUI)
	case "excludePostCoordinated":
		optional(&req.ExcludePostCoordinated)
	case "activeOnly":
		optional(&req.ActiveOnly)
	case "excludeNested":
		optional(&req.ExcludeNested)
	case "count":
		number(&req.Count)
	case "offset":
		number(&req.Offset)
	case "property":
		more(&req.Properties)
	case "designation":
		more(&req.Designations)
	case "useSupplement":
		more(&req.UseSupplements)
	default:
		req.Versions.complete(name, text)
	}
}

// complete takes one parameter of a value set; those of other names are passed over, and
// those for which there is a rule.
func (v *VersionRules) complete(name, canonical string) {
	url := canonicalURL(canonical)
	for list := range v.lists {
		ruled := func(c string) bool { return canonicalURL(c) == url }
		if list.name == name && !slices.ContainsFunc(*list.canonicals, ruled) {
			*list.canonicals = append(slices.Clip(*list.canonicals), canonical)
		}
	}
}

// versionParameter is a parameter of version rules.
type versionParameter struct {
	name       string
	canonicals *[]string
}

// lists yields the rules with the names of their parameters. It has the form of an iterator.
func (v *VersionRules) lists(yield func(versionParameter) bool) {
	for _, p := range []versionParameter{
		{"force-system-version", &v.Force},
		{"system-version", &v.System},
		{"check-system-version", &v.Check},
		{"default-valueset-version", &v.ValueSet},
	} {
		if !yield(p) {
			return
		}
	}
}

// applied gives the rule that chooses the version where a value set names a code system,
// or another value set, with the version named: its parameter and canonical, "" for none.
func (v *VersionRules) applied(url, named string, valueSet bool) (parameter, canonical string) {
	for p := range v.lists {
		forces, forValueSets := p.canonicals == &v.Force, p.canonicals == &v.ValueSet
		if forValueSets != valueSet || named != "" && !forces {
			continue
		}
		for _, c := range *p.canonicals {
			if ruled, version, _, err := r4.SplitCanonical(c); err == nil && ruled == url && version != "" {
				return p.name, c
			}
		}
	}
	return "", ""
}

// chosen gives the version that is asked for where a value set names one, or none.
func (v *VersionRules) chosen(url, named string, valueSet bool) string {
	if _, rule := v.applied(url, named, valueSet); rule != "" {
		_, version, _, _ := r4.SplitCanonical(rule)
		return version
	}
	return named
}
