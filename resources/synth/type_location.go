package synth

// partNames are the names of parts of a building without their number, in the order of
// locationPart.
var partNames = []string{"Wing ", "Ward ", "Level ", "Corridor ", "Room ", "Bed ", "Cabinet "}

// location writes a Location. The first of each eight is a site or building; the others are
// within it.
func location(d *draft) {
	at := d.place()
	first := d.number &^ 7
	within := d.number != first
	if within {
		at = d.g.site("Location", first)
	}
	part := d.drawAt(&locationPart)

	d.identifier("location")
	d.text("status", d.code(&locationStatus))
	if within && part >= 4 { // rooms and beds
		d.coding("operationalStatus", d.draw(&locationOperational))
	}
	if within {
		d.join("name", partNames[part], d.facts.id)
	} else {
		d.join("name", at.name, d.one(organizationNames[0]))
	}
	if d.percent(15) {
		d.list("alias")
		d.join("", "The ", at.district, " House")
		d.end()
	}
	if d.percent(40) {
		d.join("description", "Entrance from ", at.street, at.kind)
	}
	d.text("mode", "instance")
	if within {
		d.concepts("type", d.draw(&locationUnit))
	} else {
		d.concepts("type", d.draw(&locationType))
	}
	d.reception(&at)
	d.address("address", "work", "physical", at, 0)
	if within {
		d.concept("physicalType", locationPart.coding(part))
	} else {
		d.concept("physicalType", d.draw(&locationSite))
	}
	d.object("position")
	d.decimal("longitude", at.long+at.number, 4)
	d.decimal("latitude", at.lat+at.postalSuffix*5, 4)
	d.integer("altitude", d.below(400))
	d.end()
	d.refer("managingOrganization", roleOrganization)
	if within {
		d.reference("partOf", d.other("Location", first))
	} else if d.percent(70) {
		d.hoursOfOperation()
	}
	if d.percent(20) {
		d.text("availabilityExceptions", "Closed on public holidays.")
	}
	d.refers("endpoint", roleEndpoint)
}

// hoursOfOperation writes the opening hours of a location.
func (d *draft) hoursOfOperation() {
	d.list("hoursOfOperation")
	d.object("")
	if d.percent(30) {
		d.daysOfWeek(7)
		d.boolean("allDay", true)
	} else {
		d.daysOfWeek(5)
		d.time("openingTime", d.between(7, 9)*hour)
		d.time("closingTime", d.between(16, 20)*hour)
	}
	d.ends(2)
}

// daysOfWeek writes the first days of the week.
func (w *writer) daysOfWeek(count int) {
	w.list("daysOfWeek")
	for _, day := range weekdays.codes[:count] {
		w.text("", day.code)
	}
	w.end()
}
