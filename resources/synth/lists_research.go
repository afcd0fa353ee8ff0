package synth

var (
	studyStatus = list{
		path: "ResearchStudy.status",
		codes: []listed{
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
	studyPurpose = list{
		path: "ResearchStudy.primaryPurposeType", system: "http://terminology.hl7.org/CodeSystem/research-study-prim-purp-type",
		codes: []listed{
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
	studyPhase = list{
		path: "ResearchStudy.phase", system: "http://terminology.hl7.org/CodeSystem/research-study-phase",
		codes: []listed{
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
	studyCategory = list{
		path: "ResearchStudy.category", // no code system of R4 has these
		codes: []listed{
			{"interventional", "Interventional", 70, false},
			{"observational", "Observational", 22, false},
			{"expanded-access", "Expanded access", 8, false},
		},
	}
	// studyArmType is not drawn from: the design of a study says which arms there are.
	studyArmType = list{
		path: "ResearchStudy.arm.type", // no code system of R4 has these
		codes: []listed{
			{"experimental", "Experimental", 1, false},
			{"active-comparator", "Active comparator", 1, false},
			{"placebo-comparator", "Placebo comparator", 1, false},
			{"sham-comparator", "Sham comparator", 1, false},
			{"no-intervention", "No intervention", 1, false},
			{"other", "Other", 1, false},
		},
	}
	subjectStatus = list{
		path: "ResearchSubject.status",
		codes: []listed{
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
	// The document has no list for the three that follow.
	studyObjective = list{
		path: "ResearchStudy.objective.type", system: "http://terminology.hl7.org/CodeSystem/research-study-objective-type",
		codes: []listed{
			{"primary", "Primary", 1, false},
			{"secondary", "Secondary", 1, false},
			{"exploratory", "Exploratory", 1, false},
		},
	}
	studyStopped = list{
		path: "ResearchStudy.reasonStopped", system: "http://terminology.hl7.org/CodeSystem/research-study-reason-stopped",
		codes: []listed{
			{"accrual-goal-met", "Accrual Goal Met", 4, false},
			{"closed-due-to-toxicity", "Closed due to toxicity", 2, false},
			{"closed-due-to-lack-of-study-progress", "Closed due to lack of study progress", 2, false},
			{"temporarily-closed-per-study-design", "Temporarily closed per study design", 2, false},
		},
	}
	studyLocation = list{path: "ResearchStudy.location", system: "urn:iso:std:iso:3166", codes: countries}
)
