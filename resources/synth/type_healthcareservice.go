package synth

// healthcareService writes a HealthcareService (section 2.12). It reads the fact code (type) and
// the references to organization and location.
func healthcareService(d *draft) {
	at := d.place()
	specialty := d.drawn("HealthcareService.specialty", branchSpecialty)

	d.identifier("healthcare-service")
	d.boolean("active", d.percent(95))
	d.refer("providedBy", roleOrganization)
	d.concepts("category", d.serviceCategory(specialty.Code))
	d.concepts("type", d.about("HealthcareService.type", branchServiceType))
	d.concepts("specialty", specialty)
	d.refers("location", roleLocation)
	d.join("name", specialty.words(), ", ", at.name)
	if d.percent(50) {
		d.join("comment", "Entrance from ", at.street, at.kind, ", second door.")
	}
	if d.percent(20) {
		d.text("extraDetails", "Please bring *all* findings that you have.")
	}
	if d.percent(5) {
		d.picture("photo", d.percent(50))
	}
	d.reception(&at)
	if d.percent(30) {
		d.refers("coverageArea", roleLocation)
	}
	d.concepts("serviceProvisionCode", d.draw(&serviceProvision))
	if d.percent(30) {
		d.list("eligibility")
		d.object("")
		d.concept("code", d.drawn("HealthcareService.eligibility.code", branchEligibility))
		d.ends(2)
	}
	if d.percent(25) {
		d.concepts("program", d.draw(&serviceProgram))
	}
	if d.percent(60) {
		d.concepts("characteristic", d.drawn("HealthcareService.characteristic", branchServiceCharacteristic))
	}
	if d.percent(70) {
		d.list("communication")
		d.language("", d.culture())
		d.end()
	}
	d.concepts("referralMethod", d.draw(&referralMethod))
	d.boolean("appointmentRequired", d.percent(60))
	d.availableTime()
	if d.percent(30) {
		d.notAvailable()
	}
	if d.percent(30) {
		d.text("availabilityExceptions", "Closed on public holidays.")
	}
	d.refers("endpoint", roleEndpoint)
}

// specialtyCategories are the categories from the list serviceCategory by specialty.
var specialtyCategories = []struct{ specialty, category string }{
	{"general-practice", "17"},
	{"emergency-medicine", "14"},
	{"psychiatry", "22"},
	{"pathology", "26"},
	{"radiology", "30"},
	{"general-surgery", "31"},
	{"orthopaedics", "31"},
	{"urology", "31"},
	{"ophthalmology", "31"},
}

// serviceCategory returns the category for a specialty, or draws one if none is assigned.
func (d *draft) serviceCategory(specialty string) Coding {
	for _, row := range specialtyCategories {
		if row.specialty == specialty {
			return serviceCategory.find(row.category)
		}
	}
	return d.draw(&serviceOther)
}

// availableTime writes the opening hours: always, or on working days, sometimes with another day.
func (d *draft) availableTime() {
	d.list("availableTime")
	d.object("")
	if d.percent(15) {
		d.daysOfWeek(7)
		d.boolean("allDay", true)
		d.ends(2)
		return
	}
	d.daysOfWeek(5)
	d.time("availableStartTime", d.between(7, 9)*hour)
	d.time("availableEndTime", d.between(15, 18)*hour+30*minute)
	d.end()
	if d.percent(40) {
		d.object("")
		d.texts("daysOfWeek", d.code(&weekdays))
		d.time("availableStartTime", d.between(8, 10)*hour)
		d.time("availableEndTime", d.between(12, 20)*hour)
		d.end()
	}
	d.end()
}

// notAvailable writes two weeks in which the service is closed.
func (d *draft) notAvailable() {
	first := asOf.day() + day(d.between(10, 300))
	d.list("notAvailable")
	d.object("")
	d.text("description", d.one([]string{"Holidays of the staff", "Rebuilding", "Maintenance"}))
	d.days("during", first, first+13)
	d.ends(2)
}
