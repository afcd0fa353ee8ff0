package synth

// encounter writes an Encounter (section 2.3). It reads the facts at, until, status, kind
// (class), code (type), secondCode (reason), results (diagnosed conditions) and partOf.
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
	} else if !d.inStory && c.begun && isPart(d.number) { // ordered in the encounter that it is part of
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

// encounterType returns the type of an encounter: the one set by the story, one chosen by the
// options, or one that fits the class.
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

// encounterCourse returns the course of an encounter and the reference to the encounter that it
// is part of. By default the last of every 16 encounters is part of the one before.
func (d *draft) encounterCourse() (c course, part string) {
	if d.inStory || d.facts.partOf != "" || !isPart(d.number) {
		return d.course(), d.facts.partOf
	}
	whole := draft{stream: newStream(d.g.seed, encounterStream, d.number-1), g: d.g, number: d.number - 1}
	return whole.course().within(), d.other("Encounter", d.number-1)
}

// encounterStream is the stream of the Generator for Encounter.
var encounterStream = hash("Encounter")

// participant writes the practitioner who took part.
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

// diagnoses writes the diagnosed conditions.
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

// hospitalization writes the admission and discharge.
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

// elsewhere returns the organization before that of the encounter, or "".
func (d *draft) elsewhere() string {
	n := d.number / roles[roleOrganization].share
	if d.inStory || n == 0 || d.given(roleOrganization) != "" {
		return ""
	}
	return d.other("Organization", n-1)
}

// whereabouts writes the location of the patient.
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
