package synth

import "slices"

// A verdict classifies results by their reference ranges. A worse verdict is greater.
type verdict int

const (
	unjudged verdict = iota // no results are known
	noValue                 // results without values
	normal
	abnormal
	critical
)

// judge records an interpretation code. The worst one counts.
func (d *draft) judge(reading string) {
	found := abnormal
	switch reading {
	case "N", "NEG":
		found = normal
	case "LL", "HH":
		found = critical
	}
	d.worstResult = max(d.worstResult, found)
}

// conclusions are the possible conclusions by report category and worst result.
var conclusions = []struct {
	category string
	worst    verdict
	codes    []string
}{
	{"LAB", noValue, []string{"results-to-be-repeated"}},
	{"LAB", normal, []string{"results-within-limits"}},
	{"LAB", abnormal, []string{"results-slightly-abnormal", "results-abnormal", "results-to-be-repeated"}},
	{"LAB", critical, []string{"results-critical", "results-abnormal"}},
	{"NRS", normal, []string{"patient-stable", "more-support-needed"}},
	{"NRS", abnormal, []string{"more-support-needed", "close-observation-needed"}},
	{"NRS", critical, []string{"close-observation-needed"}},
}

// concluded returns the conclusion of a report: the one set by the story, one chosen by the
// options, one that fits the results, or otherwise any.
func (d *draft) concluded(kind *reportKind, worst verdict) Coding {
	const path = "DiagnosticReport.conclusionCode"
	if d.facts.secondCode.Code != "" {
		return d.facts.secondCode
	}
	for i := range conclusions {
		if c := &conclusions[i]; c.category == kind.category && c.worst == worst && len(d.g.codes[path]) == 0 {
			return d.g.clinic.codes[d.one(c.codes)]
		}
	}
	return d.drawn(path, kind.conclusion)
}

// observationResult generates the Observation that has the number of the report, from its stream,
// and returns its code and verdict. Both are zero if the observation has no result that counts.
func (d *draft) observationResult(s stream) (code Coding, worst verdict) {
	o := draft{stream: s, g: d.g, number: d.number}
	o.facts.id = d.facts.id
	o.start = len(d.buf)
	o.buf = d.buf // the scratch space behind the report is overwritten later
	observation(&o)
	return o.observedCode, max(o.worstResult, noValue)
}

// panelOf returns the laboratory panel that contains a test, or "".
func panelOf(test string) string {
	for i := range panels {
		if slices.Contains(panels[i].tests, test) {
			return panels[i].code
		}
	}
	return ""
}
