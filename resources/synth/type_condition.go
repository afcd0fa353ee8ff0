package synth

// over tells which clinical states say that a condition has ended.
func over(clinical string) bool {
	return clinical == "inactive" || clinical == "remission" || clinical == "resolved"
}

// condition writes a Condition (section 2.4).
func condition(d *draft) {
	begun := d.when()
	verification := d.code(&conditionVerification)
	clinical := d.status(&conditionClinical)
	ended := d.facts.until
	if over(clinical) && ended == 0 {
		ended = min(begun+moment(d.between(2, 90)*oneDay), asOf-hour)
	}
	d.identifier("https://roget.health/fhir/sid/condition", d.facts.id)
	if verification != "entered-in-error" { // con-5
		d.concept("clinicalStatus", conditionClinical.find(clinical))
	}
	d.concept("verificationStatus", conditionVerification.find(verification))
	d.concepts("category", d.draw(&conditionCategory))
	if d.percent(70) {
		d.concept("severity", d.draw(&conditionSeverity))
	}
	d.concept("code", d.about("Condition.code", branchDisease))
	if d.percent(30) {
		d.concepts("bodySite", d.drawn("Condition.bodySite", branchBodySite))
	}
	d.reference("subject", d.ref(rolePatient))
	d.reference("encounter", d.ref(roleEncounter))
	d.onset(begun)
	if over(clinical) && verification != "entered-in-error" { // con-4
		d.abatement(ended)
	}
	d.moment("recordedDate", begun+moment(d.between(5, 55)*minute))
	d.reference("recorder", d.ref(rolePractitioner))
	d.reference("asserter", d.ref(rolePractitioner))
	if d.percent(20) {
		d.list("evidence")
		d.object("")
		d.concepts("code", d.drawn("Condition.evidence.code", branchSymptom))
		d.ends(2)
	}
	if d.percent(15) {
		d.notes("note", begun, d.one([]string{"Discussed with the patient.", "To be seen again in four weeks.", "Known in the family."}))
	}
}

// onset writes when a condition began; mostly a dateTime.
func (d *draft) onset(begun moment) {
	switch d.weighted([]int{90, 5, 5}) {
	case 0:
		d.moment("onsetDateTime", begun)
	case 1:
		d.period("onsetPeriod", begun-7*oneDay, begun)
	case 2:
		d.text("onsetString", "after an infection")
	}
}

// abatement writes when a condition ended; mostly a dateTime.
func (d *draft) abatement(ended moment) {
	if d.percent(95) {
		d.moment("abatementDateTime", ended)
		return
	}
	d.text("abatementString", "slowly")
}
