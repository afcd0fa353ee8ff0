package synth

// encounter writes an Encounter (section 2.3). It reads the facts at, until, status, kind
// (class), code (type), more (reason), results (the conditions that were diagnosed) and part.
func encounter(d *draft) {
	c, part := d.encounterCourse()
	class := encounterClass.find(c.class)
	d.identifier("encounter")
	d.text("status", c.status)
	if c.status != "entered-in-error" && c.status != "unknown" && (c.begun || c.status == "cancelled") && d.percent(50) {
		d.statusHistory(c)
	}
	d.coding("class", class)
	if c.begun && (c.class == "IMP" || c.class == "ACUTE") && d.percent(40) {
		d.classHistory(c)
	}
	d.concepts("type", d.encounterType(c))
	if d.percent(60) {
		d.concept("serviceType", d.drawn("Encounter.serviceType", branchServiceType))
	}
	if c.class == "EMER" {
		d.concept("priority", encounterPriority.find("EM"))
	} else {
		d.concept("priority", d.draw(&encounterPriority))
	}
	d.refer("subject", rolePatient)
	d.refers("episodeOfCare", roleEpisodeOfCare)
	if based := d.given(roleServiceRequest); based != "" {
		d.references("basedOn", based)
	} else if !d.told && c.begun && isPart(d.number) { // asked for in the encounter it is part of
		d.references("basedOn", d.other("ServiceRequest", d.number-1))
	}
	d.participant(c)
	d.refers("appointment", roleAppointment)
	if c.begun {
		d.period("period", c.start, c.end)
		if c.end != 0 {
			d.length(c)
		}
	}
	d.reasonCode("Encounter.reasonCode", 75)
	if c.begun {
		d.diagnoses(c)
		if inHospital(c.class) {
			d.hospitalization(c)
		}
		d.whereabouts(c)
	}
	d.refer("serviceProvider", roleOrganization)
	d.reference("partOf", part)
}

// encounterType returns the type of an encounter: that of the story, one that was chosen, else
// one that fits the class.
func (d *draft) encounterType(c course) Coding {
	const path = "Encounter.type"
	if d.facts.code.Code != "" || len(d.g.codes[path]) > 0 {
		return d.about(path, branchEncounterType)
	}
	typ := d.one(stays[c.stay].types)
	if l := d.life(); c.begun && !l.suits(typ, c.start) || !c.begun && typ == "antenatal-visit" {
		typ = stays[c.stay].types[0]
	}
	return d.g.clinic.codes[typ]
}

// encounterCourse returns the course of an encounter and what it is part of: of 16 that nothing
// is said of, the last is part of the one before it.
func (d *draft) encounterCourse() (c course, part string) {
	if d.told || d.facts.part != "" || !isPart(d.number) {
		return d.course(), d.facts.part
	}
	whole := draft{stream: newStream(d.g.seed, encounterStream, d.number-1), g: d.g, number: d.number - 1}
	return whole.course().within(), d.other("Encounter", d.number-1)
}

// encounterStream is the stream of Generator for Encounters.
var encounterStream = hash("Encounter")

// participant writes who took part.
func (d *draft) participant(c course) {
	practitioner := d.ref(rolePractitioner)
	if practitioner == "" {
		return
	}
	d.list("participant")
	d.object("")
	d.concepts("type", d.draw(&encounterParticipant))
	if c.begun {
		d.period("period", c.start, c.end)
	}
	d.reference("individual", practitioner)
	d.ends(2)
}

// diagnoses writes the conditions that were diagnosed.
func (d *draft) diagnoses(c course) {
	found := d.facts.results
	if condition := d.ref(roleCondition); len(found) == 0 && condition != "" && (d.given(roleCondition) != "" || d.percent(50)) {
		found = []string{condition}
	}
	if len(found) == 0 {
		return
	}
	d.list("diagnosis")
	for n, condition := range found {
		d.object("")
		d.reference("condition", condition)
		use := d.draw(&encounterDiagnosisUse)
		if use.Code == "DD" && c.status != "finished" {
			use = encounterDiagnosisUse.find("AD")
		}
		d.concept("use", use)
		d.integer("rank", n+1)
		d.end()
	}
	d.end()
}

// hospitalization writes of the admission and the discharge.
func (d *draft) hospitalization(c course) {
	d.object("hospitalization")
	d.oneIdentifier("preAdmissionIdentifier", "pre-admission")
	source := d.draw(&encounterAdmitSource)
	if source.Code == "hosp-trans" {
		d.reference("origin", d.elsewhere())
	}
	d.concept("admitSource", source)
	if d.percent(10) {
		d.concept("reAdmission", Coding{"http://terminology.hl7.org/CodeSystem/v2-0092", "R", "Re-admission"})
	}
	if d.percent(25) {
		d.concepts("dietPreference", d.draw(&encounterDiet))
	}
	if d.percent(20) {
		d.concepts("specialCourtesy", d.draw(&encounterCourtesy))
	}
	if d.percent(20) {
		d.concepts("specialArrangement", d.draw(&encounterArrangement))
	}
	if c.status == "finished" {
		disposition := d.draw(&encounterDischarge)
		if died := d.facts.died; died != 0 && died <= c.end {
			disposition = Coding{encounterDischarge.system, "exp", "Expired"}
		}
		if disposition.Code == "other-hcf" {
			d.reference("destination", d.elsewhere())
		}
		d.concept("dischargeDisposition", disposition)
	}
	d.end()
}

// elsewhere returns another organization than the one of the encounter: the one before it, ""
// when there is none.
func (d *draft) elsewhere() string {
	n := d.number / roles[roleOrganization].share
	if d.told || n == 0 || d.given(roleOrganization) != "" {
		return ""
	}
	return d.other("Organization", n-1)
}

// whereabouts writes where the patient was.
func (d *draft) whereabouts(c course) {
	location := d.ref(roleLocation)
	if location == "" || c.class == "VR" || c.class == "HH" || c.class == "FLD" {
		return
	}
	d.list("location")
	d.object("")
	d.reference("location", location)
	if c.end == 0 {
		d.text("status", "active")
	} else {
		d.text("status", "completed")
	}
	if inHospital(c.class) {
		d.concept("physicalType", d.draw(&encounterPlace))
	} else {
		d.concept("physicalType", encounterPlace.find("ro"))
	}
	d.period("period", c.start, c.end)
	d.ends(2)
}
