package search

import (
	"strings"

	"github.com/roget-health/roget/resources/index"
)

// date reads a date with its prefix (https://hl7.org/fhir/R4/search.html#date). What has no
// time zone is in UTC. A + that a form turned into a blank is understood.
func (p *parser) date(a *Alternative) string {
	prefix, text := index.CutPrefix(a.Text)
	if i := strings.LastIndexByte(text, ' '); i > len("2006-01-02T") {
		text = text[:i] + "+" + text[i+1:]
	}
	asked, err := index.DateAsked(prefix, text, p.options.Now)
	if err != nil {
		return "a date is wanted, such as 2024, 2024-05, ge2024-05-17 or 2024-05-17T10:30:00Z"
	}
	a.Prefix, a.Time = prefix, asked
	return ""
}
