package synth

import "strconv"

// imagingStudy writes an ImagingStudy (section 2.20). It reads the facts at, status, kind
// (modality), code (procedure) and secondCode (reason).
func imagingStudy(d *draft) {
	status := d.status(&imagingStatus)
	at := d.quarter(2)
	m, procedure, site := d.examination()
	root := d.studyUID()
	d.list("identifier")
	d.object("")
	d.text("system", "urn:dicom:uid")
	d.join("value", "urn:oid:", root)
	d.end()
	d.oneIdentifier("", "accession")
	d.end()
	d.text("status", status)
	d.list("modality")
	d.coding("", imagingModality.find(m.code))
	d.end()
	d.refer("subject", rolePatient)
	d.refer("encounter", roleEncounter)
	d.moment("started", at)
	if d.given(roleServiceRequest) != "" || d.percent(20) {
		d.refers("basedOn", roleServiceRequest)
	}
	d.refer("referrer", rolePractitioner)
	if d.percent(70) {
		d.refers("interpreter", rolePractitioner)
	}
	d.refers("endpoint", roleEndpoint)
	images := d.images(m, status)
	all := 0
	for _, n := range images {
		all += n
	}
	d.integer("numberOfSeries", len(images))
	d.integer("numberOfInstances", all)
	d.refer("procedureReference", roleProcedure)
	d.concepts("procedureCode", procedure)
	d.refer("location", roleLocation)
	d.reasonCode("ImagingStudy.reasonCode", 70)
	if d.percent(10) {
		d.notes("note", at, d.one(imagingNotes))
	}
	d.text("description", procedure.Display)
	if len(images) == 0 {
		return
	}
	d.list("series")
	for n, count := range images {
		d.series(m, root, n+1, count, site, at)
	}
	d.end()
}

var imagingNotes = []string{"The patient moved a little.", "Contrast medium was tolerated well.", "Earlier images were compared."}

// examination returns the modality, the procedure and the body site, which is "" for the whole
// body.
func (d *draft) examination() (m *modality, procedure Coding, site string) {
	const path = "ImagingStudy.procedureCode"
	if procedure = d.facts.code; procedure.Code == "" && len(d.g.codes[path]) > 0 {
		procedure = d.drawn(path, branchImaging)
	}
	if m, site = examined(procedure); m != nil {
		return m, procedure, site
	}
	m = modalityOf(d.kind("modality", &imagingModality))
	if procedure.Code != "" {
		return m, procedure, ""
	}
	n := d.below(len(m.procedures))
	return m, d.g.clinic.codes[m.procedures[n]], m.sites[n]
}

// studyUID draws an OID in the DICOM form for unregistered numbers: 2.25. and a whole number
// below 2 to the power of 128.
func (d *draft) studyUID() string {
	var uid [24]byte
	return string(strconv.AppendUint(append(uid[:0], "2.25."...), d.next()|1<<60, 10))
}

// images returns the number of images in each series. Registered and cancelled studies have none.
func (d *draft) images(m *modality, status string) []int {
	count := d.g.numbers["series"]
	switch {
	case status == "registered" || status == "cancelled":
		return nil
	case count == 0:
		count = d.between(1, m.maxSeries)
	}
	images := make([]int, count)
	for n := range images {
		images[n] = d.between(m.minImages, m.maxImages)
	}
	return images
}

// series writes a series with its instances.
func (d *draft) series(m *modality, root string, number, count int, site string, at moment) {
	var digits [64]byte
	series := append(append(digits[:0], root...), '.')
	series = appendInt(series, number)
	started := at + moment(number-1)*2*minute
	d.object("")
	d.text("uid", string(series))
	d.integer("number", number)
	d.coding("modality", imagingModality.find(m.code))
	d.text("description", m.titles[(number-1)%len(m.titles)])
	d.integer("numberOfInstances", count)
	d.refers("endpoint", roleEndpoint)
	if site != "" {
		d.coding("bodySite", d.g.clinic.codes[site])
	}
	d.moment("started", started)
	if practitioner := d.ref(rolePractitioner); practitioner != "" && number == 1 {
		d.list("performer")
		d.object("")
		d.concept("function", Coding{"http://terminology.hl7.org/CodeSystem/v3-ParticipationType", "PRF", "performer"})
		d.reference("actor", practitioner)
		d.ends(2)
	}
	d.list("instance")
	for n := range count {
		d.object("")
		d.text("uid", string(appendInt(append(series, '.'), n+1)))
		d.object("sopClass")
		d.text("system", "urn:ietf:rfc:3986")
		d.join("code", "urn:oid:1.2.840.10008.5.1.4.1.1.", m.sop)
		d.text("display", m.sopName)
		d.end()
		d.integer("number", n+1)
		d.end()
	}
	d.ends(2)
}
