package operation

import (
	"encoding/json"

	"github.com/roget-health/roget/resources/r4"
)

// paramProfile is a parameter that any request may have: a Parameters resource with
// settings. Clients of the terminology ecosystem send there what they are configured with.
const paramProfile = "profile"

// isSetting reports that a parameter says how to answer, and not about what.
func isSetting(p *Param) bool {
	switch kindOf(p.Type) {
	case kindBoolean, kindInteger:
		return true
	case kindText:
		return p.Name == "displayLanguage" || p.Many
	}
	return false
}

// profile reads the settings of a profile as if they stood in its place. What else is in
// it is none of its business.
func (in *Input) profile(resource json.RawMessage, strict bool) error {
	if resourceType(resource) != "Parameters" {
		return nil
	}
	doc, err := r4.DecodeParameters(resource)
	if err != nil {
		return withParameter(&Param{Name: paramProfile}, err)
	}
	for i := range doc.Parameter {
		q := &doc.Parameter[i]
		if p, ok := in.Op.Param(q.Name); !ok || !isSetting(p) {
			continue
		}
		if err := in.parameter(q, strict); err != nil {
			return err
		}
	}
	return nil
}

// set keeps a value of a setting: the only one, where the parameter may not repeat.
func (in *Input) set(a arg) error {
	if !a.param.Many {
		if old := in.find(a.param.Name); old != nil {
			*old = a
			return nil
		}
	}
	return in.put(a)
}

// passedOver reports that a parameter is one that clients of the terminology ecosystem
// send with every request, and that changes no answer here: they expect servers to take it.
func passedOver(name string) bool {
	switch name {
	case "uuid", paramProfile, "limit", "_limit", "_incomplete", "incomplete-ok", "limitedExpansion",
		"default-to-latest-version", "includeAlternateCodes", "no-cache":
		return true
	}
	return false
}
