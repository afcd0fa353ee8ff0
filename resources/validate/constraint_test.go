package validate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/fhirpath"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/validate"
)

// violations has a document for each key: a type and members, or the type of a value in an extension.
// REF, CC and NAME abbreviate members.
const violations = `
age-1 Age "value":3,"unit":"a"
ait-1 AllergyIntolerance
ait-2 AllergyIntolerance "verificationStatus":{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/allergyintolerance-verification","code":"entered-in-error"}]},"clinicalStatus":{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/allergyintolerance-clinical","code":"active"}]}
app-1 Appointment "participant":[{"status":"accepted"}]
app-2 Appointment "start":"2020-01-01T10:00:00Z"
app-3 Appointment "status":"booked"
app-4 Appointment "status":"booked","cancelationReason":CC
apr-1 AppointmentResponse "participantStatus":"accepted"
att-1 Attachment "data":"AAAA"
bdl-1 Bundle "type":"batch","total":1
bdl-10 Bundle "type":"document"
bdl-11 Bundle "type":"document","entry":[{"resource":{"resourceType":"Patient"}}]
bdl-12 Bundle "type":"message","entry":[{"resource":{"resourceType":"Patient"}}]
bdl-2 Bundle "type":"batch","entry":[{"search":{"mode":"match"}}]
bdl-3 Bundle "type":"batch","entry":[{"resource":{"resourceType":"Patient"}}]
bdl-4 Bundle "type":"batch-response","entry":[{"resource":{"resourceType":"Patient"}}]
bdl-5 Bundle "type":"collection","entry":[{"fullUrl":"urn:uuid:c757873d-ec9a-4326-a141-556f43239520"}]
bdl-7 Bundle "type":"collection","entry":[{"fullUrl":"http://x/Patient/1","resource":{"resourceType":"Patient","id":"1"}},{"fullUrl":"http://x/Patient/1","resource":{"resourceType":"Patient","id":"1"}}]
bdl-8 Bundle "type":"collection","entry":[{"fullUrl":"http://x/Patient/1/_history/1","resource":{"resourceType":"Patient","id":"1"}}]
bdl-9 Bundle "type":"document","identifier":{"value":"1"}
ces-1 CoverageEligibilityResponse "insurance":[{"coverage":REF,"item":[{"name":"a"}]}]
cmd-1 ConceptMap "group":[{"element":[{"code":"a","target":[{"code":"b","equivalence":"narrower"}]}]}]
cmd-2 ConceptMap "group":[{"element":[{"code":"a"}],"unmapped":{"mode":"fixed"}}]
cmd-3 ConceptMap "group":[{"element":[{"code":"a"}],"unmapped":{"mode":"other-map"}}]
cmp-1 Composition "section":[{"title":"a"}]
cmp-2 Composition "section":[{"emptyReason":CC,"entry":[REF]}]
cnt-3 Count "value":1.5,"system":"http://unitsofmeasure.org","code":"1"
con-1 Condition "stage":[{"type":CC}]
con-2 Condition "evidence":[{"id":"a","extension":[{"url":"http://x","valueString":"a"}]}]
con-3 Condition "category":[{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/condition-category","code":"problem-list-item"}]}]
con-4 Condition "clinicalStatus":{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/condition-clinical","code":"active"}]},"abatementString":"a"
con-5 Condition "clinicalStatus":{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/condition-clinical","code":"active"}]},"verificationStatus":{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/condition-ver-status","code":"entered-in-error"}]}
cpb-1 CapabilityStatement "kind":"instance"
cpb-12 CapabilityStatement "rest":[{"mode":"server","resource":[{"type":"Patient","searchParam":[{"name":"a","type":"date"},{"name":"a","type":"date"}]}]}]
cpb-14 CapabilityStatement "kind":"instance"
cpb-15 CapabilityStatement "kind":"capability","implementation":{"description":"a"}
cpb-16 CapabilityStatement "kind":"requirements","software":NAME
cpb-2 CapabilityStatement "kind":"instance"
cpb-3 CapabilityStatement "kind":"capability","messaging":[{"endpoint":[{"protocol":{"code":"http"},"address":"http://x"}]}]
cpb-7 CapabilityStatement "document":[{"mode":"producer","profile":"http://x"},{"mode":"producer","profile":"http://x"}]
cpb-9 CapabilityStatement "rest":[{"mode":"server","resource":[{"type":"Patient"},{"type":"Patient"}]}]
cpl-3 CarePlan "activity":[{"detail":{"status":"scheduled"},"reference":REF}]
cpt-2 ContactPoint "value":"1"
csd-1 CodeSystem "concept":[{"code":"a","concept":[{"code":"b"}]},{"code":"b"}]
ctm-1 CareTeam "participant":[{"member":{"reference":"Patient/1"},"onBehalfOf":{"reference":"Organization/1"}}]
dis-1 Distance "value":1,"system":"http://x","code":"m"
dom-2 Patient "contained":[{"resourceType":"Patient","id":"a","contained":[{"resourceType":"Patient","id":"b"}]}]
dom-3 Patient "contained":[{"resourceType":"Patient","id":"a"}]
dom-4 Patient "contained":[{"resourceType":"Patient","id":"a","meta":{"versionId":"1"}}]
dom-5 Patient "contained":[{"resourceType":"Patient","id":"a","meta":{"security":[{"code":"a"}]}}]
dom-6 Patient
drq-1 DataRequirement "type":"Patient","codeFilter":[{"path":"a","searchParam":"b"}]
drq-2 DataRequirement "type":"Patient","dateFilter":[{"valueDateTime":"2020"}]
drt-1 Duration "code":"a"
eld-1 ElementDefinition "path":"A.a","slicing":{"rules":"open"}
eld-12 ElementDefinition "path":"A.a","binding":{"strength":"required","valueSet":"ftp:a"}
eld-13 ElementDefinition "path":"A.a","type":[{"code":"code"},{"code":"code"}]
eld-14 ElementDefinition "path":"A.a","constraint":[{"key":"a","severity":"error","human":"a","expression":"true"},{"key":"a","severity":"error","human":"a","expression":"true"}]
eld-15 ElementDefinition "path":"A.a","defaultValueString":"a","meaningWhenMissing":"a"
eld-16 ElementDefinition "path":"A.a","sliceName":"a b"
eld-17 ElementDefinition "path":"A.a","type":[{"code":"code","targetProfile":["http://x"]}]
eld-18 ElementDefinition "path":"A.a","isModifier":true
eld-19 ElementDefinition "path":"A b"
eld-2 ElementDefinition "path":"A.a","min":2,"max":"1"
eld-20 ElementDefinition "path":"A.1"
eld-21 ElementDefinition "path":"A.a","constraint":[{"key":"a","severity":"error","human":"a"}]
eld-22 ElementDefinition "path":"A.a","sliceIsConstraining":true
eld-3 ElementDefinition "path":"A.a","max":"x"
eld-4 ElementDefinition "path":"A.a","type":[{"code":"code","aggregation":["bundled"]}]
eld-5 ElementDefinition "path":"A.a","contentReference":"#a","type":[{"code":"code"}]
eld-6 ElementDefinition "path":"A.a","fixedString":"a","type":[{"code":"code"},{"code":"string"}]
eld-7 ElementDefinition "path":"A.a","patternString":"a","type":[{"code":"code"},{"code":"string"}]
eld-8 ElementDefinition "path":"A.a","patternString":"a","fixedString":"a"
ele-1 Patient "name":[{"id":"a"}]
exp-1 Expression "language":"text/fhirpath"
ext-1 Patient "extension":[{"url":"http://x"}]
fhs-1 FamilyMemberHistory "ageString":"a","bornString":"a"
fhs-2 FamilyMemberHistory "estimatedAge":true
gol-1 Goal "target":[{"detailString":"a"}]
grp-1 Group "actual":false,"member":[{"entity":REF}]
ig-1 ImplementationGuide "definition":{"grouping":[{"id":"a","name":"a"}],"resource":[{"reference":REF,"groupingId":"b"}]}
ig-2 ImplementationGuide "fhirVersion":["4.0.1"],"definition":{"resource":[{"reference":REF,"fhirVersion":["3.0.1"]}]}
imm-1 Immunization "education":[{"publicationDate":"2020"}]
imr-1 ImmunizationRecommendation "recommendation":[{"forecastStatus":CC}]
inv-1 Task "authoredOn":"2020-01-02","lastModified":"2020-01-01"
inv-1 Parameters "parameter":[{"name":"a"}]
inv-1 TestReport "setup":{"action":[{"id":"a","extension":[{"url":"http://x","valueString":"a"}]}]}
inv-2 TestReport "test":[{"action":[{"id":"a","extension":[{"url":"http://x","valueString":"a"}]}]}]
ipn-1 InsurancePlan "status":"active"
lnk-1 Linkage "item":[{"type":"source","resource":REF}]
lst-1 List "emptyReason":CC,"entry":[{"item":REF}]
lst-2 List "mode":"working","entry":[{"item":REF,"deleted":true}]
lst-3 List "mode":"changes","entry":[{"item":REF,"date":"2020"}]
mad-1 MedicationAdministration "dosage":{"text":"a"}
md-1 MessageDefinition "focus":[{"code":"Patient","min":0,"max":"0"}]
mdd-1 MedicationDispense "whenPrepared":"2020-01-02","whenHandedOver":"2020-01-01"
mea-1 Measure "group":[{"stratifier":[{"id":"a","extension":[{"url":"http://x","valueString":"a"}]}]}]
mrp-1 MeasureReport "type":"data-collection","group":[{"code":CC}]
mrp-2 MeasureReport "group":[{"stratifier":[{"stratum":[{"measureScore":{"value":1}}]}]}]
msq-3 MolecularSequence "coordinateSystem":2
msq-5 MolecularSequence "referenceSeq":{"chromosome":CC,"referenceSeqString":"a"}
msq-6 MolecularSequence "referenceSeq":{"windowStart":1}
nor-1 NutritionOrder "status":"active"
nsd-1 NamingSystem "kind":"root","uniqueId":[{"type":"uuid","value":"a"}]
nsd-2 NamingSystem "uniqueId":[{"type":"uri","value":"a","preferred":true},{"type":"uri","value":"b","preferred":true}]
obs-3 Observation "referenceRange":[{"type":CC}]
obs-6 Observation "dataAbsentReason":CC,"valueString":"a"
obs-7 Observation "code":{"coding":[{"system":"http://x","code":"a"}]},"valueString":"a","component":[{"code":{"coding":[{"system":"http://x","code":"a"}]}}]
opd-1 OperationDefinition "parameter":[{"name":"a","use":"in","min":0,"max":"1"}]
opd-2 OperationDefinition "parameter":[{"name":"a","use":"in","min":0,"max":"1","type":"code","searchType":"token"}]
opd-3 OperationDefinition "parameter":[{"name":"a","use":"in","min":0,"max":"1","type":"code","targetProfile":["http://x"]}]
org-1 Organization "active":true
org-2 Organization "name":"a","address":[{"use":"home"}]
org-3 Organization "name":"a","telecom":[{"use":"home"}]
pat-1 Patient "contact":[{"gender":"male"}]
per-1 Period "start":"2020-01-02","end":"2020-01-01"
ppc-1 Consent "status":"active"
ppc-2 Consent "scope":{"coding":[{"system":"something","code":"patient-privacy"}]}
ppc-3 Consent "scope":{"coding":[{"system":"something","code":"research"}]}
ppc-4 Consent "scope":{"coding":[{"system":"something","code":"adr"}]}
ppc-5 Consent "scope":{"coding":[{"system":"something","code":"treatment"}]}
prr-1 ServiceRequest "orderDetail":[CC]
qrs-1 QuestionnaireResponse "item":[{"linkId":"1","answer":[{"valueString":"a"}],"item":[{"linkId":"2"}]}]
qty-3 Quantity "value":1,"code":"mg"
que-1 Questionnaire "item":[{"linkId":"1","type":"group"}]
que-10 Questionnaire "item":[{"linkId":"1","type":"date","maxLength":1}]
que-11 Questionnaire "item":[{"linkId":"1","type":"choice","answerOption":[{"valueString":"a"}],"initial":[{"valueString":"a"}]}]
que-12 Questionnaire "item":[{"linkId":"1","type":"string","enableWhen":[{"question":"2","operator":"exists","answerBoolean":true},{"question":"3","operator":"exists","answerBoolean":true}]}]
que-13 Questionnaire "item":[{"linkId":"1","type":"string","initial":[{"valueString":"a"},{"valueString":"b"}]}]
que-2 Questionnaire "item":[{"linkId":"1","type":"string"},{"linkId":"1","type":"string"}]
que-3 Questionnaire "item":[{"linkId":"1","type":"display","code":[{"code":"a"}]}]
que-4 Questionnaire "item":[{"linkId":"1","type":"choice","answerOption":[{"valueString":"a"}],"answerValueSet":"http://x"}]
que-5 Questionnaire "item":[{"linkId":"1","type":"boolean","answerOption":[{"valueString":"a"}]}]
que-6 Questionnaire "item":[{"linkId":"1","type":"display","required":true}]
que-7 Questionnaire "item":[{"linkId":"1","type":"string","enableWhen":[{"question":"2","operator":"exists","answerString":"a"}]}]
que-8 Questionnaire "item":[{"linkId":"1","type":"display","initial":[{"valueString":"a"}]}]
que-9 Questionnaire "item":[{"linkId":"1","type":"display","readOnly":true}]
ras-1 RiskAssessment "prediction":[{"probabilityRange":{"low":{"value":1,"code":"a","system":"http://x"}}}]
ras-2 RiskAssessment "prediction":[{"probabilityDecimal":101}]
rat-1 Ratio "numerator":{"value":1}
ref-1 Patient "managingOrganization":{"reference":"#a"}
rng-2 Range "low":{"value":2},"high":{"value":1}
rqg-1 RequestGroup "action":[{"title":"a"}]
sdf-1 StructureDefinition "snapshot":{"element":[{"id":"a","path":"A.a"},{"id":"b","path":"A.a"}]}
sdf-10 StructureDefinition "snapshot":{"element":[{"id":"a","path":"A","binding":{"strength":"required"}}]}
sdf-11 StructureDefinition "kind":"resource","type":"A","snapshot":{"element":[{"id":"a","path":"B"}]}
sdf-14 StructureDefinition "snapshot":{"element":[{"path":"A"}]}
sdf-15 StructureDefinition "kind":"resource","snapshot":{"element":[{"path":"A","type":[{"code":"A"}]}]}
sdf-15a StructureDefinition "kind":"resource","differential":{"element":[{"path":"A","type":[{"code":"A"}]}]}
sdf-16 StructureDefinition "snapshot":{"element":[{"id":"a","path":"A"},{"id":"a","path":"A.a"}]}
sdf-17 StructureDefinition "differential":{"element":[{"id":"a","path":"A"},{"id":"a","path":"A.a"}]}
sdf-18 StructureDefinition "type":"A","contextInvariant":["true"]
sdf-19 StructureDefinition "url":"http://hl7.org/fhir/StructureDefinition/a","differential":{"element":[{"path":"A","type":[{"code":"a b"}]}]}
sdf-2 StructureDefinition "mapping":[{"identity":"a"}]
sdf-20 StructureDefinition "differential":{"element":[{"path":"A","slicing":{"rules":"open","description":"a"}}]}
sdf-21 StructureDefinition "derivation":"constraint","differential":{"element":[{"path":"A","defaultValueString":"a"}]}
sdf-22 StructureDefinition "url":"http://hl7.org/fhir/StructureDefinition/a","differential":{"element":[{"path":"A","defaultValueString":"a"}]}
sdf-23 StructureDefinition "differential":{"element":[{"path":"A","sliceName":"a"}]}
sdf-3 StructureDefinition "snapshot":{"element":[{"path":"A"}]}
sdf-4 StructureDefinition "abstract":false
sdf-5 StructureDefinition "type":"Extension","derivation":"constraint"
sdf-6 StructureDefinition "abstract":true
sdf-8 StructureDefinition "kind":"resource","type":"A","snapshot":{"element":[{"path":"A"},{"path":"B.a"}]}
sdf-8a StructureDefinition "kind":"resource","type":"A","differential":{"element":[{"path":"A"},{"path":"B.a"}]}
sdf-8b StructureDefinition "snapshot":{"element":[{"path":"A"}]}
sdf-9 StructureDefinition "snapshot":{"element":[{"path":"A","label":"a"}]}
sev-1 AuditEvent "entity":[{"name":"a","query":"AAAA"}]
smp-1 StructureMap "group":[{"name":"a","typeMode":"none","input":[{"name":"a","mode":"source"}],"rule":[{"name":"a","source":[{"context":"a"}],"target":[{"element":"a"}]}]}]
smp-2 StructureMap "group":[{"name":"a","typeMode":"none","input":[{"name":"a","mode":"source"}],"rule":[{"name":"a","source":[{"context":"a"}],"target":[{"context":"a"}]}]}]
spd-1 SearchParameter "xpath":"a"
spd-2 SearchParameter "type":"token","chain":["a"]
tcp-1 TerminologyCapabilities "codeSystem":[{"uri":"http://x","version":[{"code":"1"},{"isDefault":true}]}]
tcp-2 TerminologyCapabilities "kind":"instance"
tcp-3 TerminologyCapabilities "kind":"instance"
tcp-4 TerminologyCapabilities "kind":"capability","implementation":{"description":"a"}
tcp-5 TerminologyCapabilities "kind":"requirements","software":NAME
tim-1 Timing "repeat":{"duration":1}
tim-10 Timing "repeat":{"timeOfDay":["10:00:00"],"when":["AC"]}
tim-2 Timing "repeat":{"period":1}
tim-4 Timing "repeat":{"duration":-1,"durationUnit":"s"}
tim-5 Timing "repeat":{"period":-1,"periodUnit":"s"}
tim-6 Timing "repeat":{"periodMax":1}
tim-7 Timing "repeat":{"durationMax":1}
tim-8 Timing "repeat":{"countMax":1}
tim-9 Timing "repeat":{"offset":1,"when":["AC","C"]}
trd-1 TriggerDefinition "type":"periodic","data":[{"type":"Patient"}],"timingDate":"2020-01-01"
trd-2 TriggerDefinition "type":"named-event","name":"a","condition":{"language":"text/fhirpath","expression":"true"}
trd-3 TriggerDefinition "type":"named-event"
tst-1 TestScript "setup":{"action":[{"id":"a","extension":[{"url":"http://x","valueString":"a"}]}]}
tst-10 TestScript "setup":{"action":[{"assert":{"compareToSourceId":"a","warningOnly":false}}]}
tst-11 TestScript "test":[{"action":[{"assert":{"compareToSourceId":"a","warningOnly":false}}]}]
tst-12 TestScript "setup":{"action":[{"assert":{"response":"okay","direction":"request","warningOnly":false}}]}
tst-13 TestScript "test":[{"action":[{"assert":{"response":"okay","direction":"request","warningOnly":false}}]}]
tst-2 TestScript "test":[{"action":[{"id":"a","extension":[{"url":"http://x","valueString":"a"}]}]}]
tst-3 TestScript "variable":[{"name":"a","expression":"a","headerField":"a","path":"a"}]
tst-4 TestScript "metadata":{"capability":[{"description":"a","capabilities":"http://x"}]}
tst-5 TestScript "setup":{"action":[{"assert":{"path":"a","expression":"a","warningOnly":false}}]}
tst-6 TestScript "test":[{"action":[{"assert":{"path":"a","expression":"a","warningOnly":false}}]}]
tst-7 TestScript "setup":{"action":[{"operation":{"targetId":"a","url":"a","encodeRequestUrl":true}}]}
tst-8 TestScript "test":[{"action":[{"operation":{"targetId":"a","url":"a","encodeRequestUrl":true}}]}]
tst-9 TestScript "teardown":{"action":[{"operation":{"targetId":"a","url":"a","encodeRequestUrl":true}}]}
txt-1 Patient "text":{"status":"generated","div":"<div xmlns=\"http://www.w3.org/1999/xhtml\"><script>a</script></div>"}
txt-2 Patient "text":{"status":"generated","div":"<div xmlns=\"http://www.w3.org/1999/xhtml\"><p> </p></div>"}
vsd-1 ValueSet "compose":{"include":[{"version":"1"}]}
vsd-10 ValueSet "expansion":{"timestamp":"2020","contains":[{"code":"a"}]}
vsd-2 ValueSet "compose":{"include":[{"valueSet":["http://x"],"concept":[{"code":"a"}]}]}
vsd-3 ValueSet "compose":{"include":[{"system":"http://x","concept":[{"code":"a"}],"filter":[{"property":"a","op":"=","value":"a"}]}]}
vsd-6 ValueSet "expansion":{"timestamp":"2020","contains":[{"abstract":true}]}
vsd-9 ValueSet "expansion":{"timestamp":"2020","contains":[{"display":"a"}]}
`

