package synth

// group writes a Group (section 2.16). It reads the facts kind (type) and results (members).
// Every fourth group consists of people, for resources that refer to such a group.
func group(d *draft) {
	typ := d.facts.kind
	if typ == "" {
		if typ = d.code(&groupType); d.number%4 == 0 {
			typ = "person"
		}
	}
	at := d.when()
	var members []member
	for _, to := range d.facts.results {
		members = append(members, member{to, at, d.facts.until})
	}
	if members == nil && d.percent(70) {
		members = d.members(typ, at)
	}
	actual := len(members) > 0
	d.identifier("group")
	d.boolean("active", d.percent(90))
	d.text("type", typ)
	d.boolean("actual", actual)
	about := d.about("Group.code", branchTopic)
	d.concept("code", about)
	d.text("name", about.words())
	if actual {
		d.integer("quantity", len(members))
	}
	d.refer("managingEntity", roleOrganization)
	d.characteristics(typ, actual)
	if !actual { // grp-1
		return
	}
	d.list("member")
	for _, m := range members {
		d.object("")
		d.reference("entity", m.entity)
		d.period("period", m.joined, m.left)
		d.end()
	}
	d.end()
}

// A member is a member of a group with the times of joining and leaving. left is 0 for current
// members.
type member struct {
	entity       string
	joined, left moment
}

// memberRoles are the reference roles by member type.
var memberRoles = map[string]role{
	"person": rolePatient, "animal": rolePatient, "practitioner": rolePractitioner, "device": roleDevice,
	"medication": roleMedication, "substance": roleSubstance,
}

// members returns the members of a group: the one set by an option; otherwise, for types that can
// be generated, as many as the option members asks for, or a few resources with numbers up to
// that of the group. Members join on the day of the group, patients not before birth, and leave
// at death at the latest.
func (d *draft) members(typ string, at moment) []member {
	r := memberRoles[typ]
	switch given := d.g.refs[r]; {
	case given != "":
		return []member{{given, at, d.leaving(at, asOf)}}
	case d.inStory || roles[r].share == 0:
		return nil
	}
	count, first := d.g.numbers["members"], uint64(0)
	if count > 0 {
		first = d.number * uint64(count)
	} else {
		count = min(d.between(2, 8), int(min(d.number, 100))+1)
		first = d.number + 1 - uint64(count)
	}
	list := make([]member, count)
	for i := range list {
		n := first + uint64(i)
		m := member{d.other(roles[r].typ, n), at, 0}
		last := asOf
		if r == rolePatient {
			l := d.g.lifeOf(n)
			m.joined = max(at, (l.born+1).at(9, 0))
			if l.died != 0 {
				m.joined, last = min(m.joined, l.died-hour), l.died
				m.left = l.died
			}
		}
		if left := d.leaving(m.joined, last); left != 0 {
			m.left = left
		}
		list[i] = m
	}
	return list
}

// leaving draws the time when a member leaves, before last. Most members do not leave.
func (d *draft) leaving(joined, last moment) moment {
	if d.percent(85) {
		return 0
	}
	return joined + moment(1+d.below(int((last-joined)/minute)))*minute
}

// A trait is a characteristic of Clinic and the kind of its value: a Range if it has a unit and
// high, a quantity if it has a unit only, a code if codes is set, a reference, otherwise a
// boolean.
type trait struct {
	code      string
	ofThings  bool // of devices and medications, not of people
	low, high int
	step      int
	scale     int
	unit      unit
	codes     branch // branchCount for none
	reference bool   // to an organization
}

var traits = []trait{
	{code: "age", low: 0, high: 100, step: 5, unit: unit{"years", "a"}, codes: branchCount},
	{code: "body-mass-index-range", low: 150, high: 400, step: 25, scale: 1, unit: unit{"kg/m2", "kg/m2"}, codes: branchCount},
	{code: "smoker", codes: branchCount},
	{code: "pregnant", codes: branchCount},
	{code: "lives-alone", codes: branchCount},
	{code: "diagnosed-with", codes: branchDisease},
	{code: "insured-by", codes: branchCount, reference: true},
	{code: "working-hours", low: 20, step: 4, unit: unit{"hours", "h"}, codes: branchCount},
	{code: "single-use", ofThings: true, codes: branchCount},
	{code: "in-stock", ofThings: true, codes: branchCount},
	{code: "storage-temperature", ofThings: true, low: -20, high: 25, step: 1, unit: unit{"degrees Celsius", "Cel"}, codes: branchCount},
	{code: "shelf-life", ofThings: true, low: 6, step: 6, unit: unit{"months", "mo"}, codes: branchCount},
	{code: "meant-for", ofThings: true, codes: branchDisease},
	{code: "made-by", ofThings: true, codes: branchCount, reference: true},
}

// characteristics writes the common characteristics of the members: at least one if they define
// the group.
func (d *draft) characteristics(typ string, actual bool) {
	count := d.between(1, 3)
	if actual {
		count = d.below(3)
	}
	if count == 0 {
		return
	}
	thing := typ == "device" || typ == "medication" || typ == "substance"
	d.list("characteristic")
	for range count {
		d.object("")
		if len(d.g.codes["Group.characteristic.code"]) > 0 {
			d.concept("code", d.drawn("Group.characteristic.code", branchCharacteristic))
			d.boolean("valueBoolean", d.percent(70))
		} else {
			d.trait(thing)
		}
		d.boolean("exclude", d.percent(25))
		if d.percent(30) {
			d.days("period", asOf.day()-day(d.between(400, 2_000)), 0)
		}
		d.end()
	}
	d.end()
}

// trait writes the code and value of a characteristic of people or of things.
func (d *draft) trait(thing bool) {
	t := &traits[d.below(len(traits))]
	for t.ofThings != thing {
		t = &traits[d.below(len(traits))]
	}
	for i := range topicTerms {
		if topicTerms[i].code == t.code {
			d.concept("code", topicTerms[i].coding())
		}
	}
	switch {
	case t.codes != branchCount:
		d.concept("valueCodeableConcept", d.drawn("Group.characteristic.valueCodeableConcept", t.codes))
	case t.reference:
		d.refer("valueReference", roleOrganization)
	case t.unit.code == "":
		d.boolean("valueBoolean", d.percent(70))
	case t.high == 0:
		d.quantity("valueQuantity", t.low+t.step*d.below(5), t.scale, t.unit)
	default:
		steps := (t.high - t.low) / t.step
		from := d.below(steps)
		d.rangeOf("valueRange", t.low+t.step*from, t.low+t.step*d.between(from+1, steps), t.scale, t.unit)
	}
}

// groupType are the member types of a Group.
var groupType = codeList{
	path: "Group.type",
	codes: []weightedCode{
		{"person", "", 50, false},
		{"animal", "", 8, false},
		{"practitioner", "", 15, false},
		{"device", "", 15, false},
		{"medication", "", 6, false},
		{"substance", "", 6, false},
	},
}
