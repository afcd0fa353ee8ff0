package e2e_test

import (
	"cmp"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	snomed   = "http://snomed.info/sct"
	loinc    = "http://loinc.org"
	kilogram = "29463-7" // the code of body weight
	height   = "8302-2"
)

// A counted search is one whose answer is counted from the files.
type counted struct {
	target string // @Type/id is what the server calls a resource of the files
	want   func(r *record) bool
	// included returns what comes with a match.
	included func(r *record) []*record
	// order compares two matches by what they are sorted by.
	order func(a, b *record) int
}

// countedSearches are searches of every kind on the files.
func countedSearches(data *dataset) []counted {
	at := func(text string) time.Time {
		instant, err := time.Parse(time.RFC3339, text)
		if err != nil {
			panic(err) // the table is wrong, or a file
		}
		return instant
	}
	// The patients with the most and the fewest resources, and how the first is called.
	sizes := map[string]int{}
	for _, r := range data.records {
		for _, to := range r.body.at("subject.reference") {
			sizes[to.text]++
		}
	}
	patients := slices.SortedFunc(maps.Keys(sizes), func(a, b string) int { return cmp.Compare(sizes[b], sizes[a]) })
	most, least := patients[0], patients[len(patients)-1]
	family := strings.ToLower(data.byKey[most].body.first("name.family"))
	effective := func(r *record) time.Time { return at(r.body.first("effectiveDateTime")) }
	weight := func(r *record) bool { return r.has("code", loinc, kilogram) }
	of := func(patient string) func(*record) bool {
		return func(r *record) bool { return r.body.first("subject.reference") == patient }
	}
	named := func(r *record, family string) bool {
		for _, n := range r.body.at("name.family") {
			if strings.HasPrefix(n.text, family) {
				return true
			}
		}
		return false
	}
	// pointing returns the records of a type that have a reference to one.
	pointing := func(typ, path string) func(*record) []*record {
		from := map[string][]*record{}
		for _, r := range data.of(typ) {
			for _, to := range r.body.at(path + ".reference") {
				from[to.text] = append(from[to.text], r)
			}
		}
		return func(to *record) []*record { return from[to.key] }
	}
	conditions, provenances := pointing("Condition", "subject"), pointing("Provenance", "target")
	observations := pointing("Observation", "encounter")
	return []counted{
		// Tokens.
		{target: "Observation?code=" + loinc + "|" + height, want: func(r *record) bool { return r.has("code", loinc, height) }},
		{target: "Observation?code=" + height + "," + kilogram, want: func(r *record) bool { return r.has("code", loinc, height) || weight(r) }},
		{target: "Observation?code=" + snomed + "|" + height, want: func(*record) bool { return false }},
		{target: "MedicationRequest?status:not=stopped", want: func(r *record) bool { return r.body.first("status") != "stopped" }},
		{target: "Condition?clinical-status:not=resolved", want: func(r *record) bool { return r.body.first("clinicalStatus.coding.code") != "resolved" }},
		{target: "ImagingStudy?modality=US", want: func(r *record) bool { return r.body.first("series.modality.code") == "US" }},
		{target: "Encounter?class=EMER,IMP", want: func(r *record) bool { return slices.Contains([]string{"EMER", "IMP"}, r.body.first("class.code")) }},
		{target: "Patient?gender=female&active:missing=true", want: func(r *record) bool { return r.body.first("gender") == "female" }},
		{target: "Patient?death-date:missing=false", want: func(r *record) bool { return r.body.get("deceasedDateTime") != nil }},
		// Tokens by what the engine knows of the codes.
		{target: "Encounter?class:below=http://terminology.hl7.org/CodeSystem/v3-ActCode|_ActEncounterCode", want: func(*record) bool { return true }},
		{target: "Encounter?class:in=http://terminology.hl7.org/ValueSet/v3-ActEncounterCode&class:not=AMB", want: func(r *record) bool { return r.body.first("class.code") != "AMB" }},
		{target: "Condition?clinical-status:below=http://terminology.hl7.org/CodeSystem/condition-clinical|inactive", want: func(r *record) bool { return r.body.first("clinicalStatus.coding.code") == "resolved" }},
		{target: "Condition?clinical-status:not-in=http://hl7.org/fhir/ValueSet/condition-clinical", want: func(*record) bool { return false }},
		// Dates.
		{target: "Observation?category=vital-signs&date=ge2015-01-01T00:00:00Z&date=lt2016-01-01T00:00:00Z", want: func(r *record) bool {
			return r.body.first("category.coding.code") == "vital-signs" &&
				!effective(r).Before(at("2015-01-01T00:00:00Z")) && effective(r).Before(at("2016-01-01T00:00:00Z"))
		}},
		{target: "Encounter?date=ge2010&date=le2012", want: func(r *record) bool {
			return !at(r.body.first("period.end")).Before(at("2010-01-01T00:00:00Z")) && at(r.body.first("period.start")).Before(at("2013-01-01T00:00:00Z"))
		}},
		{target: "Condition?onset-date=sa2017-06-30T22:00:00Z", want: func(r *record) bool {
			return at(r.body.first("onsetDateTime")).After(at("2017-06-30T22:00:00Z"))
		}},
		{target: "Patient?birthdate=lt1960", want: func(r *record) bool { return r.body.first("birthDate") < "1960" }},
		{target: "Patient?birthdate=1919-03-10", want: func(r *record) bool { return r.body.first("birthDate") == "1919-03-10" }},
		{target: "Immunization?vaccine-code=http://hl7.org/fhir/sid/cvx|140&date=gt2015-12-31T23:59:59Z", want: func(r *record) bool {
			return r.has("vaccineCode", "http://hl7.org/fhir/sid/cvx", "140") && at(r.body.first("occurrenceDateTime")).After(at("2015-12-31T23:59:59Z"))
		}},
		// Strings.
		{target: "Patient?address-city=plymouth", want: func(r *record) bool { return r.body.first("address.city") == "Plymouth" }},
		{target: "Patient?family=LEON820", want: func(r *record) bool { return named(r, "León820") }},
		{target: "Organization?name:contains=hospital", want: func(r *record) bool { return strings.Contains(strings.ToLower(r.body.first("name")), "hospital") }},
		{target: "Patient?family:exact=Davis923", want: func(r *record) bool { return named(r, "Davis923") }},
		// References, there and back.
		{target: "Condition?patient=@" + most, want: of(most)},
		{target: "@" + most + "/Observation?category=laboratory", want: func(r *record) bool {
			return of(most)(r) && r.body.first("category.coding.code") == "laboratory"
		}},
		{target: "Observation?patient.name=" + family + "&code=" + kilogram, want: func(r *record) bool { return weight(r) && of(most)(r) }},
		{target: "Condition?subject:Patient.gender=male", want: func(r *record) bool { return data.to(r, "subject").body.first("gender") == "male" }},
		{target: "Condition?encounter:Encounter.class=EMER", want: func(r *record) bool { return data.to(r, "encounter").body.first("class.code") == "EMER" }},
		{target: "Observation?code=" + kilogram + "&encounter.service-provider.name=PCP", want: func(r *record) bool {
			return weight(r) && strings.HasPrefix(data.to(data.to(r, "encounter"), "serviceProvider").body.first("name"), "PCP")
		}},
		{target: "Encounter?participant:Practitioner.identifier=http://hl7.org/fhir/sid/us-npi|9999968509", want: func(r *record) bool {
			return data.to(r, "participant.individual").body.first("identifier.value") == "9999968509"
		}},
		{target: "Patient?_has:Condition:patient:code=444814009", want: func(r *record) bool {
			return slices.ContainsFunc(conditions(r), func(c *record) bool { return c.has("code", snomed, "444814009") })
		}},
		{target: "Encounter?_has:Observation:encounter:code=" + kilogram + "&patient.birthdate=lt1950", want: func(r *record) bool {
			return data.to(r, "subject").body.first("birthDate") < "1950" && slices.ContainsFunc(observations(r), weight)
		}},
		{target: "?_type=Condition,Procedure&patient=@" + most, want: of(most)},
		// What comes along.
		{
			target: "MedicationRequest?patient=@" + most + "&status=active&_include=MedicationRequest:requester&_include=MedicationRequest:encounter",
			want:   func(r *record) bool { return of(most)(r) && r.body.first("status") == "active" },
			included: func(r *record) []*record {
				return []*record{data.to(r, "requester"), data.to(r, "encounter")}
			},
		},
		{
			target: "DiagnosticReport?patient=@" + least + "&_include=DiagnosticReport:result&_include:iterate=Observation:encounter",
			want:   of(least),
			included: func(r *record) (out []*record) {
				for _, v := range r.body.at("result.reference") {
					observation := data.byKey[v.text]
					out = append(out, observation, data.to(observation, "encounter"))
				}
				return out
			},
		},
		{
			target: "Patient?name=boehm581&_revinclude=Condition:patient&_revinclude=Provenance:target",
			want:   func(r *record) bool { return named(r, "Boehm581") },
			included: func(r *record) []*record {
				return slices.Concat(conditions(r), provenances(r))
			},
		},
		// Quantities, in the unit of the files and in others.
		{target: "Observation?code=" + kilogram + "&value-quantity=gt80|http://unitsofmeasure.org|kg", want: func(r *record) bool {
			return weight(r) && r.amount("valueQuantity").Cmp(rational("80")) > 0
		}},
		{target: "Observation?code=" + kilogram + "&value-quantity=gt80000|http://unitsofmeasure.org|g", want: func(r *record) bool {
			return weight(r) && r.amount("valueQuantity").Cmp(rational("80")) > 0
		}},
		{target: "Observation?value-quantity=lt1.2|http://unitsofmeasure.org|m", want: func(r *record) bool {
			metres, isLength := map[string]string{"cm": "1/100", "mm": "1/1000"}[r.body.first("valueQuantity.code")]
			return isLength && new(big.Rat).Mul(r.amount("valueQuantity"), rational(metres)).Cmp(rational("1.2")) < 0
		}},
		{target: "Observation?code=4548-4&value-quantity=ge6.5||%", want: func(r *record) bool {
			return r.has("code", loinc, "4548-4") && r.amount("valueQuantity").Cmp(rational("6.5")) >= 0
		}},
		{target: "Observation?component-code-value-quantity=" + loinc + "|8480-6$ge140|http://unitsofmeasure.org|mm[Hg]", want: func(r *record) bool {
			return slices.ContainsFunc(r.body.at("component"), func(c *node) bool {
				component := &record{body: c}
				return component.has("code", loinc, "8480-6") && component.amount("valueQuantity").Cmp(rational("140")) >= 0
			})
		}},
		// Orders.
		{target: "Observation?code=" + kilogram + "&_sort=date", want: weight, order: func(a, b *record) int { return effective(a).Compare(effective(b)) }},
		{target: "Observation?code=" + kilogram + "&_sort=-date", want: weight, order: func(a, b *record) int { return effective(b).Compare(effective(a)) }},
		{target: "Observation?code=" + kilogram + "&_sort=-value-quantity", want: weight, order: func(a, b *record) int {
			return b.amount("valueQuantity").Cmp(a.amount("valueQuantity"))
		}},
		{target: "Encounter?_sort=-date", want: func(*record) bool { return true }, order: func(a, b *record) int {
			return at(b.body.first("period.start")).Compare(at(a.body.first("period.start")))
		}},
		{target: "Patient?_sort=gender,-birthdate", want: func(*record) bool { return true }, order: func(a, b *record) int {
			return cmp.Or(cmp.Compare(a.body.first("gender"), b.body.first("gender")), cmp.Compare(b.body.first("birthDate"), a.body.first("birthDate")))
		}},
		{target: "Patient?_sort=family", want: func(*record) bool { return true }, order: func(a, b *record) int {
			return cmp.Compare(firstFamily(a), firstFamily(b))
		}},
	}
}

