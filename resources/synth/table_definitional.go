package synth

// definitionalRows are the types of questionnaires, research, quality and terminology.
var definitionalRows = []typeRow{
	{
		name: "QuestionnaireResponse", doc: "Answers to screenings and intakes, with the scores of their items.", make: questionnaireResponse,
		roles: []role{
			roleQuestionnaire, rolePatient, roleEncounter, roleAuthor, roleSource, rolePractitioner,
			roleServiceRequest, roleCarePlan, roleObservation, roleProcedure,
		},
		options: []Option{{Name: "questionnaire_template", Type: "code", Choices: questionnaireTemplates, Doc: "The questionnaire that is answered; by default any."}},
	},
	{name: "Questionnaire", doc: "The questionnaires of the templates, one after the other.", make: questionnaire},
	{
		name: "ResearchStudy", doc: "Studies with arms and objectives.", make: researchStudy,
		roles: []role{roleOrganization, rolePractitioner, roleLocation, roleGroup, rolePlanDefinition},
		codes: []string{"ResearchStudy.condition", "ResearchStudy.focus", "ResearchStudy.keyword"},
	},
	{
		name: "ResearchSubject", doc: "Patients on their way through the studies.", make: researchSubject,
		roles: []role{roleStudy, rolePatient, roleConsent},
	},
	{
		name: "Group", doc: "Groups of people and things, listed or described.", make: group,
		roles:   []role{rolePatient, rolePractitioner, roleDevice, roleMedication, roleSubstance, roleOrganization},
		options: []Option{{Name: "members", Type: "integer", Low: 1, High: 100_000, Doc: "Members of an actual group: those of group n begin with resource n times this; by default a few."}},
		codes:   []string{"Group.code", "Group.characteristic.code", "Group.characteristic.valueCodeableConcept"},
	},
	{
		name: "Library", doc: "Logic in CQL and ELM.", make: library, roles: []role{roleGroup},
		codes: []string{"Library.topic", "Library.dataRequirement.codeFilter.code"},
	},
	{name: "Measure", doc: "Measures with their populations, on the libraries of the same numbers.", make: measure, roles: []role{roleGroup}, codes: []string{"Measure.topic"}},
	{
		name: "CodeSystem", doc: "Code systems with hierarchies of any size.", make: codeSystem,
		options: []Option{
			{Name: "concepts", Type: "integer", Low: 1, High: mostConcepts, Default: "50", Doc: "Number of concepts."},
			{Name: "depth", Type: "integer", Low: 1, High: deepest, Default: "4", Doc: "Levels of the hierarchy; 1 for none."},
			{Name: "branching", Type: "integer", Low: 1, High: mostConcepts, Doc: "Concepts below each; by default as many as make all fit into as many trees."},
		},
	},
	{
		name: "ValueSet", doc: "Value sets on the code systems of the same numbers.", make: valueSet,
		options: []Option{{Name: "concepts", Type: "integer", Low: 0, High: mostConcepts, Doc: "How many concepts of the code system are listed, from the first; 0 for all of it without a list; by default one or the other."}},
	},
}

// definitionalLists are the lists of the document for them.
var definitionalLists = []*list{
	&responseStatus, &groupType, &libraryStatus, &measureStatus, &libraryType, &libraryContent, &measureScoring, &measureType,
	&measureImprovement, &measurePopulation, &measureLanguage, &usageContext, &jurisdictions,
	&studyStatus, &studyPurpose, &studyPhase, &studyCategory, &studyArmType, &subjectStatus, &studyObjective, &studyStopped, &studyLocation,
}
