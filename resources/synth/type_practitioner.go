package synth

// practitioner writes a Practitioner. It reads the fact code (specialty) and the reference to the
// organization that issued the qualification.
func practitioner(d *draft) {
	by := d.culture()
	female := d.percent(50)
	name := d.named(by, female)
	age := d.between(28, 66)
	born := birth(asOf.day() - day(age*365+d.below(365)))

	d.list("identifier")
	d.typedIdentifier("official", "PRN", "practitioner")
	d.end()
	d.boolean("active", d.percent(95))
	d.list("name")
	d.humanName("", "official", "Dr.", name)
	d.end()
	d.list("telecom")
	d.phone("phone", "work")
	d.email("work", name.given, name.family)
	if d.percent(20) {
		d.phone("pager", "work")
	}
	d.end()
	d.list("address")
	d.address("", "work", "both", d.place(), 0)
	d.end()
	d.gender(female)
	d.date("birthDate", born)
	if d.percent(10) {
		d.photo("photo", d.percent(50))
	}
	d.list("qualification")
	d.object("")
	d.list("identifier")
	d.numberedIdentifier("official", "MD")
	d.end()
	d.concept("code", d.about("Practitioner.qualification.code", branchSpecialty))
	d.days("period", born+day(26*365+d.below(2*365)), 0)
	d.refer("issuer", roleOrganization)
	d.ends(2)
	d.list("communication")
	d.language("", by)
	if second := d.culture(); second != by {
		d.language("", second)
	}
	d.end()
}
