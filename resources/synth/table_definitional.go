package synth

// definitionalRows are the types for questionnaires, research, quality and terminology.
var definitionalRows = []typeRow{
	{
		name: "QuestionnaireResponse", doc: "Answers to screening and intake questionnaires, with item scores.", make: questionnaireResponse,
		roles: []role{
			roleQuestionnaire, rolePatient, roleEncounter, roleAuthor, roleSource, rolePractitioner,
			roleServiceRequest, roleCarePlan, roleObservation, roleProcedure,
		},
		options: []Option{{Name: "questionnaire_template", Type: "code", Choices: questionnaireTemplates, Doc: "The template of the questionnaire; random by default."}},
	},
	{name: "Questionnaire", doc: "The questionnaires of all templates in turn.", make: questionnaire},
	{
		name: "ResearchStudy", doc: "Studies with arms and objectives.", make: researchStudy,
		roles: []role{roleOrganization, rolePractitioner, roleLocation, roleGroup, rolePlanDefinition},
		codes: []string{"ResearchStudy.condition", "ResearchStudy.focus", "ResearchStudy.keyword"},
	},
	{
		name: "ResearchSubject", doc: "The participation of patients in studies.", make: researchSubject,
		roles: []role{roleStudy, rolePatient, roleConsent},
	},
	{
		name: "Group", doc: "Groups of people and things, listed or described.", make: group,
		roles:   []role{rolePatient, rolePractitioner, roleDevice, roleMedication, roleSubstance, roleOrganization},
		options: []Option{{Name: "members", Type: "integer", Low: 1, High: 100_000, Doc: "Members of an actual group; those of group n start with resource n times this number. A few by default."}},
		codes:   []string{"Group.code", "Group.characteristic.code", "Group.characteristic.valueCodeableConcept"},
	},
	{
		name: "Library", doc: "Logic in CQL and ELM.", make: library, roles: []role{roleGroup},
		codes: []string{"Library.topic", "Library.dataRequirement.codeFilter.code"},
	},
	{name: "Measure", doc: "Measures with populations, based on the libraries with the same numbers.", make: measure, roles: []role{roleGroup}, codes: []string{"Measure.topic"}},
	{
		name: "CodeSystem", doc: "Code systems with hierarchies of any size.", make: codeSystem,
		options: []Option{
			{Name: "concepts", Type: "integer", Low: 1, High: maxConcepts, Default: "50", Doc: "Number of concepts."},
			{Name: "depth", Type: "integer", Low: 1, High: maxDepth, Default: "4", Doc: "Levels of the hierarchy; 1 for none."},
			{Name: "branching", Type: "integer", Low: 1, High: maxConcepts, Doc: "Children of each concept; by default the smallest number that needs no more roots than children."},
		},
	},
	{
		name: "ValueSet", doc: "Value sets based on the code systems with the same numbers.", make: valueSet,
		options: []Option{{Name: "concepts", Type: "integer", Low: 0, High: maxConcepts, Doc: "Concepts listed from the code system, starting with the first; 0 includes the whole system without a list. Random by default."}},
	},
}

// definitionalLists are the code lists of these types.
var definitionalLists = []*codeList{
	&responseStatus, &groupType, &libraryStatus, &measureStatus, &libraryType, &libraryContent, &measureScoring, &measureType,
	&measureImprovement, &measurePopulation, &measureLanguage, &usageContext, &jurisdictions,
	&studyStatus, &studyPurpose, &studyPhase, &studyCategory, &studyArmType, &subjectStatus, &studyObjective, &studyStopped, &studyLocation,
}
