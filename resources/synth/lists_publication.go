package synth

var (
	libraryStatus = codeList{path: "Library.status", codes: publicationStatus}
	measureStatus = codeList{path: "Measure.status", codes: publicationStatus}
	libraryType   = codeList{
		path: "Library.type", system: "http://terminology.hl7.org/CodeSystem/library-type",
		codes: []weightedCode{
			{"logic-library", "Logic Library", 70, false},
			{"model-definition", "Model Definition", 8, false},
			{"asset-collection", "Asset Collection", 12, false},
			{"module-definition", "Module Definition", 10, false},
		},
	}
	libraryContent = codeList{
		path: "Library.content.contentType",
		codes: []weightedCode{
			{"text/cql", "", 50, false},
			{"application/elm+json", "", 30, false},
			{"application/elm+xml", "", 20, false},
		},
	}
	measureScoring = codeList{
		path: "Measure.scoring", system: "http://terminology.hl7.org/CodeSystem/measure-scoring",
		codes: []weightedCode{
			{"proportion", "Proportion", 55, false},
			{"ratio", "Ratio", 15, false},
			{"continuous-variable", "Continuous Variable", 15, false},
			{"cohort", "Cohort", 15, false},
		},
	}
	measureType = codeList{
		path: "Measure.type", system: "http://terminology.hl7.org/CodeSystem/measure-type",
		codes: []weightedCode{
			{"process", "Process", 40, false},
			{"outcome", "Outcome", 25, false},
			{"structure", "Structure", 10, false},
			{"patient-reported-outcome", "Patient Reported Outcome", 15, false},
			{"composite", "Composite", 10, false},
		},
	}
	measureImprovement = codeList{
		path: "Measure.improvementNotation", system: "http://terminology.hl7.org/CodeSystem/measure-improvement-notation",
		codes: []weightedCode{
			{"increase", "Increased score indicates improvement", 75, false},
			{"decrease", "Decreased score indicates improvement", 25, false},
		},
	}
	// measurePopulation is not drawn from: the scoring determines the populations.
	measurePopulation = codeList{
		path: "Measure.group.population.code", system: "http://terminology.hl7.org/CodeSystem/measure-population",
		codes: []weightedCode{
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
	measureLanguage = codeList{
		path:  "Measure.group.population.criteria.language",
		codes: []weightedCode{{"text/cql-identifier", "", 80, false}, {"text/cql", "", 20, false}},
	}
	// The following two elements have no documented list.
	usageContext = codeList{
		path: "Library.useContext.code", system: "http://terminology.hl7.org/CodeSystem/usage-context-type",
		codes: []weightedCode{{"focus", "Clinical Focus", 1, false}},
	}
	jurisdictions = codeList{
		path: "Library.jurisdiction", system: "urn:iso:std:iso:3166",
		codes: countries,
	}
)

var publicationStatus = []weightedCode{
	{"draft", "", 15, false},
	{"active", "", 70, false},
	{"retired", "", 12, false},
	{"unknown", "", 3, false},
}

var countries = []weightedCode{
	{"NL", "Netherlands", 20, false},
	{"DE", "Germany", 20, false},
	{"FR", "France", 20, false},
	{"CA", "Canada", 20, false},
	{"US", "United States of America", 20, false},
}
