package synth

// medicationRequest writes a MedicationRequest (section 2.5). It reads the facts at, status, kind
// (category), code and secondCode (reason).
func medicationRequest(d *draft) {
	at := d.quarter(3)
	status := d.settled(&medicationRequestStatus, at)
	medication := d.suitableCode("MedicationRequest.medicationCodeableConcept", branchMedication, at)
	use := regimenOf(medication.Code)
	d.identifier("prescription")
	d.text("status", status)
	if status == "on-hold" || status == "cancelled" || status == "stopped" {
		d.concept("statusReason", d.draw(&medicationRequestReason))
	}
	d.text("intent", d.code(&medicationRequestIntent))
	d.concepts("category", medicationRequestCategory.find(d.kind("category", &medicationRequestCategory)))
	d.text("priority", d.code(&medicationRequestPriority))
	never := !d.inStory && d.percent(2)
	if never || d.percent(30) {
		d.boolean("doNotPerform", never)
	}
	switch d.weighted([]int{60, 30, 10}) {
	case 0:
		d.boolean("reportedBoolean", false)
	case 1:
		d.boolean("reportedBoolean", true)
	default:
		d.refer("reportedReference", rolePatient)
	}
	if to := d.ref(roleMedication); to != "" {
		d.reference("medicationReference", to)
	} else {
		d.concept("medicationCodeableConcept", medication)
	}
	d.refer("subject", rolePatient)
	d.refer("encounter", roleEncounter)
	d.moment("authoredOn", at)
	d.refer("requester", rolePractitioner)
	if d.percent(25) {
		d.refer("performer", roleOrganization)
	}
	if reason := d.facts.secondCode; reason.Code != "" {
		d.concepts("reasonCode", reason)
	} else if !d.inStory && d.percent(60) {
		d.concepts("reasonCode", d.treated(medication))
	}
	if d.given(roleCondition) != "" || d.percent(25) {
		d.refers("reasonReference", roleCondition)
	}
	if d.percent(12) {
		d.notes("note", at, d.one(prescriptionNotes))
	}
	if never {
		return
	}
	d.dosages(use, at)
	d.dispense(use, at, status)
	d.object("substitution")
	if d.percent(70) {
		d.boolean("allowedBoolean", d.percent(80))
	} else {
		d.concept("allowedCodeableConcept", d.draw(&medicationSubstitution))
	}
	d.end()
}

var prescriptionNotes = []string{"Side effects were talked about.", "The patient knows the medication.", "To be looked at again in four weeks.", "Levels are to be checked."}

// treated returns the reason for a medication: one of the chosen codes, the disease it treats, or
// any disease.
func (d *draft) treated(medication Coding) Coding {
	const path = "MedicationRequest.reasonCode"
	disease := treated(medication.Code)
	if disease == "" {
		disease = anywhere
	}
	return d.signCode(disease, path, branchDisease)
}

// dispense writes dispenseRequest with one to three packages. Active prescriptions and those on
// hold are still valid.
func (d *draft) dispense(r *regimen, at moment, status string) {
	quantity := r.size * d.between(1, 3)
	until := at.day() + day(90*d.between(1, 4))
	for until < asOf.day() && (status == "active" || status == "on-hold") {
		until += 360
	}
	d.object("dispenseRequest")
	d.days("validityPeriod", at.day(), until)
	d.integer("numberOfRepeatsAllowed", d.below(4))
	d.quantity("quantity", quantity, 0, r.form)
	d.quantity("expectedSupplyDuration", r.daysOf(quantity), 0, unit{"days", "d"})
	d.end()
}
