package engine

import (
	"slices"
	"strconv"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/language"
)

// Texts returns the values of a property as texts, each once, in the order of the code system. The
// property is one that LookupRequest.Properties may name, except * and the role groups of SNOMED
// CT; ancestor stands for the codes of all ancestors. A Coding is written system|code. What a
// supplement adds comes last. It does not matter which properties the request named.
func (r *LookupResult) Texts(property string) []string {
	x, o := r.Index, r.Concept
	switch property {
	case "parent":
		return codesOf(x, x.Parents(o))
	case "child":
		return codesOf(x, x.Children(o))
	case "ancestor":
		return codesOf(x, x.Ancestors(o))
	case "inactive":
		return []string{strconv.FormatBool(x.Inactive(o))}
	case "abstract":
		return []string{strconv.FormatBool(x.Abstract(o))}
	case "definition":
		if d := x.Definition(o); d != "" {
			return []string{d}
		}
		return nil
	case "designation":
		return r.designationTexts("")
	}
	if tag, ok := strings.CutPrefix(property, "lang."); ok {
		return r.designationTexts(tag)
	}
	texts := propertyTexts(nil, x, o, property)
	for _, s := range r.supplements {
		if so, ok := s.Find(x.Code(o)); ok {
			texts = propertyTexts(texts, s, so, property)
		}
	}
	return texts
}

// codesOf returns the codes of concepts.
func codesOf(x *codesystem.Index, list []codesystem.Ord) []string {
	codes := make([]string, len(list))
	for i, o := range list {
		codes[i] = x.Code(o)
	}
	return codes
}

// designationTexts returns the designations in a language, or all of them.
func (r *LookupResult) designationTexts(tag string) (texts []string) {
	c := language.Concept{Index: r.Index, Ord: r.Concept, Supplements: r.supplements}
	for d := range c.Designations {
		if (tag == "" || language.Fit(tag, d.Language) >= language.FitNarrow) && !slices.Contains(texts, d.Value) {
			texts = append(texts, d.Value)
		}
	}
	return texts
}

// propertyTexts adds the values that a concept has of a property.
func propertyTexts(texts []string, x *codesystem.Index, o codesystem.Ord, property string) []string {
	for _, v := range x.PropertyValues(o, property, nil) {
		if text, _ := valueText(v); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return texts
}
