package synth

import "slices"

// A judgement tells how results are, by their limits; a worse one is greater.
type judgement int

const (
	unjudged judgement = iota // nothing is known of results
	missing                   // there are no values
	normal
	abnormal
	critical
)

// judge notes a reading, a code of the list interpretation: the worst one counts.
func (d *draft) judge(reading string) {
	found := abnormal
	switch reading {
	case "N", "NEG":
		found = normal
	case "LL", "HH":
		found = critical
	}
	d.worst = max(d.worst, found)
}

// conclusions are what is concluded from results, by the category of the report and the worst
// of them.
var conclusions = []struct {
	category string
	worst    judgement
	codes    []string
}{
	{"LAB", missing, []string{"results-to-be-repeated"}},
	{"LAB", normal, []string{"results-within-limits"}},
	{"LAB", abnormal, []string{"results-slightly-abnormal", "results-abnormal", "results-to-be-repeated"}},
	{"LAB", critical, []string{"results-critical", "results-abnormal"}},
	{"NRS", normal, []string{"patient-stable", "more-support-needed"}},
	{"NRS", abnormal, []string{"more-support-needed", "close-observation-needed"}},
	{"NRS", critical, []string{"close-observation-needed"}},
}

// concluded returns the conclusion of a report: that of the story, one that was chosen, one
// that fits the results, else any.
func (d *draft) concluded(kind *reportKind, worst judgement) Coding {
	const path = "DiagnosticReport.conclusionCode"
	if d.facts.more.Code != "" {
		return d.facts.more
	}
	for i := range conclusions {
		if c := &conclusions[i]; c.category == kind.category && c.worst == worst && len(d.g.codes[path]) == 0 {
			return d.g.clinic.codes[d.one(c.codes)]
		}
	}
	return d.drawn(path, kind.conclusion)
}

// foundBy makes the Observation of the number of a report from its stream, and gives what it
// is of, and how its result is; nothing where there is no result that counts.
func (d *draft) foundBy(s stream) (code Coding, worst judgement) {
	o := draft{stream: s, g: d.g, number: d.number}
	o.facts.id = d.facts.id
	o.begun = len(d.buf)
	o.buf = d.buf // what is behind is written over
	observation(&o)
	return o.what, max(o.worst, missing)
}

// panelOf returns a laboratory panel that a test belongs to; "" for none.
func panelOf(test string) string {
	for i := range panels {
		if slices.Contains(panels[i].tests, test) {
			return panels[i].code
		}
	}
	return ""
}
