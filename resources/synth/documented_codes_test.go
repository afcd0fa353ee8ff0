package synth_test

import "strings"

const (
	genders    = "male female other unknown"
	priorities = "routine urgent asap stat"
)

// codes are the documented codes by element.
var codes = map[string]string{
	"Patient.gender":                             genders,
	"Patient.maritalStatus":                      "A D I L M P S T U W",
	"Encounter.status":                           "planned arrived triaged in-progress onleave finished cancelled entered-in-error unknown",
	"Encounter.class":                            "AMB EMER FLD HH IMP ACUTE NONAC OBSENC PRENC SS VR",
	"Condition.clinicalStatus":                   "active recurrence relapse inactive remission resolved",
	"Condition.verificationStatus":               "unconfirmed provisional differential confirmed refuted entered-in-error",
	"Condition.category":                         "problem-list-item encounter-diagnosis",
	"Condition.severity":                         "mild moderate severe",
	"MedicationRequest.status":                   "active on-hold cancelled completed entered-in-error stopped draft unknown",
	"MedicationRequest.intent":                   "proposal plan order original-order reflex-order filler-order instance-order option",
	"MedicationRequest.category":                 "inpatient outpatient community",
	"MedicationRequest.priority":                 priorities,
	"DiagnosticReport.status":                    "final preliminary amended registered", // the others by option
	"DiagnosticReport.category":                  "LAB RAD PAT CUS NRS",
	"Immunization.status":                        "completed entered-in-error not-done",
	"Immunization.statusReason":                  "IMMUNE MEDPREC OSTOCK PATOBJ VACEFF",
	"Immunization.route":                         "IM SC ID NASINHL",
	"Device.status":                              "active inactive entered-in-error unknown",
	"Device.deviceName.type":                     "udi-label-name user-friendly-name patient-reported-name manufacturer-name model-name other",
	"RelatedPerson.gender":                       genders,
	"RelatedPerson.relationship":                 "FAMMEMB CHILD CHLDADOPT DAUADOPT SONADOPT CHLDFOST DAUFOST SONFOST DAUC SONC STPCHLD STPDAU STPSON NCHILD DAU SON SPS HUSB WIFE DOMPART PRN FTH MTH NPRN NFTH NMTH STPPRN STPFTH STPMTH SIB BRO SIS HBRO HSIS STPBRO STPSIS ECON GUARD POWATT DPOWATT FRND NBOR",
	"ServiceRequest.status":                      "draft active on-hold revoked completed entered-in-error unknown",
	"ServiceRequest.intent":                      "proposal plan directive order original-order reflex-order",
	"ServiceRequest.priority":                    priorities,
	"ServiceRequest.category":                    "laboratory imaging referral rehabilitation",
	"SupplyRequest.status":                       "draft active suspended cancelled completed entered-in-error unknown",
	"SupplyRequest.category":                     "central nonstock",
	"SupplyRequest.priority":                     priorities,
	"SupplyRequest.reasonCode":                   "ward-stock patient-care",
	"HealthcareService.availableTime.daysOfWeek": "mon tue wed thu fri sat sun",
	"HealthcareService.referralMethod":           "phone fax elec mail semail",
	"OrganizationAffiliation.code":               "provider agency research payer diagnostics supplier HIE/HIO member",
	"ResearchStudy.status":                       "active administratively-completed approved closed-to-accrual closed-to-accrual-and-intervention completed disapproved in-review temporarily-closed-to-accrual temporarily-closed-to-accrual-and-intervention withdrawn",
	"ResearchStudy.phase":                        "n-a early-phase-1 phase-1 phase-1-phase-2 phase-2 phase-2-phase-3 phase-3 phase-4",
	"ResearchStudy.category":                     "interventional observational expanded-access",
	"ResearchStudy.primaryPurposeType":           "treatment prevention diagnostic supportive-care screening health-services-research basic-science device-feasibility",
	"ResearchStudy.arm.type":                     "experimental active-comparator placebo-comparator sham-comparator no-intervention other",
	"ResearchSubject.status":                     "candidate eligible follow-up ineligible not-registered off-study on-study on-study-intervention on-study-observation pending-on-study potential-candidate screening withdrawn",
	"Group.type":                                 "person animal practitioner device medication substance",
	"Library.status":                             "draft active retired unknown",
	"Library.type":                               "logic-library model-definition asset-collection module-definition",
	"Library.content.contentType":                "text/cql application/elm+json application/elm+xml",
	"Measure.status":                             "draft active retired unknown",
	"Measure.scoring":                            "proportion ratio continuous-variable cohort",
	"Measure.type":                               "process outcome structure patient-reported-outcome composite",
	"Measure.improvementNotation":                "increase decrease",
	"Measure.group.population.code":              "initial-population numerator numerator-exclusion denominator denominator-exclusion denominator-exception measure-population measure-observation",
	"Measure.group.population.criteria.language": "text/cql-identifier text/cql",
	"QuestionnaireResponse.status":               "in-progress completed amended entered-in-error stopped",
	"ImagingStudy.status":                        "registered available cancelled entered-in-error unknown",
	"ImagingStudy.modality":                      "CT MR US DX CR NM PT XA MG RF",
	"ImagingStudy.series.modality":               "CT MR US DX CR NM PT XA MG RF",
}

// documentedCodes returns the documented lists by path.
func documentedCodes() map[string][]string {
	lists := map[string][]string{}
	for path, list := range codes {
		lists[path] = strings.Fields(list)
	}
	return lists
}