// inviolable are the keys that no document violates, with the reason.
var inviolable = map[string]string{
	"cid-0":  "ChargeItemDefinition has no name",
	"eld-11": "type.select(…).exists() is true for each binding of an element with a type, which the constraint requires",
}

// violating returns the documents by key; a key has more than one if several types have it.
func violating(t *testing.T) map[string][]string {
	t.Helper()
	tables := definitions.R4()
	long := strings.NewReplacer("REF", `{"reference":"Patient/1"}`, "CC", `{"text":"a"}`, "NAME", `{"name":"a"}`)
	documents := map[string][]string{}
	for line := range strings.SplitSeq(strings.TrimSpace(violations), "\n") {
		key, rest, _ := strings.Cut(line, " ")
		typ, members, _ := strings.Cut(rest, " ")
		members = long.Replace(members)
		text := fmt.Sprintf(`{"resourceType":"%s"%s}`, typ, strings.TrimSuffix(","+members, ","))
		if !tables.IsResource(typ) {
			text = fmt.Sprintf(`{"resourceType":"Basic","code":{"text":"a"},"extension":[{"url":"http://x","value%s":{%s}}]}`, typ, members)
		}
		if typ == "ElementDefinition" {
			text = fmt.Sprintf(`{"resourceType":"StructureDefinition","differential":{"element":[{"id":"a",%s}]}}`, members)
		}
		documents[key] = append(documents[key], text)
	}
	for _, c := range tables.Constraints() {
		if strings.HasSuffix(c.Key, "-0") { // names for machines
			documents[c.Key] = append(documents[c.Key], `{"resourceType":"`+c.Path+`","name":"a b"}`)
		}
	}
	return documents
}

