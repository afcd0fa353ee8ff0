package synth

// patient writes a Patient (section 2.2). It reads the references to practitioner and
// organization. The person itself does not depend on a story.
func patient(d *draft) {
	p := d.person()
	age := p.born.years(asOf.day())
	linked, how := d.link()

	d.list("identifier")
	d.typedIdentifier("usual", "MR", "patient")
	if d.percent(40) {
		d.numberedIdentifier("official", d.one([]string{"HC", "HC", "DL", "PPN"}))
	}
	d.end()
	d.boolean("active", how != "replaced-by" && p.died == 0)
	d.patientNames(&p, age)
	d.list("telecom")
	d.phone("phone", "home")
	if age >= 14 {
		d.phone(d.one([]string{"phone", "phone", "sms"}), "mobile")
		d.email("home", p.given, p.family)
	}
	if age >= 18 && age < 67 && d.percent(30) {
		d.phone("phone", "work")
	}
	d.end()
	d.text("gender", p.gender)
	d.date("birthDate", p.born)
	switch {
	case p.died != 0 && d.percent(85):
		d.moment("deceasedDateTime", p.died)
	case p.died != 0:
		d.boolean("deceasedBoolean", true)
	case d.percent(30):
		d.boolean("deceasedBoolean", false)
	}
	d.list("address")
	d.address("", "home", "both", p.home, 0)
	if d.percent(12) {
		switch d.weighted([]int{60, 20, 20}) {
		case 0:
			d.address("", "old", "physical", d.place(), max(p.born+30, p.lastDay()-day(d.between(1, 4000))))
		case 1:
			d.address("", "temp", "physical", d.place(), 0)
		case 2:
			d.address("", "billing", "postal", d.place(), 0)
		}
	}
	d.end()
	d.concept("maritalStatus", p.marital)
	if d.percent(4) {
		d.integer("multipleBirthInteger", d.weighted([]int{45, 45, 10})+1)
	} else if d.percent(20) {
		d.boolean("multipleBirthBoolean", d.percent(3))
	}
	if d.percent(5) {
		d.photo("photo", d.percent(50))
	}
	if d.percent(60) {
		d.patientContacts(&p)
	}
	d.list("communication")
	d.object("")
	d.language("language", p.culture)
	d.boolean("preferred", true)
	d.end()
	if second := d.culture(); second != p.culture && d.percent(40) {
		d.object("")
		d.language("language", second)
		d.end()
	}
	d.end()
	d.refers("generalPractitioner", rolePractitioner)
	d.refer("managingOrganization", roleOrganization)
	if linked != "" {
		d.list("link")
		d.object("")
		d.reference("other", linked)
		d.text("type", how)
		d.ends(2)
	}
}

// link draws a link to an earlier record of the patient and its type. Both are "" for most
// patients.
func (d *draft) link() (to, how string) {
	if d.number == 0 || !d.percent(3) {
		return "", ""
	}
	back := 1 + d.below(int(min(d.number, 20)))
	return d.other("Patient", d.number-uint64(back)), d.code(&patientLink)
}

// patientNames writes the official name, and sometimes a usual name or maiden name.
func (d *draft) patientNames(p *person, age int) {
	d.list("name")
	d.humanName("", "official", "", p.nameParts)
	switch {
	case age >= 25 && p.female && d.percent(15):
		maiden := p.nameParts
		maiden.family = d.one(p.families)
		if maiden.family != p.family {
			d.humanName("", "maiden", "", maiden)
		}
	case d.percent(8):
		d.object("")
		d.text("use", "nickname")
		d.texts("given", p.given)
		d.end()
	}
	d.end()
}

// patientContacts writes a contact person.
func (d *draft) patientContacts(p *person) {
	relationship := d.draw(&patientContactRelationship)
	d.list("contact")
	d.object("")
	d.concepts("relationship", relationship)
	female := d.percent(50)
	name, home := d.named(p.culture, female), p.home
	if relationship.Code == "N" && d.percent(70) {
		name.family = p.family
	} else {
		home = d.place()
	}
	d.humanName("name", "usual", "", name)
	d.list("telecom")
	d.phone("phone", "mobile")
	d.end()
	d.address("address", "home", "physical", home, 0)
	d.gender(female)
	if relationship.Code == "E" {
		d.refer("organization", roleOrganization)
	}
	if d.percent(15) {
		d.days("period", max(p.born, p.lastDay()-day(d.between(30, 3000))), 0)
	}
	d.ends(2)
}

// gender writes the member gender.
func (w *writer) gender(female bool) {
	if female {
		w.text("gender", "female")
	} else {
		w.text("gender", "male")
	}
}
