package synth

// relatedPerson writes a RelatedPerson (section 2.9). It reads the fact kind (relationship) and
// the reference to the patient.
func relatedPerson(d *draft) {
	p, known := d.patient()
	if !known {
		p = d.person()
	}
	n, kin := d.relationshipTo(&p)
	female := d.percent(50)
	if sex := relationshipSexes[n]; sex != '-' {
		female = sex == 'f'
	}
	by, home := p.culture, p.home
	born := d.relativeBirth(kin, &p.life)
	minor := born.years(asOf.day()) < 18
	if kin == kinOther {
		by = d.culture()
	}
	name := d.named(by, female)
	if kin != kinOther && d.percent(75) {
		name.family = p.family
	}
	together := kin != kinOther && (minor || kin == kinSpouse || p.born.years(asOf.day()) < 18)
	if !together || d.percent(10) {
		home = d.place()
	}
	ended := kin == kinSpouse && d.percent(5)

	d.identifier("related-person")
	d.boolean("active", !ended && d.percent(97))
	d.refer("patient", rolePatient)
	d.concepts("relationship", relationship.coding(n))
	d.list("name")
	d.humanName("", "official", "", name)
	d.end()
	d.list("telecom")
	d.phone("phone", "home")
	if born.years(asOf.day()) >= 14 {
		d.phone("phone", "mobile")
		d.email("home", name.given, name.family)
	}
	d.end()
	switch d.weighted([]int{96, 2, 2}) {
	case 0:
		d.gender(female)
	case 1:
		d.text("gender", "other")
	case 2:
		d.text("gender", "unknown")
	}
	d.date("birthDate", born)
	d.list("address")
	d.address("", "home", "both", home, 0)
	d.end()
	if d.percent(5) {
		d.photo("photo", d.percent(50))
	}
	if ended || d.percent(30) {
		d.relationshipPeriod(max(born, p.born), p.lastDay(), ended)
	}
	d.list("communication")
	d.object("")
	d.language("language", by)
	d.boolean("preferred", true)
	d.ends(2)
}

// relationshipTo draws a relationship that the patient can have: the young have no children, the
// unmarried no spouses, and old patients no parents as contacts.
func (d *draft) relationshipTo(patient *person) (n int, kin kinship) {
	for i := range relationship.codes {
		if relationship.codes[i].code == d.facts.kind {
			return i, kinshipOf(i)
		}
	}
	age := patient.age()
	for {
		n = d.drawAt(&relationship)
		kin = kinshipOf(n)
		switch {
		case kin == kinChild && age < 20, kin == kinSpouse && !patient.wed(), kin == kinParent && (age > 60 || patient.died != 0):
		default:
			return n, kin
		}
	}
}

// relativeBirth draws the birth date of a relative. Parents are at least 16 years older than
// their children, spouses at least 18 years old.
func (d *draft) relativeBirth(kin kinship, patient *life) day {
	const year = 365
	born, now := int(patient.born), int(asOf.day())
	switch kin {
	case kinChild:
		born += d.between(16*year+10, max(17, min(42, patient.age()-1))*year)
	case kinSpouse:
		born = min(born+d.between(-8*year, 8*year), now-18*year-d.between(6, 100))
	case kinParent:
		born -= d.between(16*year+10, 42*year)
	case kinSibling:
		born += d.between(-10*year, 10*year)
	case kinOther:
		born = now - d.between(20*year, 80*year)
	}
	return birth(day(min(born, now-30)))
}

// relationshipPeriod writes the period of the relationship, which is sometimes closed.
func (d *draft) relationshipPeriod(first, last day, ended bool) {
	start := day(d.between(int(min(first, last)), int(last)))
	end := day(0)
	if ended {
		end = day(d.between(int(start), int(last)))
	}
	d.days("period", start, end)
}
