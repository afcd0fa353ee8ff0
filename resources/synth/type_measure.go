package synth

// A scoring says which populations a measure has: numbers of measurePopulation's codes and
// names of the statements of the library.
type scoring struct {
	code        string
	populations []measured
}

type measured struct{ code, statement string }

var scorings = []scoring{
	{"proportion", []measured{
		{"initial-population", "Initial Population"},
		{"denominator", "Denominator"},
		{"denominator-exclusion", "Denominator Exclusion"},
		{"denominator-exception", "Denominator Exception"},
		{"numerator", "Numerator"},
		{"numerator-exclusion", "Numerator Exclusion"},
	}},
	{"ratio", []measured{
		{"initial-population", "Initial Population"},
		{"denominator", "Denominator"},
		{"denominator-exclusion", "Denominator Exclusion"},
		{"numerator", "Numerator"},
		{"numerator-exclusion", "Numerator Exclusion"},
	}},
	{"continuous-variable", []measured{
		{"initial-population", "All Encounters"},
		{"measure-population", "Measure Population"},
		{"measure-observation", "Measure Observation"},
	}},
	{"cohort", []measured{{"initial-population", "Initial Population"}}},
}

// measure writes a Measure (section 2.18) on the Library of its number. It reads at, status
// and kind, the scoring, of its facts.
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
	d.parts("description", "For how many patients it is true: ", l.title, ".")
	d.text("purpose", "To see where care can become better.")
	d.effective(at)
	d.concepts("topic", d.about("Measure.topic", branchTopic))
	d.list("library")
	d.needs("Library", d.number)
	d.parts("", syntheticURL, "Library/", d.g.id(d.number), "|", version(d.number/uint64(len(logics))))
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

// population writes a population of a measure. Its criteria are a definition of the library
// by its name, or where the definition can stand by itself, an expression.
func (d *draft) population(l *logic, m *measured) {
	d.object("")
	d.concept("code", measurePopulation.find(m.code))
	d.object("criteria")
	language, s := d.code(&measureLanguage), &statements[0]
	for i := range statements {
		if statements[i].name == m.statement {
			s = &statements[i]
		}
	}
	if s.what != sayThere {
		language = "text/cql-identifier"
	}
	d.text("language", language)
	if language == "text/cql" {
		d.parts("expression", "exists ([", l.typeOf(s), "])")
	} else {
		d.text("expression", m.statement)
	}
	d.ends(2)
}
