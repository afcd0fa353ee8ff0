package synth

// measure writes vital signs at the current time. level is -1 for too low, 1 for too high, 0 for
// any value.
func (t *storyWriter) measure(level int, codes ...string) {
	at := t.story.advance(1, 3)
	for _, code := range codes {
		f := t.observe("vital-signs", code, at)
		f.level = level
		t.write()
	}
}

// observe begins an observation.
func (t *storyWriter) observe(category, code string, at moment) *facts {
	f := t.begin(kindObservation)
	f.at, f.status, f.kind = at, "final", category
	f.code = t.pick(kindObservation, "Observation.code", code)
	return f
}

// request writes a ServiceRequest and returns the reference to it.
func (t *storyWriter) request(category string, code, reason Coding) string {
	f := t.begin(kindServiceRequest)
	f.at, f.status, f.kind = t.story.advance(2, 5), "completed", category
	f.code, f.secondCode = code, reason
	return t.write()
}

// report writes a DiagnosticReport that is issued some minutes from now.
func (t *storyWriter) report(request, variant string, code Coding, minutes int, results []string, worst verdict) {
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
	f.kind, f.code, f.results, f.worstResult = variant, code, results, worst
	f.refs[roleServiceRequest] = request
	t.write()
}

// maxTests is the largest number of tests of a panel that a laboratory performs.
const maxTests = 3

// laboratory writes the request for a panel, its results and the report.
func (t *storyWriter) laboratory(panel string, level int) {
	s := &t.story
	tests := panelTests(panel)
	tests = tests[:min(len(tests), maxTests)]
	request := t.request("laboratory", t.pick(kindServiceRequest, "ServiceRequest.code", panel), Coding{})
	at := s.advance(2, 5)
	issued := s.between(60, 1_440)
	results, worst := make([]string, 0, len(tests)), noValue
	for _, test := range tests {
		f := t.observe("laboratory", test, at)
		f.until = min(at+moment(issued*minute), s.end-minute)
		f.level = levelOf(test, level)
		f.refs[roleServiceRequest] = request
		results = append(results, t.write())
		worst = max(worst, t.d.worstResult)
	}
	t.report(request, "lab-panel", t.pick(kindDiagnosticReport, "DiagnosticReport.code", panel), issued, results, worst)
}

// image writes the request for imaging, the study and the radiology report.
func (t *storyWriter) image(code string, reason Coding) {
	s := &t.story
	procedure := t.pick(kindServiceRequest, "ServiceRequest.code", code)
	request := t.request("imaging", procedure, reason)
	f := t.begin(kindImagingStudy)
	f.at, f.status = s.advance(4, 9), "available"
	f.code, f.secondCode = t.pick(kindImagingStudy, "ImagingStudy.procedureCode", code), reason
	if m, _ := examined(Coding{ClinicURL, code, ""}); m != nil { // code may have been replaced by a chosen one
		f.kind = m.code
	}
	f.refs[roleServiceRequest] = request
	t.write()
	t.report(request, "radiology", t.pick(kindDiagnosticReport, "DiagnosticReport.code", code), s.between(20, 1_440), nil, unjudged)
}

// pathology writes the request for a tissue examination and its report.
func (t *storyWriter) pathology(code string) {
	s := &t.story
	request := t.request("laboratory", t.pick(kindServiceRequest, "ServiceRequest.code", code), Coding{})
	s.advance(3, 6)
	t.report(request, "pathology", t.pick(kindDiagnosticReport, "DiagnosticReport.code", code), s.between(1_440, 7_200), nil, unjudged)
}

// ask writes a QuestionnaireResponse.
func (t *storyWriter) ask(template string) {
	s := &t.story
	f := t.begin(kindQuestionnaireResponse)
	f.at, f.status, f.kind = s.advance(3, 8), "completed", template
	if s.percent(8) {
		f.status = "amended"
	}
	t.write()
}
