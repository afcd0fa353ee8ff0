package synth

// organization writes an Organization. The first of each eight is an independent provider;
// departments and teams are parts of the first of their eight.
func organization(d *draft) {
	at := d.place()
	first := d.number &^ 7
	typ := 0
	if d.number != first {
		typ = d.drawAt(&organizationType)
	}
	kind := d.one(organizationNames[typ])
	part := typ == 1 || typ == 2
	if part {
		at = d.g.site("Organization", first)
	}

	d.list("identifier")
	d.typedIdentifier("official", "XX", "organization")
	d.end()
	d.boolean("active", typ == 0 || d.percent(97))
	d.concepts("type", organizationType.coding(typ))
	d.join("name", at.name, kind)
	if d.percent(25) {
		d.list("alias")
		d.join("", at.district, kind)
		d.end()
	}
	d.reception(&at)
	d.list("address")
	d.address("", "work", "both", at, 0)
	d.end()
	if part {
		d.reference("partOf", d.other("Organization", first))
	}
	if d.percent(40) {
		d.list("contact")
		d.object("")
		d.concept("purpose", d.draw(&organizationContact))
		d.humanName("name", "usual", "", d.named(d.culture(), d.percent(50)))
		d.list("telecom")
		d.phone("phone", "work")
		d.end()
		if d.percent(30) {
			d.address("address", "work", "postal", d.place(), 0)
		}
		d.ends(2)
	}
	d.refers("endpoint", roleEndpoint)
}

// reception writes the contact data of a site: telephone, fax, email and web page.
func (d *draft) reception(at *address) {
	d.list("telecom")
	d.phone("phone", "work")
	d.email("work", "reception", at.name)
	if d.percent(30) {
		d.phone("fax", "work")
	}
	if d.percent(30) {
		d.object("")
		d.text("system", "url")
		d.join("value", "https://example.org/", d.facts.id)
		d.text("use", "work")
		d.end()
	}
	d.end()
}

// organizationNames are the names that organizations of each type carry after the name of their
// city, in the order of organizationType.
var organizationNames = [...][]string{
	{" General Hospital", " Medical Centre", " Health Centre", " Family Practice", " Clinic", " Community Hospital"},
	{" Emergency Department", " Department of Medicine", " Department of Surgery", " Department of Radiology", " Laboratory"},
	{" Care Team", " Stroke Team", " Palliative Team"},
	{" Health Authority", " Public Health Office"},
	{" Mutual Insurance", " Health Assurance"},
	{" Health Fund", " Sickness Fund"},
	{" University", " School of Nursing"},
	{" Sisters of Charity", " Parish"},
	{" Research Institute", " Trials Centre"},
	{" Self-Help Group", " Neighbours' Aid"},
	{" Medical Supplies", " Instruments", " Catering"},
	{" Foundation", " Society"},
}
