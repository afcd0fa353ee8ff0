package synth

import "slices"

// over reports whether a clinical status means that a condition has ended.
func over(clinical string) bool {
	return clinical == "inactive" || clinical == "remission" || clinical == "resolved"
}

// condition writes a Condition (section 2.4). It reads the facts at, until, status (clinical),
// kind (category), code and results (observations).
func condition(d *draft) {
	begun := d.when()
	verification := "confirmed"
	if !d.inStory {
		verification = d.code(&conditionVerification)
	}
	clinical := d.status(&conditionClinical)
	ended := d.facts.until
	if over(clinical) && ended == 0 {
		ended = min(begun+moment(d.between(2, 90)*oneDay), asOf-hour)
	}
	disease := d.suitableCode("Condition.code", branchDisease, begun)
	d.identifier("condition")
	if verification != "entered-in-error" { // con-5
		d.concept("clinicalStatus", conditionClinical.find(clinical))
	}
	d.concept("verificationStatus", conditionVerification.find(verification))
	d.concepts("category", conditionCategory.find(d.kind("category", &conditionCategory)))
	if d.percent(70) {
		d.concept("severity", d.draw(&conditionSeverity))
	}
	d.concept("code", disease)
	of := signOf(disease)
	if of.site != "" && d.percent(70) {
		d.concepts("bodySite", d.signCode(of.site, "Condition.bodySite", branchBodySite))
	}
	d.refer("subject", rolePatient)
	d.refer("encounter", roleEncounter)
	age := d.ageAt(begun)
	d.onset(begun, age)
	if over(clinical) && verification != "entered-in-error" { // con-4
		d.abatement(begun, ended, age)
	}
	recorded := begun + moment(d.between(1, 2)*minute)
	d.moment("recordedDate", recorded)
	d.refer("recorder", rolePractitioner)
	if d.percent(80) {
		d.refer("asserter", rolePractitioner)
	} else {
		d.refer("asserter", rolePatient)
	}
	d.stage(disease)
	d.evidence(of)
	if d.percent(15) {
		d.notes("note", recorded, d.one(conditionNotes))
	}
}

var conditionNotes = []string{"Discussed with the patient.", "To be seen again in four weeks.", "Known in the family."}

// years is the unit of an Age.
var years = unit{"years", "a"}

// ageAt returns the age in years of the patient of a resource, or some adult age if nothing is
// known.
func (d *draft) ageAt(m moment) int {
	if l := d.life(); l.born != 0 {
		return l.born.years(m.day())
	}
	return d.between(18, 80)
}

// onset writes the onset of a condition, usually as a dateTime. An Age must be positive (age-1).
func (d *draft) onset(begun moment, age int) {
	how := d.weighted([]int{80, 6, 5, 4, 5})
	switch {
	case how == 1 && age > 0:
		d.quantity("onsetAge", age, 0, years)
	case how == 2:
		d.period("onsetPeriod", begun-oneDay, begun)
	case how == 3 && age > 0:
		d.rangeOf("onsetRange", max(0, age-2), age, 0, years)
	case how == 4:
		d.text("onsetString", d.one([]string{"After an infection", "In childhood", "Slowly, over some months"}))
	default:
		d.moment("onsetDateTime", begun)
	}
}

// abatement writes the end of a condition, usually as a dateTime.
func (d *draft) abatement(begun, ended moment, age int) {
	age += begun.day().years(ended.day())
	how := d.weighted([]int{80, 6, 5, 4, 5})
	switch {
	case how == 1 && age > 0:
		d.quantity("abatementAge", age, 0, years)
	case how == 2:
		d.period("abatementPeriod", max(begun, ended-7*oneDay), ended)
	case how == 3 && age > 0:
		d.rangeOf("abatementRange", age, age+1, 0, years)
	case how == 4:
		d.text("abatementString", d.one([]string{"Slowly", "After treatment", "By itself"}))
	default:
		d.moment("abatementDateTime", ended)
	}
}

// staged are the diseases of Clinic that have stages.
var staged = []string{"breast-cancer", "colon-cancer", "lung-cancer", "skin-cancer", "heart-failure", "chronic-kidney-disease"}

// stage writes the stage for most diseases that have stages, and sometimes for a chosen code.
func (d *draft) stage(disease Coding) {
	share := 10
	if disease.System == ClinicURL {
		if share = 80; !slices.Contains(staged, disease.Code) {
			return
		}
	}
	if !d.percent(share) {
		return
	}
	d.list("stage")
	d.object("")
	d.concept("summary", d.drawn("Condition.stage.summary", branchStage))
	if d.percent(40) {
		d.refers("assessment", roleObservation)
	}
	d.concept("type", d.drawn("Condition.stage.type", branchStaging))
	d.ends(2)
}

// evidence writes the symptom and the observations that support a diagnosis: those of the story,
// or sometimes one.
func (d *draft) evidence(of sign) {
	found := d.facts.results
	if len(found) == 0 && !d.percent(30) {
		return
	}
	if to := d.ref(roleObservation); len(found) == 0 && to != "" && d.percent(40) {
		found = []string{to}
	}
	if of.symptom == "" && len(found) == 0 {
		return
	}
	d.list("evidence")
	d.object("")
	if of.symptom != "" {
		d.concepts("code", d.signCode(of.symptom, "Condition.evidence.code", branchSymptom))
	}
	d.references("detail", found...)
	d.ends(2)
}
