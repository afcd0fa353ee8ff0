package synth

import "slices"

// A draft is one resource while it is written. Makers (type_*.go) read what is settled from
// its facts, draw the rest from its stream, and write members in the order of the FHIR
// definition.
type draft struct {
	stream
	writer

	g      *Generator
	number uint64 // of the resource, from 0
	told   bool   // it is of a story: references are those of the facts
	facts  facts
	what   Coding    // what an observation was of, if it counts, and
	worst  judgement // how its result was
}

// begin makes a draft ready for a resource that is appended to dst.
func (d *draft) begin(g *Generator, s stream, dst []byte) {
	*d = draft{stream: s, writer: writer{buf: dst, begun: len(dst), close: d.close[:0], refs: d.refs[:0], follow: d.follow}, g: g}
}

// numbered makes a draft ready for resource n of a type.
func (d *draft) numbered(g *Generator, n uint64, dst []byte) {
	d.begin(g, newStream(g.seed, g.stream, n), dst)
	d.number, d.facts.id = n, g.id(n)
}

// A maker writes the members of a resource after meta.
type maker func(d *draft)

// meta is the meta of all resources; lastUpdated is asOf.
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

// when returns the moment of a resource: that of the story, else one in the encounter of its
// number, else one of the last years.
func (d *draft) when() moment { return d.quarter(0) }

// quarter returns a moment as when does, of an encounter that after some quarters of it, but
// not after days: what is found comes first, then what is asked for, then what is done. All
// that refers to an encounter which did not take place is of the same hour too.
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

// whenever draws a moment of the last years in working hours, in the life of the patient.
func (d *draft) whenever() moment {
	l := d.life()
	first, last := l.span()
	return day(d.between(int(first), int(last))).at(d.between(8, 17), 5*d.below(12))
}

// status returns the status of a resource: that of the story, else one of a list.
func (d *draft) status(l *list) string {
	if d.facts.status != "" {
		return d.facts.status
	}
	return d.code(l)
}

// settled returns the status of a request of some time: one of long ago is completed, not active.
func (d *draft) settled(l *list, at moment) string {
	status := d.status(l)
	if status == "active" && d.facts.status == "" && at < asOf-400*oneDay {
		return "completed"
	}
	return status
}

// kind returns the category, class or variant of a resource: that of the story, else that of
// an option, else one of a list.
func (d *draft) kind(option string, l *list) string {
	if d.facts.kind != "" {
		return d.facts.kind
	}
	if chosen := d.g.texts[option]; chosen != "" {
		return chosen
	}
	return d.code(l)
}

// about returns the code that a resource is about: that of the story, else one that is drawn.
func (d *draft) about(path string, b branch) Coding {
	if d.facts.code.Code != "" {
		return d.facts.code
	}
	return d.drawn(path, b)
}

// drawn draws a code for an element that has no list: one that Options.Codes gives for it,
// else one of a branch of Clinic.
func (d *draft) drawn(path string, b branch) Coding {
	if codes := d.g.codes[path]; len(codes) > 0 {
		return codes[d.below(len(codes))]
	}
	leaves := d.g.clinic.leaves[b]
	return leaves[d.below(len(leaves))]
}

// reasonCode writes why, as one concept: the one of the story, else of so many in 100 resources
// one that is drawn.
func (d *draft) reasonCode(path string, percent int) {
	if d.facts.more.Code != "" {
		d.concepts("reasonCode", d.facts.more)
	} else if d.percent(percent) {
		d.concepts("reasonCode", d.drawn(path, branchReason))
	}
}
