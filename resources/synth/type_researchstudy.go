package synth

// researchStudy writes a ResearchStudy (section 2.14). It reads the facts status, at, until and
// code (condition).
func researchStudy(d *draft) {
	s := studyOf("ResearchStudy/"+d.facts.id, d.facts.status)
	if d.facts.at != 0 {
		s.start, s.end = d.facts.at, d.facts.until
	}
	condition := d.about("ResearchStudy.condition", branchDisease)
	d.identifier("study")
	d.text("title", s.design.title+condition.words())
	d.refers("protocol", rolePlanDefinition)
	if d.number > 0 && !d.inStory && d.percent(15) {
		d.references("partOf", d.other("ResearchStudy", d.number-1))
	}
	d.text("status", s.status)
	d.concept("primaryPurposeType", d.draw(&studyPurpose))
	d.concept("phase", d.draw(&studyPhase))
	d.concepts("category", s.category(d))
	d.concepts("focus", d.drawn("ResearchStudy.focus", branchMedication))
	d.concepts("condition", condition)
	d.contacts("contact")
	d.list("relatedArtifact")
	d.object("")
	d.text("type", "documentation")
	d.text("display", "The protocol")
	d.join("url", syntheticURL, "protocol/", d.facts.id)
	d.ends(2)
	d.concepts("keyword", d.drawn("ResearchStudy.keyword", branchTopic))
	d.concepts("location", d.draw(&studyLocation))
	d.join("description", "Made up, to see ", d.one([]string{"which is better", "how safe it is", "how long it helps", "for whom it works"}), ".")
	d.references("enrollment", d.peopleGroup())
	if s.status != "disapproved" {
		d.period("period", s.start, s.end)
	}
	d.refer("sponsor", roleOrganization)
	d.refer("principalInvestigator", rolePractitioner)
	d.refers("site", roleLocation)
	if s.stopped() {
		d.concept("reasonStopped", d.draw(&studyStopped))
	}
	if d.percent(30) {
		d.notes("note", asOf-oneDay, "Looked at by the ethics committee.")
	}
	d.list("arm")
	for i := range s.design.arms {
		a := &s.design.arms[i]
		d.object("")
		d.text("name", a.name)
		d.concept("type", studyArmType.find(a.kind))
		d.text("description", a.description)
		d.end()
	}
	d.end()
	d.list("objective")
	for _, o := range []struct{ kind, name string }{
		{"primary", "Fewer complaints after half a year"}, {"secondary", "Fewer days in hospital"}, {"exploratory", "A better quality of life"},
	} {
		if o.kind == "primary" || d.percent(50) {
			d.object("")
			d.text("name", o.name)
			d.concept("type", studyObjective.find(o.kind))
			d.end()
		}
	}
	d.end()
}
