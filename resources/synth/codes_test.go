package synth_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/synth"
)

const (
	genders    = "male female other unknown"
	priorities = "routine urgent asap stat"
)

// codes are the codes that the service documents for an element.
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

// codesOf calls fn with the codes of an element: of a code, a Coding or a CodeableConcept.
func codesOf(root document.Value, path string, fn func(code string)) {
	at(root, path, func(v document.Value) {
		switch {
		case v.Kind() == document.String:
			fn(v.Text())
		case v.Get("coding").Exists():
			for coding := range v.Get("coding").Items() {
				fn(coding.Get("code").Text())
			}
		default:
			fn(v.Get("code").Text())
		}
	})
}

// 10,000 resources of a type have each documented code of each element, and no other; so
// too with the lists that are not documented.
func TestCodes(t *testing.T) {
	want := map[string][]string{}
	for path, list := range synth.ListedCodes() {
		if typ, _, _ := strings.Cut(path, "."); slices.Contains(synth.TypeNames(), typ) {
			want[path] = list
		}
	}
	for path, list := range codes {
		want[path] = strings.Fields(list)
	}
	types := map[string][]string{}
	for _, path := range slices.Sorted(maps.Keys(want)) {
		typ, element, _ := strings.Cut(path, ".")
		types[typ] = append(types[typ], element)
	}
	for typ, elements := range types {
		t.Run(typ, func(t *testing.T) {
			counts := make([]map[string]int, len(elements))
			for i := range elements {
				counts[i] = map[string]int{}
			}
			each(t, typ, synth.Options{Seed: 1}, 10_000, func(_ int, body []byte) {
				root := parse(t, body)
				for i, element := range elements {
					codesOf(root, element, func(code string) { counts[i][code]++ })
				}
			})
			for i, element := range elements {
				list := want[typ+"."+element]
				for _, code := range list {
					if counts[i][code] == 0 {
						t.Errorf("%s: %s is never drawn", element, code)
					}
				}
				for code, n := range counts[i] {
					if !slices.Contains(list, code) {
						t.Errorf("%s: %q, %d times, is not of %v", element, code, n, list)
					}
				}
			}
		})
	}
}

// The statuses of a report that its weights leave no room for are made when asked for.
func TestOtherStatuses(t *testing.T) {
	for _, status := range []string{"registered", "partial", "preliminary", "final", "amended", "corrected", "appended", "cancelled", "entered-in-error"} {
		each(t, "DiagnosticReport", synth.Options{Seed: 1, Values: map[string]string{"status": status}}, 20, func(n int, body []byte) {
			if got := parse(t, body).Get("status").Text(); got != status {
				t.Errorf("%d: %s, not %s", n, got, status)
			}
		})
	}
}

// Responses are of the five questionnaires, one by one and all without the option.
func TestTemplates(t *testing.T) {
	seen := map[string]int{}
	questionnaires := func(o synth.Options, count int) map[string]int {
		counts := map[string]int{}
		each(t, "QuestionnaireResponse", o, count, func(_ int, body []byte) { counts[parse(t, body).Get("questionnaire").Text()]++ })
		return counts
	}
	for _, template := range []string{"phq-9", "gad-7", "pain-assessment", "covid-screening", "health-intake"} {
		of := questionnaires(synth.Options{Seed: 1, Values: map[string]string{"questionnaire_template": template}}, 100)
		if len(of) != 1 {
			t.Errorf("%s: %v", template, of)
		}
		maps.Copy(seen, of)
	}
	all := questionnaires(synth.Options{Seed: 1}, 1000)
	if len(seen) != 5 || !slices.Equal(slices.Sorted(maps.Keys(seen)), slices.Sorted(maps.Keys(all))) {
		t.Errorf("without the option %v, with it %v", all, seen)
	}
}

// The documented weights hold: chi-square over 10,000. A limit is passed by chance with one
// seed of 10,000.
func TestWeights(t *testing.T) {
	for _, row := range []struct {
		typ, element string
		codes        []string
		weights      []int // in percent
		limit        float64
	}{
		{"DiagnosticReport", "status", []string{"final", "preliminary", "amended", "registered"}, []int{70, 15, 10, 5}, 21.1}, // 3 degrees of freedom
		{"Immunization", "status", []string{"completed", ""}, []int{95, 5}, 15.1},                                             // 1
		{"ServiceRequest", "priority", []string{"routine", ""}, []int{70, 30}, 15.1},                                          // 1
	} {
		for _, seed := range []uint64{0, 1, 42} {
			counts := make([]int, len(row.codes))
			each(t, row.typ, synth.Options{Seed: seed}, 10_000, func(_ int, body []byte) {
				codesOf(parse(t, body), row.element, func(code string) {
					n := slices.Index(row.codes, code)
					if n < 0 {
						n = slices.Index(row.codes, "") // all others
					}
					if n < 0 {
						t.Fatalf("%s: %q", row.typ, code)
					}
					counts[n]++
				})
			})
			if x := synth.ChiSquare(counts, row.weights); x > row.limit {
				t.Errorf("%s.%s, seed %d: chi-square %.1f: %v", row.typ, row.element, seed, x, counts)
			}
		}
	}
}
