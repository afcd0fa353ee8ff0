package synth

var (
	studyStatus = codeList{
		path: "ResearchStudy.status",
		codes: []weightedCode{
			{"active", "", 40, false},
			{"administratively-completed", "", 5, false},
			{"approved", "", 7, false},
			{"closed-to-accrual", "", 6, false},
			{"closed-to-accrual-and-intervention", "", 5, false},
			{"completed", "", 18, false},
			{"disapproved", "", 3, false},
			{"in-review", "", 6, false},
			{"temporarily-closed-to-accrual", "", 4, false},
			{"temporarily-closed-to-accrual-and-intervention", "", 3, false},
			{"withdrawn", "", 3, false},
		},
	}
	studyPurpose = codeList{
		path: "ResearchStudy.primaryPurposeType", system: "http://terminology.hl7.org/CodeSystem/research-study-prim-purp-type",
		codes: []weightedCode{
			{"treatment", "Treatment", 45, false},
			{"prevention", "Prevention", 15, false},
			{"diagnostic", "Diagnostic", 10, false},
			{"supportive-care", "Supportive Care", 10, false},
			{"screening", "Screening", 6, false},
			{"health-services-research", "Health Services Research", 6, false},
			{"basic-science", "Basic Science", 5, false},
			{"device-feasibility", "Device Feasibility", 3, false},
		},
	}
	studyPhase = codeList{
		path: "ResearchStudy.phase", system: "http://terminology.hl7.org/CodeSystem/research-study-phase",
		codes: []weightedCode{
			{"n-a", "N/A", 25, false},
			{"early-phase-1", "Early Phase 1", 5, false},
			{"phase-1", "Phase 1", 12, false},
			{"phase-1-phase-2", "Phase 1/Phase 2", 8, false},
			{"phase-2", "Phase 2", 20, false},
			{"phase-2-phase-3", "Phase 2/Phase 3", 5, false},
			{"phase-3", "Phase 3", 15, false},
			{"phase-4", "Phase 4", 10, false},
		},
	}
	studyCategory = codeList{
		path: "ResearchStudy.category", // no code system of R4 contains these
		codes: []weightedCode{
			{"interventional", "Interventional", 70, false},
			{"observational", "Observational", 22, false},
			{"expanded-access", "Expanded access", 8, false},
		},
	}
	// studyArmType is not drawn from: the design of a study determines its arms.
	studyArmType = codeList{
		path: "ResearchStudy.arm.type", // no code system of R4 contains these
		codes: []weightedCode{
			{"experimental", "Experimental", 1, false},
			{"active-comparator", "Active comparator", 1, false},
			{"placebo-comparator", "Placebo comparator", 1, false},
			{"sham-comparator", "Sham comparator", 1, false},
			{"no-intervention", "No intervention", 1, false},
			{"other", "Other", 1, false},
		},
	}
	subjectStatus = codeList{
		path: "ResearchSubject.status",
		codes: []weightedCode{
			{"potential-candidate", "", 5, false},
			{"candidate", "", 8, false},
			{"screening", "", 8, false},
			{"eligible", "", 6, false},
			{"ineligible", "", 6, false},
			{"not-registered", "", 3, false},
			{"pending-on-study", "", 6, false},
			{"on-study", "", 20, false},
			{"on-study-intervention", "", 15, false},
			{"on-study-observation", "", 8, false},
			{"follow-up", "", 6, false},
			{"off-study", "", 5, false},
			{"withdrawn", "", 4, false},
		},
	}
	// The following three elements have no documented list.
	studyObjective = codeList{
		path: "ResearchStudy.objective.type", system: "http://terminology.hl7.org/CodeSystem/research-study-objective-type",
		codes: []weightedCode{
			{"primary", "Primary", 1, false},
			{"secondary", "Secondary", 1, false},
			{"exploratory", "Exploratory", 1, false},
		},
	}
	studyStopped = codeList{
		path: "ResearchStudy.reasonStopped", system: "http://terminology.hl7.org/CodeSystem/research-study-reason-stopped",
		codes: []weightedCode{
			{"accrual-goal-met", "Accrual Goal Met", 4, false},
			{"closed-due-to-toxicity", "Closed due to toxicity", 2, false},
			{"closed-due-to-lack-of-study-progress", "Closed due to lack of study progress", 2, false},
			{"temporarily-closed-per-study-design", "Temporarily closed per study design", 2, false},
		},
	}
	studyLocation = codeList{path: "ResearchStudy.location", system: "urn:iso:std:iso:3166", codes: countries}
)
