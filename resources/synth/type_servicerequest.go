package synth

// serviceBranch returns the branch that services of a category are drawn from.
func (d *draft) serviceBranch(category string) branch {
	switch category {
	case "imaging":
		return branchImaging
	case "referral":
		return branchReferral
	case "rehabilitation":
		return branchRehabilitation
	}
	if d.percent(50) {
		return branchLabPanel
	}
	return branchLaboratory
}

// serviceRequest writes a ServiceRequest (section 2.10). It reads the facts at, status, kind
// (category), code and secondCode (reason).
func serviceRequest(d *draft) {
	category := d.kind("category", &serviceRequestCategory)
	at := d.quarter(1)
	d.identifier("request")
	d.text("status", d.settled(&serviceRequestStatus, at))
	d.text("intent", d.code(&serviceRequestIntent))
	d.concepts("category", serviceRequestCategory.find(category))
	d.text("priority", d.code(&serviceRequestPriority))
	d.concept("code", d.suitableCode("ServiceRequest.code", d.serviceBranch(category), at))
	d.refer("subject", rolePatient)
	d.refer("encounter", roleEncounter)
	d.moment("authoredOn", at)
	d.refer("requester", rolePractitioner)
	if d.percent(60) {
		d.refers("performer", rolePractitioner)
	}
	d.reasonCode("ServiceRequest.reasonCode", 75)
	if d.given(roleCondition) != "" || d.percent(15) {
		d.refers("reasonReference", roleCondition)
	}
	if d.percent(15) {
		d.notes("note", at, d.one(requestNotes))
	}
}

var requestNotes = []string{"Please call the patient.", "Please compare with earlier results.", "The patient needs an interpreter.", "The result is wanted before the next visit."}
