package synth

// reportKind describes a variant of reports.
type reportKind struct {
	variant, category string
	code, conclusion  branch
	quickest, slowest int    // from the examination to the report, in minutes
	results           string // category of the observations in the report, or ""
}

// reportKinds are the variants. The last one applies to all others.
var reportKinds = []reportKind{
	{"radiology", "RAD", branchImaging, branchImagingConclusion, 20, 1_440, ""},
	{"pathology", "PAT", branchPathology, branchPathologyConclusion, 1_440, 7_200, ""},
	{"cardiac-ultrasound", "CUS", branchCardiac, branchCardiacConclusion, 10, 240, ""},
	{"nursing", "NRS", branchNursing, branchNursingConclusion, 5, 60, "vital-signs"},
	{"lab-panel", "LAB", branchLabPanel, branchLaboratoryConclusion, 60, 1_440, "laboratory"},
}

// reportKindOf returns the kind of a variant.
func reportKindOf(variant string) *reportKind {
	for i := range reportKinds {
		if reportKinds[i].variant == variant {
			return &reportKinds[i]
		}
	}
	return &reportKinds[len(reportKinds)-1]
}

// diagnosticReport writes a DiagnosticReport (section 2.6). It reads the facts at, until
// (issued), status, kind (variant), code, secondCode (conclusion), results and worstResult.
func diagnosticReport(d *draft) {
	status := d.g.texts["status"]
	if status == "" {
		status = d.status(&reportStatus)
	}
	kind := reportKindOf(d.kind("variant", &reportVariant))
	at := d.when()
	results, of, worst := d.reportResults(kind)
	issued := d.facts.until
	if issued == 0 {
		issued = at + moment(d.between(kind.quickest, kind.slowest)*minute)
		if of.Code != "" { // the results come first
			issued += oneDay
		}
		issued = min(issued, asOf-minute)
	}
	done := status != "registered" && status != "cancelled"
	d.identifier("report")
	d.references("basedOn", d.given(roleServiceRequest))
	d.text("status", status)
	d.concepts("category", reportCategory.find(kind.category))
	code := d.suitableCode("DiagnosticReport.code", kind.code, at)
	if panel := panelOf(of.Code); panel != "" && code.System == ClinicURL {
		code = d.g.clinic.codes[panel]
	}
	d.concept("code", code)
	d.refer("subject", rolePatient)
	d.refer("encounter", roleEncounter)
	d.moment("effectiveDateTime", at)
	d.moment("issued", issued)
	d.refers("performer", rolePractitioner)
	if !done {
		return
	}
	d.references("result", results...)
	if status == "partial" || status == "preliminary" && d.percent(50) {
		return
	}
	conclusion := d.concluded(kind, worst)
	switch {
	case status == "amended" || status == "corrected" || status == "appended":
		d.join("conclusion", conclusion.words(), ". This report takes the place of an earlier one.")
	case conclusion.Code != "":
		d.join("conclusion", conclusion.words(), ".")
	}
	d.concepts("conclusionCode", conclusion)
}

// reportResults returns the observations of a report: those set by the story or the options, or
// the observation with the number of the report if its category fits. For the latter, of is its
// code. worst is the worst verdict of the results.
func (d *draft) reportResults(kind *reportKind) (results []string, of Coding, worst verdict) {
	if len(d.facts.results) > 0 {
		return d.facts.results, Coding{}, d.facts.worstResult
	}
	if to := d.given(roleObservation); to != "" {
		return []string{to}, Coding{}, unjudged
	}
	if d.inStory || kind.results == "" {
		return nil, Coding{}, unjudged
	}
	s := newStream(d.g.seed, hash("Observation"), d.number)
	if drawn := s; drawn.code(&observationCategory) != kind.results {
		return nil, Coding{}, unjudged
	}
	if of, worst = d.observationResult(s); of.Code == "" {
		return nil, Coding{}, unjudged
	}
	return []string{d.ref(roleObservation)}, of, worst
}
