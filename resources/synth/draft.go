package synth

import "slices"

// A draft is a resource while it is being written. Makers (type_*.go) read its facts, draw
// everything else from its stream, and write members in the order of the FHIR definition.
type draft struct {
	stream
	writer

	g            *Generator
	number       uint64 // of the resource, from 0
	inStory      bool   // part of a story: references come from the facts only
	facts        facts
	observedCode Coding  // code of an observation that counts as a result
	worstResult  verdict // its verdict
}

// begin prepares the draft for a resource that is appended to dst.
func (d *draft) begin(g *Generator, s stream, dst []byte) {
	*d = draft{stream: s, writer: writer{buf: dst, start: len(dst), close: d.close[:0], refs: d.refs[:0], follow: d.follow}, g: g}
}

// numbered prepares the draft for resource n of a type.
func (d *draft) numbered(g *Generator, n uint64, dst []byte) {
	d.begin(g, newStream(g.seed, g.stream, n), dst)
	d.number, d.facts.id = n, g.id(n)
}

// A maker writes the members of a resource that follow meta.
type maker func(d *draft)

// meta is the meta of every resource. lastUpdated is asOf.
const meta = `,"meta":{"versionId":"1","lastUpdated":"2025-01-01T00:00:00Z","security":[{` +
	`"system":"http://terminology.hl7.org/CodeSystem/v3-ActReason","code":"HTEST","display":"test health data"}]}`

// write writes a resource.
func (d *draft) write(t *typeRow) {
	d.object("")
	d.text("resourceType", t.name)
	d.text("id", d.facts.id)
	d.add(meta)
	t.make(d)
	d.end()
}

// when returns the time of a resource: the one set by the story, a time in the encounter with the
// same number, or any time in the last years.
func (d *draft) when() moment { return d.quarter(0) }

// quarter returns the time of a resource as when does, but n quarters of its encounter after the
// start, where a quarter is at most two hours. Findings come first, then orders, then procedures.
// If the encounter did not take place, the resources that refer to it are minutes apart.
func (d *draft) quarter(n int) moment {
	if d.facts.at != 0 {
		return d.facts.at
	}
	if number, made := d.made(roleEncounter); made && slices.Contains(d.g.row.roles, roleEncounter) {
		e := draft{stream: newStream(d.g.seed, encounterStream, number), g: d.g, number: number}
		c, _ := e.encounterCourse()
		if c.begun {
			return c.start + min((c.until()-c.start)/(4*minute)*minute, 2*hour)*moment(n)
		}
		return e.whenever() + 5*minute*moment(n)
	}
	return d.whenever()
}

// whenever draws a time in working hours during the last years of the patient's life.
func (d *draft) whenever() moment {
	l := d.life()
	first, last := l.span()
	return day(d.between(int(first), int(last))).at(d.between(8, 17), 5*d.below(12))
}

// status returns the status of a resource: the one set by the story, or one drawn from a list.
func (d *draft) status(l *codeList) string {
	if d.facts.status != "" {
		return d.facts.status
	}
	return d.code(l)
}

// settled returns the status of a request. An active request of long ago counts as completed.
func (d *draft) settled(l *codeList, at moment) string {
	status := d.status(l)
	if status == "active" && d.facts.status == "" && at < asOf-400*oneDay {
		return "completed"
	}
	return status
}

// kind returns the category, class or variant of a resource: the one set by the story, by an
// option, or one drawn from a list.
func (d *draft) kind(option string, l *codeList) string {
	if d.facts.kind != "" {
		return d.facts.kind
	}
	if chosen := d.g.texts[option]; chosen != "" {
		return chosen
	}
	return d.code(l)
}

// about returns the main code of a resource: the one set by the story, or one that is drawn.
func (d *draft) about(path string, b branch) Coding {
	if d.facts.code.Code != "" {
		return d.facts.code
	}
	return d.drawn(path, b)
}

// drawn draws a code for an element without a list: from Options.Codes if set for the element,
// otherwise from a branch of Clinic.
func (d *draft) drawn(path string, b branch) Coding {
	if codes := d.g.codes[path]; len(codes) > 0 {
		return codes[d.below(len(codes))]
	}
	leaves := d.g.clinic.leaves[b]
	return leaves[d.below(len(leaves))]
}

// reasonCode writes the reason as one concept: the one set by the story, or a drawn one in the
// given percentage of resources.
func (d *draft) reasonCode(path string, percent int) {
	if d.facts.secondCode.Code != "" {
		d.concepts("reasonCode", d.facts.secondCode)
	} else if d.percent(percent) {
		d.concepts("reasonCode", d.drawn(path, branchReason))
	}
}

// facts are the properties of a resource that a story decides before the resource is written.
// Zero values are drawn by the maker.
type facts struct {
	id   string
	refs [roleCount]string

	at         moment // time of the event, its start, or its order
	until      moment // time of its end, 0 if it has not ended
	status     string // of the element that holds the state
	kind       string // category, variant or template
	code       Coding // main code
	secondCode Coding // reason, conclusion or route
	level      int    // of the measured value: -1 too low, 1 too high
	female     bool
	born       day
	died       moment

	worstResult verdict  // of the results
	results     []string // references to members or related observations
	partOf      string   // reference to the whole
}
