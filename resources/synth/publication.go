package synth

import "strconv"

// Members shared by the published types: Library, Measure, CodeSystem, ValueSet and
// Questionnaire.

// syntheticURL is the prefix of the canonical URLs of generated resources.
const syntheticURL = roget + "synthetic/"

// version returns the business version of resource n of a published type: "1.2.0".
func version(n uint64) string { return versions[n%uint64(len(versions))] }

var versions = [...]string{"1.0.0", "1.1.0", "1.2.0", "2.0.0"}

// canonical writes url and identifier of a published resource.
func (d *draft) canonical(typ string) {
	d.join("url", syntheticURL, typ, "/", d.facts.id)
	d.identifier("artifact")
}

// machineName writes a name for use in programs: letters, digits and _.
func (d *draft) machineName(begin string) {
	d.join("name", begin, "_", d.facts.id)
	for i := len(d.buf) - 2; d.buf[i] != '"'; i-- {
		if d.buf[i] == '-' || d.buf[i] == '.' {
			d.buf[i] = '_'
		}
	}
}

// numberedTitle writes a title that ends with the number of the resource.
func (d *draft) numberedTitle(text string) {
	d.join("title", text, " ")
	d.buf = append(strconv.AppendUint(d.buf[:len(d.buf)-1], d.number, 10), '"')
}

// published draws the time of publication.
func (d *draft) published() moment {
	if d.facts.at != 0 {
		return d.facts.at
	}
	return (asOf.day() - day(d.between(400, 2_000))).at(9, 0)
}

// publisher writes date and publisher.
func (d *draft) publisher(at moment) {
	d.moment("date", at)
	d.text("publisher", d.one(publishers))
}

var (
	publishers = []string{"Institute for Good Care", "Society of Family Doctors", "Quality Office of the Region", "Roget"}
	editors    = []string{"Working group on quality", "Working group on logic", "Working group on terminology", "Committee for review"}
)

// contacts writes a list with one ContactDetail.
func (d *draft) contacts(name string) {
	d.list(name)
	d.object("")
	d.text("name", d.one(editors))
	d.list("telecom")
	d.telecom("email", "office@quality.example.org", "work")
	d.ends(3)
}

// useContext writes a list with one UsageContext, the topic.
func (d *draft) useContext(about Coding) {
	d.list("useContext")
	d.object("")
	d.coding("code", d.draw(&usageContext))
	d.concept("valueCodeableConcept", about)
	d.ends(2)
}

// reviewed writes approvalDate, lastReviewDate and effectivePeriod, all after the publication.
// The period covers whole years.
func (d *draft) reviewed(at moment) {
	if d.percent(60) {
		approved := at.day() + day(d.between(10, 200))
		d.date("approvalDate", approved)
		d.date("lastReviewDate", approved+day(d.between(0, 180)))
	}
	d.effective(at)
}

// effective writes effectivePeriod: the year after the publication, or an open period from then
// on.
func (d *draft) effective(at moment) {
	if d.percent(80) {
		year, _, _ := at.day().civil()
		end := dayOf(year+1, 12, 31)
		if d.percent(30) {
			end = 0
		}
		d.days("effectivePeriod", dayOf(year+1, 1, 1), end)
	}
}

// peopleGroup returns a Group of people: the one set by the story or the options, or one whose
// number is a multiple of four (see group).
func (d *draft) peopleGroup() string {
	if to := d.ref(roleGroup); to == "" || d.g.refs[roleGroup] == to || d.facts.refs[roleGroup] == to {
		return to
	}
	return d.other("Group", d.number&^3)
}

// patients is the subject of resources about patients.
var patients = Coding{"http://hl7.org/fhir/resource-types", "Patient", "Patient"}
