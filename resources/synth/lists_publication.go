package synth

var (
	libraryStatus = list{path: "Library.status", codes: publicationStatus}
	measureStatus = list{path: "Measure.status", codes: publicationStatus}
	libraryType   = list{
		path: "Library.type", system: "http://terminology.hl7.org/CodeSystem/library-type",
		codes: []listed{
			{"logic-library", "Logic Library", 70, false},
			{"model-definition", "Model Definition", 8, false},
			{"asset-collection", "Asset Collection", 12, false},
			{"module-definition", "Module Definition", 10, false},
		},
	}
	libraryContent = list{
		path: "Library.content.contentType",
		codes: []listed{
			{"text/cql", "", 50, false},
			{"application/elm+json", "", 30, false},
			{"application/elm+xml", "", 20, false},
		},
	}
	measureScoring = list{
		path: "Measure.scoring", system: "http://terminology.hl7.org/CodeSystem/measure-scoring",
		codes: []listed{
			{"proportion", "Proportion", 55, false},
			{"ratio", "Ratio", 15, false},
			{"continuous-variable", "Continuous Variable", 15, false},
			{"cohort", "Cohort", 15, false},
		},
	}
	measureType = list{
		path: "Measure.type", system: "http://terminology.hl7.org/CodeSystem/measure-type",
		codes: []listed{
			{"process", "Process", 40, false},
			{"outcome", "Outcome", 25, false},
			{"structure", "Structure", 10, false},
			{"patient-reported-outcome", "Patient Reported Outcome", 15, false},
			{"composite", "Composite", 10, false},
		},
	}
	measureImprovement = list{
		path: "Measure.improvementNotation", system: "http://terminology.hl7.org/CodeSystem/measure-improvement-notation",
		codes: []listed{
			{"increase", "Increased score indicates improvement", 75, false},
			{"decrease", "Decreased score indicates improvement", 25, false},
		},
	}
	// measurePopulation is not drawn from: the scoring says which populations there are.
	measurePopulation = list{
		path: "Measure.group.population.code", system: "http://terminology.hl7.org/CodeSystem/measure-population",
		codes: []listed{
			{"initial-population", "Initial Population", 1, false},
			{"denominator", "Denominator", 1, false},
			{"denominator-exclusion", "Denominator Exclusion", 1, false},
			{"denominator-exception", "Denominator Exception", 1, false},
			{"numerator", "Numerator", 1, false},
			{"numerator-exclusion", "Numerator Exclusion", 1, false},
			{"measure-population", "Measure Population", 1, false},
			{"measure-observation", "Measure Observation", 1, false},
		},
	}
	measureLanguage = list{
		path:  "Measure.group.population.criteria.language",
		codes: []listed{{"text/cql-identifier", "", 80, false}, {"text/cql", "", 20, false}},
	}
	// The document has no list for the two that follow.
	usageContext = list{
		path: "Library.useContext.code", system: "http://terminology.hl7.org/CodeSystem/usage-context-type",
		codes: []listed{{"focus", "Clinical Focus", 1, false}},
	}
	jurisdictions = list{
		path: "Library.jurisdiction", system: "urn:iso:std:iso:3166",
		codes: countries,
	}
)

var publicationStatus = []listed{
	{"draft", "", 15, false},
	{"active", "", 70, false},
	{"retired", "", 12, false},
	{"unknown", "", 3, false},
}

var countries = []listed{
	{"NL", "Netherlands", 20, false},
	{"DE", "Germany", 20, false},
	{"FR", "France", 20, false},
	{"CA", "Canada", 20, false},
	{"US", "United States of America", 20, false},
}
