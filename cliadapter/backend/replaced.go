package backend

import (
	"fmt"
	"strings"

	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// maxReplacedLines bounds the warnings about replaced code systems of one load.
const maxReplacedLines = 20

// A replacedReport collects what a load replaces in a data folder, and reports it when the load
// is committed.
type replacedReport struct {
	loaded map[string]replaceable // by canonical
	lines  []string
	counts map[string]int // by resource type: value sets, concept maps, and code systems beyond the lines
}

// A replaceable describes a resource that may be replaced.
type replaceable struct {
	date     string
	concepts int
	origin   string
}

// newReplacedReport returns a report about a load into a folder that holds entries.
func newReplacedReport(entries []*engine.Entry) *replacedReport {
	r := &replacedReport{loaded: map[string]replaceable{}, counts: map[string]int{}}
	for _, e := range entries {
		r.loaded[identity(&e.Header)] = replaceable{date: e.Header.Date, concepts: e.Concepts, origin: e.Origin}
	}
	return r
}

// identity returns the key that distinguishes resources of a data folder: url and version, or the
// id of a resource without url.
func identity(h *r4.Header) string {
	switch {
	case h.URL == "":
		return h.ResourceType + "/" + h.ID
	case h.Version == "":
		return h.ResourceType + " " + h.URL
	}
	return h.ResourceType + " " + h.URL + "|" + h.Version
}

// add notes a resource that was written to the pack.
func (r *replacedReport) add(h *r4.Header, concepts int, origin string) {
	id := identity(h)
	now := replaceable{date: h.Date, concepts: concepts, origin: origin}
	before, replaced := r.loaded[id]
	r.loaded[id] = now
	switch {
	case !replaced:
	case h.ResourceType != "CodeSystem" || len(r.lines) == maxReplacedLines:
		r.counts[h.ResourceType]++
	default:
		r.lines = append(r.lines, fmt.Sprintf("%s replaces the one loaded from %s: %s, now %s", id, before.origin, before, now))
	}
}

// String returns the date and the number of concepts.
func (r replaceable) String() string {
	text := engine.Thousands(r.concepts) + " concepts"
	if r.concepts == 1 {
		text = "1 concept"
	}
	if r.date != "" {
		text += " dated " + r.date
	}
	return text
}

// report warns an observer about what was replaced.
func (r *replacedReport) report(obs cliadapter.Observer) {
	for _, line := range r.lines {
		obs.Warned(line)
	}
	var more []string
	for _, kind := range []string{"CodeSystem", "ValueSet", "ConceptMap"} {
		if n := r.counts[kind]; n > 0 {
			more = append(more, fmt.Sprintf("%s of type %s", engine.Thousands(n), kind))
		}
	}
	if len(more) > 0 {
		obs.Warned("resources of the same url and version were replaced: " + strings.Join(more, ", "))
	}
}
