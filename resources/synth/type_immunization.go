package synth

// vaccinations are the vaccines of Clinic that are not given as 0.5 mL into a muscle. The dose is
// in hundredths of a mL.
var vaccinations = []struct {
	code, route string
	dose        int
}{
	{"measles-vaccine", "SC", 50},
	{"varicella-vaccine", "SC", 50},
	{"yellow-fever-vaccine", "SC", 50},
	{"tuberculosis-vaccine", "ID", 10},
	{"influenza-spray", "NASINHL", 20},
	{"coronavirus-vaccine", "IM", 30},
	{"hepatitis-a-vaccine", "IM", 100},
	{"hepatitis-b-vaccine", "IM", 100},
	{"rabies-vaccine", "IM", 100},
}

// vaccination returns the route and dose of a vaccine. For a chosen code, the route is drawn.
func (d *draft) vaccination(code Coding) (route string, dose int) {
	if code.System != ClinicURL {
		return d.code(&immunizationRoute), 50
	}
	for _, v := range vaccinations {
		if v.code == code.Code {
			return v.route, v.dose
		}
	}
	return "IM", 50
}

// immunization writes an Immunization (section 2.7). It reads the facts at, status, code and
// secondCode (reason why it was not done).
func immunization(d *draft) {
	status := d.status(&immunizationStatus)
	given := status != "not-done"
	at := d.quarter(2)
	vaccine := d.suitableCode("Immunization.vaccineCode", branchVaccine, at)
	route, dose := d.vaccination(vaccine)
	d.identifier("immunization")
	d.text("status", status)
	if !given {
		reason := d.facts.secondCode
		if reason.Code == "" {
			reason = d.draw(&immunizationReason)
		}
		d.concept("statusReason", reason)
	}
	d.concept("vaccineCode", vaccine)
	d.refer("patient", rolePatient)
	d.refer("encounter", roleEncounter)
	d.moment("occurrenceDateTime", at)
	d.moment("recorded", at+moment(d.between(1, 20)*minute))
	primary := !given || d.percent(85)
	d.boolean("primarySource", primary)
	if !primary {
		d.concept("reportOrigin", d.draw(&immunizationOrigin))
	}
	d.refer("location", roleLocation)
	if given {
		d.administration(at, route, dose)
	}
	if practitioner := d.ref(rolePractitioner); practitioner != "" {
		function := immunizationFunction.find("OP")
		if given {
			function = d.draw(&immunizationFunction)
		}
		d.list("performer")
		d.object("")
		d.concept("function", function)
		d.reference("actor", practitioner)
		d.ends(2)
	}
	if d.percent(10) {
		d.notes("note", at, d.one(immunizationNotes))
	}
}

var immunizationNotes = []string{"The patient was told what to expect.", "The record of vaccinations was brought up to date.", "To be seen again for the next one."}

// administration writes lotNumber, expirationDate, site, route and doseQuantity.
func (d *draft) administration(at moment, route string, dose int) {
	var lot [8]byte
	n := append(lot[:0], byte('A'+d.below(26)), byte('A'+d.below(26)))
	d.text("lotNumber", string(appendDigits(n, d.below(1_000_000), 6)))
	d.date("expirationDate", at.day()+day(d.between(30, 540)))
	if route != "NASINHL" {
		d.concept("site", d.draw(&immunizationSite))
	}
	d.concept("route", immunizationRoute.find(route))
	d.quantity("doseQuantity", dose, 2, unit{"mL", "mL"})
}
