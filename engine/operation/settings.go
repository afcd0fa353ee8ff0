package operation

import (
	"encoding/json"

	"github.com/roget-health/roget/resources/r4"
)

// paramProfile is a parameter that any request may have: a Parameters resource with settings.
// Clients of the terminology ecosystem send their configuration in it.
const paramProfile = "profile"

// isSetting reports whether a parameter is about the form of the answer, not about its subject.
func isSetting(p *Param) bool {
	switch kindOf(p.Type) {
	case kindBoolean, kindInteger:
		return true
	case kindText:
		return p.Name == "displayLanguage" || p.Many
	}
	return false
}

// profile reads the settings of a profile as if they were parameters of the request. It ignores
// all other parameters of the profile.
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

// set stores a value of a setting. It replaces the value of a parameter that may not repeat.
func (in *Input) set(a arg) error {
	if !a.param.Many {
		if old := in.find(a.param.Name); old != nil {
			*old = a
			return nil
		}
	}
	return in.put(a)
}

// passedOver reports whether a parameter is ignored. Clients of the terminology ecosystem send
// such parameters with every request and expect servers to accept them.
func passedOver(name string) bool {
	switch name {
	case "uuid", paramProfile, "limit", "_limit", "_incomplete", "incomplete-ok", "limitedExpansion",
		"default-to-latest-version", "includeAlternateCodes", "no-cache":
		return true
	}
	return false
}
