package search

import (
	"slices"
	"strings"

	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/r4"
)

// reference reads id, Type/id, Type/id/_history/version, or a url
// (https://hl7.org/fhir/R4/search.html#reference).
func (p *parser) reference(a *Alternative, target string) string {
	text := unescape(a.Text)
	for _, base := range p.options.Bases {
		if rest, is := strings.CutPrefix(text, base); is && base != "" && strings.HasPrefix(rest, "/") && p.local(rest[1:]) {
			text = rest[1:]
			break
		}
	}
	r := &a.Reference
	r.Bases = p.options.Bases
	switch {
	case isURI(text):
		if target != "" {
			return "with a type, an id is wanted: subject:Patient=1"
		}
		r.URL, r.Version, _ = strings.Cut(text, "|")
		if r.URL == "" || strings.Contains(r.Version, "|") {
			return "a canonical is url or url|version"
		}
		return ""
	case p.local(text):
		parts := strings.Split(text, "/")
		r.Key = index.Key{Type: parts[0], ID: parts[1]}
		if len(parts) == 4 {
			r.Version = parts[3]
		}
		if target != "" && target != r.Key.Type {
			return "it is of another type than :" + target
		}
		return ""
	case !r4.ValidID(text):
		return "a reference is id, Type/id or a url"
	}
	r.Key.ID = text
	switch {
	case target != "":
		r.Key.Type = target
	case len(a.Param.Targets) == 1:
		r.Key.Type = a.Param.Targets[0]
	case a.Param.Targets == nil:
		r.Types = p.tables.Resources()
	default:
		r.Types = slices.Clone(a.Param.Targets)
	}
	return ""
}

// local reports that a text is Type/id or Type/id/_history/version.
func (p *parser) local(text string) bool {
	parts := strings.Split(text, "/")
	switch {
	case len(parts) == 4:
		if parts[2] != "_history" || !r4.ValidID(parts[3]) {
			return false
		}
	case len(parts) != 2:
		return false
	}
	return p.tables.IsResource(parts[0]) && r4.ValidID(parts[1])
}