// TestConstraints violates every constraint of R4.
func TestConstraints(t *testing.T) {
	v := validate.New(definitions.R4(), validate.MaxIssues(1000))
	documents := violating(t)
	keys := 0
	for _, c := range definitions.R4().Constraints() {
		if _, err := fhirpath.Compile(c.Expression); err != nil {
			t.Errorf("%s: %v", c.Key, err)
		}
		if inviolable[c.Key] != "" {
			continue
		}
		keys++
		if documents[c.Key] == nil {
			t.Errorf("%s has no document", c.Key)
		}
		for _, text := range documents[c.Key] {
			d, err := document.Parse([]byte(text), r4.Limits{})
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			issues := v.Validate(d)
			at := slices.IndexFunc(issues, func(i validate.Issue) bool { return strings.HasPrefix(i.Text, c.Key+": ") })
			if at < 0 {
				t.Errorf("%s is not violated by %s: %v", c.Key, text, issues)
				continue
			}
			if i := issues[at]; (i.Severity == validate.Warning) != c.Warning || i.Line != 1 || i.Column < 1 || !strings.HasPrefix(i.Expression, d.ResourceType()) {
				t.Errorf("%s: %+v", c.Key, i)
			}
		}
	}
	if keys+len(inviolable) != 239 { // inv-1 is the key of three
		t.Errorf("%d constraints", keys)
	}
}
