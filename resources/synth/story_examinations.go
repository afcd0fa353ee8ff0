package synth

// measure writes vital signs of now: -1 too low, 1 too high, 0 as it happens.
func (t *teller) measure(level int, codes ...string) {
	at := t.story.later(1, 3)
	for _, code := range codes {
		f := t.observe("vital-signs", code, at)
		f.level = level
		t.write()
	}
}

// observe begins an observation.
func (t *teller) observe(category, code string, at moment) *facts {
	f := t.begin(kindObservation)
	f.at, f.status, f.kind = at, "final", category
	f.code = t.pick(kindObservation, "Observation.code", code)
	return f
}

// request writes a request and gives the reference to it.
func (t *teller) request(category string, code, reason Coding) string {
	f := t.begin(kindServiceRequest)
	f.at, f.status, f.kind = t.story.later(2, 5), "completed", category
	f.code, f.more = code, reason
	return t.write()
}

// report writes a report that is issued some minutes after now: request, variant, code,
// results and the worst of them.
func (t *teller) report(request, variant string, code Coding, minutes int, results []string, worst judgement) {
	s := &t.story
	f := t.begin(kindDiagnosticReport)
	f.at = s.now
	f.until = min(s.now+moment(minutes*minute), s.end-minute)
	f.status = "final"
	switch {
	case f.until > asOf-10*oneDay:
		f.status = "preliminary"
	case s.percent(10):
		f.status = "amended"
	}
	f.kind, f.code, f.results, f.worst = variant, code, results, worst
	f.refs[roleServiceRequest] = request
	t.write()
}

// mostTests is how many tests of a panel a laboratory does.
const mostTests = 3

// laboratory writes a request for a panel, its results and the report on them.
func (t *teller) laboratory(panel string, level int) {
	s := &t.story
	tests := panelTests(panel)
	tests = tests[:min(len(tests), mostTests)]
	request := t.request("laboratory", t.pick(kindServiceRequest, "ServiceRequest.code", panel), Coding{})
	at := s.later(2, 5)
	issued := s.between(60, 1_440)
	results, worst := make([]string, 0, len(tests)), missing
	for _, test := range tests {
		f := t.observe("laboratory", test, at)
		f.until = min(at+moment(issued*minute), s.end-minute)
		f.level = levelOf(test, level)
		f.refs[roleServiceRequest] = request
		results = append(results, t.write())
		worst = max(worst, t.d.worst)
	}
	t.report(request, "lab-panel", t.pick(kindDiagnosticReport, "DiagnosticReport.code", panel), issued, results, worst)
}

// image writes a request for images, the study with them, and what the radiologist sees.
func (t *teller) image(code string, reason Coding) {
	s := &t.story
	procedure := t.pick(kindServiceRequest, "ServiceRequest.code", code)
	request := t.request("imaging", procedure, reason)
	f := t.begin(kindImagingStudy)
	f.at, f.status = s.later(4, 9), "available"
	f.code, f.more = t.pick(kindImagingStudy, "ImagingStudy.procedureCode", code), reason
	if m, _ := examined(Coding{ClinicURL, code, ""}); m != nil { // for codes that were chosen
		f.kind = m.code
	}
	f.refs[roleServiceRequest] = request
	t.write()
	t.report(request, "radiology", t.pick(kindDiagnosticReport, "DiagnosticReport.code", code), s.between(20, 1_440), nil, unjudged)
}

// pathology writes a request for a look at tissue, and the report on it.
func (t *teller) pathology(code string) {
	s := &t.story
	request := t.request("laboratory", t.pick(kindServiceRequest, "ServiceRequest.code", code), Coding{})
	s.later(3, 6)
	t.report(request, "pathology", t.pick(kindDiagnosticReport, "DiagnosticReport.code", code), s.between(1_440, 7_200), nil, unjudged)
}

// ask writes the answers to a questionnaire.
func (t *teller) ask(template string) {
	s := &t.story
	f := t.begin(kindQuestionnaireResponse)
	f.at, f.status, f.kind = s.later(3, 8), "completed", template
	if s.percent(8) {
		f.status = "amended"
	}
	t.write()
}