// firstFamily returns the family name of a patient that sorts first, without accents.
func firstFamily(r *record) string {
	var names []string
	for _, n := range r.body.at("name.family") {
		names = append(names, strings.ToLower(strings.ReplaceAll(n.text, "ó", "o")))
	}
	return slices.Min(names)
}

// has reports whether a CodeableConcept has a coding.
func (r *record) has(path, system, code string) bool {
	return slices.ContainsFunc(r.body.at(path+".coding"), func(c *node) bool {
		return c.first("system") == system && c.first("code") == code
	})
}

// amount returns the value of a Quantity.
func (r *record) amount(path string) *big.Rat { return rational(r.body.first(path + ".value")) }

func rational(text string) *big.Rat {
	value, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("no number: " + text) // the table is wrong, or a file
	}
	return value
}

// searches sends every search of the table, in pages, and compares what it finds with
// what the files have.
func (s *loaded) searches(t *testing.T, data *dataset) {
	t.Helper()
	for _, row := range countedSearches(data) {
		path, query, _ := strings.Cut(row.target, "?")
		types := strings.Split(path[strings.LastIndex(path, "/")+1:], ",")
		if list, found := strings.CutPrefix(query, "_type="); found {
			list, _, _ = strings.Cut(list, "&")
			types = strings.Split(list, ",")
		}
		var want, included []string
		for _, r := range data.of(types...) {
			if !row.want(r) {
				continue
			}
			want = append(want, r.key)
			if row.included != nil {
				for _, i := range row.included(r) {
					included = append(included, i.key)
				}
			}
		}
		l := s.list(t, "/"+row.target+"&_count=40&_total=accurate")
		got := s.allOrigins(l.matches)
		if row.order != nil && !slices.IsSortedFunc(got, func(a, b string) int { return row.order(data.byKey[a], data.byKey[b]) }) {
			t.Errorf("%s: not in order: %v", row.target, got)
		}
		if l.total != big.NewInt(int64(len(want))).String() || l.pages != max(1, (len(want)+39)/40) {
			t.Errorf("%s: total %s in %d pages, want %d", row.target, l.total, l.pages, len(want))
		}
		sameKeys(t, row.target, got, want)
		sameKeys(t, row.target+": included", slices.Compact(slices.Sorted(slices.Values(s.allOrigins(l.included)))), slices.Compact(slices.Sorted(slices.Values(included))))
	}
}

// sameKeys compares two lists in any order.
func sameKeys(t *testing.T, what string, got, want []string) {
	t.Helper()
	got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	if slices.Equal(got, want) {
		return
	}
	only := func(in, not []string) []string {
		return slices.DeleteFunc(slices.Clone(in), func(key string) bool { return slices.Contains(not, key) })
	}
	t.Errorf("%s: found %d, want %d; too many: %v; missing: %v", what, len(got), len(want), only(got, want), only(want, got))
}
