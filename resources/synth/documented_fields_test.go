package synth_test

import "strings"

// fields are the documented elements of each type, with their documented members and each type of
// a choice.
var fields = map[string]string{
	"Patient": "identifier.system identifier.value active name.use name.family name.given telecom.system telecom.value telecom.use gender birthDate" +
		" deceasedBoolean deceasedDateTime address.use address.line address.city address.state address.postalCode maritalStatus.coding maritalStatus.text" +
		" multipleBirthBoolean multipleBirthInteger photo.contentType photo.data contact communication generalPractitioner managingOrganization link",
	"Encounter": "identifier status statusHistory class.system class.code class.display classHistory type serviceType priority subject basedOn participant.type" +
		" participant.individual period.start period.end length reasonCode diagnosis hospitalization location serviceProvider partOf",
	"Condition": "identifier clinicalStatus verificationStatus category severity code bodySite subject encounter" +
		" onsetDateTime onsetAge onsetPeriod onsetRange.low onsetRange.high onsetString" +
		" abatementDateTime abatementAge abatementPeriod abatementRange abatementString recordedDate recorder asserter stage evidence note",
	"MedicationRequest": "identifier status statusReason intent category priority doNotPerform reportedBoolean reportedReference medicationCodeableConcept" +
		" subject encounter authoredOn requester performer reasonCode reasonReference note dosageInstruction.sequence dosageInstruction.text" +
		" dosageInstruction.timing.repeat.frequency dosageInstruction.timing.repeat.period dosageInstruction.timing.repeat.periodUnit dosageInstruction.route" +
		" dosageInstruction.doseAndRate.doseQuantity.value dosageInstruction.doseAndRate.doseQuantity.unit dosageInstruction.doseAndRate.doseQuantity.system" +
		" dosageInstruction.doseAndRate.doseQuantity.code dispenseRequest.validityPeriod dispenseRequest.numberOfRepeatsAllowed dispenseRequest.quantity" +
		" dispenseRequest.expectedSupplyDuration substitution",
	"DiagnosticReport": "status category code subject encounter effectiveDateTime issued performer result conclusion conclusionCode",
	"Immunization": "status statusReason vaccineCode patient encounter occurrenceDateTime primarySource site route lotNumber expirationDate" +
		" performer.function performer.actor doseQuantity note",
	"Device": "identifier udiCarrier.deviceIdentifier udiCarrier.carrierHRF status statusReason distinctIdentifier manufacturer lotNumber serialNumber" +
		" modelNumber partNumber manufactureDate expirationDate deviceName.name deviceName.type type specialization version property patient owner contact" +
		" location url note safety parent",
	"RelatedPerson":  "identifier active patient relationship name telecom gender birthDate address photo period communication.language communication.preferred",
	"ServiceRequest": "status intent priority category code subject encounter authoredOn requester performer reasonCode note",
	"SupplyRequest": "identifier status category priority itemCodeableConcept itemReference quantity parameter occurrenceDateTime occurrencePeriod" +
		" occurrenceTiming authoredOn requester supplier reasonCode reasonReference deliverFrom deliverTo",
	"HealthcareService": "active providedBy category type specialty location name comment telecom serviceProvisionCode program characteristic referralMethod" +
		" appointmentRequired availableTime.daysOfWeek availableTime.availableStartTime availableTime.availableEndTime notAvailable availabilityExceptions",
	"OrganizationAffiliation": "identifier active period organization participatingOrganization network code specialty location healthcareService telecom",
	"ResearchStudy": "identifier title partOf status primaryPurposeType phase category focus condition keyword location contact relatedArtifact description" +
		" enrollment period sponsor principalInvestigator site reasonStopped note arm.name arm.type arm.description objective.name objective.type",
	"ResearchSubject": "identifier status period study individual assignedArm actualArm",
	"Group": "identifier active type actual code name quantity managingEntity characteristic.code characteristic.valueBoolean characteristic.valueRange" +
		" characteristic.exclude member.entity member.period",
	"Library": "url identifier version name title subtitle publisher usage status experimental type subjectCodeableConcept subjectReference date contact" +
		" description purpose copyright useContext jurisdiction approvalDate lastReviewDate effectivePeriod topic author editor reviewer endorser" +
		" relatedArtifact.type relatedArtifact.resource parameter.name parameter.use parameter.type dataRequirement.type dataRequirement.codeFilter.path" +
		" dataRequirement.codeFilter.valueSet dataRequirement.codeFilter.code content.contentType content.data content.url",
	"Measure": "url identifier version name title publisher status experimental date description purpose effectivePeriod library scoring type" +
		" improvementNotation group.population.code group.population.criteria.language group.population.criteria.expression",
	"QuestionnaireResponse": "identifier basedOn partOf questionnaire status subject encounter authored author source item.linkId item.text item.item" +
		" item.answer.item item.answer.valueBoolean item.answer.valueDecimal item.answer.valueInteger item.answer.valueDate item.answer.valueDateTime" +
		" item.answer.valueTime item.answer.valueString item.answer.valueUri item.answer.valueAttachment item.answer.valueCoding item.answer.valueQuantity" +
		" item.answer.valueReference",
	"ImagingStudy": "identifier status modality subject encounter started basedOn referrer interpreter numberOfSeries numberOfInstances procedureCode" +
		" location reasonCode note description series",
	"CodeSystem": "url name status concept.code concept.display concept.definition concept.concept",
	"ValueSet":   "url name status compose.include.system compose.include.concept.code compose.include.concept.display",
}

// given are elements that refer to types that are not generated. They are present if and only if
// an option sets the reference.
var given = []struct{ typ, path, option, value string }{
	{"Encounter", "episodeOfCare", "episode_of_care_ref", "EpisodeOfCare/1"},
	{"Encounter", "appointment", "appointment_ref", "Appointment/1"},
	{"MedicationRequest", "medicationReference", "medication_ref", "Medication/1"},
	{"Device", "definition", "device_definition_ref", "DeviceDefinition/1"},
	{"OrganizationAffiliation", "endpoint", "endpoint_ref", "Endpoint/1"},
	{"ResearchStudy", "protocol", "plan_definition_ref", "PlanDefinition/1"},
	{"ResearchSubject", "consent", "consent_ref", "Consent/1"},
	{"ImagingStudy", "endpoint", "endpoint_ref", "Endpoint/1"},
	{"ImagingStudy", "procedureReference", "procedure_ref", "Procedure/1"},
}

// givenInstead are references to types that are not generated, in elements that contain other
// references without the option.
var givenInstead = []struct{ typ, path, option, value string }{
	{"SupplyRequest", "itemReference", "medication_ref", "Medication/1"},
	{"SupplyRequest", "itemReference", "substance_ref", "Substance/1"},
	{"QuestionnaireResponse", "basedOn", "care_plan_ref", "CarePlan/1"},
	{"QuestionnaireResponse", "partOf", "procedure_ref", "Procedure/1"},
	{"QuestionnaireResponse", "author", "author_ref", "RelatedPerson/1"},
	{"QuestionnaireResponse", "source", "source_ref", "RelatedPerson/1"},
}

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
