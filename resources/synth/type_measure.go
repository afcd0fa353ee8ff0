package synth

// A scoring lists the populations of a measure: codes of measurePopulation with the names of
// library statements.
type scoring struct {
	code        string
	populations []measurePopulationRow
}

type measurePopulationRow struct{ code, statement string }

var scorings = []scoring{
	{"proportion", []measurePopulationRow{
		{"initial-population", "Initial Population"},
		{"denominator", "Denominator"},
		{"denominator-exclusion", "Denominator Exclusion"},
		{"denominator-exception", "Denominator Exception"},
		{"numerator", "Numerator"},
		{"numerator-exclusion", "Numerator Exclusion"},
	}},
	{"ratio", []measurePopulationRow{
		{"initial-population", "Initial Population"},
		{"denominator", "Denominator"},
		{"denominator-exclusion", "Denominator Exclusion"},
		{"numerator", "Numerator"},
		{"numerator-exclusion", "Numerator Exclusion"},
	}},
	{"continuous-variable", []measurePopulationRow{
		{"initial-population", "All Encounters"},
		{"measure-population", "Measure Population"},
		{"measure-observation", "Measure Observation"},
	}},
	{"cohort", []measurePopulationRow{{"initial-population", "Initial Population"}}},
}

// measure writes a Measure (section 2.18) based on the Library with the same number. It reads the
// facts at, status and kind (scoring).
func measure(d *draft) {
	l, at := logicOf(d.number), d.published()
	d.canonical("Measure")
	d.text("version", version(d.number/3))
	d.machineName(l.name)
	d.numberedTitle(l.title)
	d.text("status", d.status(&measureStatus))
	d.boolean("experimental", d.percent(60))
	d.subjects()
	d.publisher(at)
	d.join("description", "For how many patients it is true: ", l.title, ".")
	d.text("purpose", "To see where care can become better.")
	d.effective(at)
	d.concepts("topic", d.about("Measure.topic", branchTopic))
	d.list("library")
	d.noteReference("Library", d.number)
	d.join("", syntheticURL, "Library/", d.g.id(d.number), "|", version(d.number/uint64(len(logics))))
	d.end()
	kind := d.facts.kind
	if kind == "" {
		kind = d.code(&measureScoring)
	}
	d.concept("scoring", measureScoring.find(kind))
	d.concepts("type", d.draw(&measureType))
	d.concept("improvementNotation", d.draw(&measureImprovement))
	d.list("group")
	d.object("")
	d.list("population")
	for i := range scorings {
		if scorings[i].code == kind {
			for j := range scorings[i].populations {
				d.population(l, &scorings[i].populations[j])
			}
		}
	}
	d.ends(3)
}

// population writes a population of a measure. Its criteria name a definition of the library, or
// contain the expression if it can stand alone.
func (d *draft) population(l *logic, m *measurePopulationRow) {
	d.object("")
	d.concept("code", measurePopulation.find(m.code))
	d.object("criteria")
	language, s := d.code(&measureLanguage), &statements[0]
	for i := range statements {
		if statements[i].name == m.statement {
			s = &statements[i]
		}
	}
	if s.kind != existsOfType {
		language = "text/cql-identifier"
	}
	d.text("language", language)
	if language == "text/cql" {
		d.join("expression", "exists ([", l.typeOf(s), "])")
	} else {
		d.text("expression", m.statement)
	}
	d.ends(2)
}
