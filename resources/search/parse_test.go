package search_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/search"
)

// params splits "name=value&name=value" without decoding.
func params(s string) []search.Param {
	var out []search.Param
	for _, pair := range strings.Split(s, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		out = append(out, search.Param{Name: name, Value: value})
	}
	return out
}

// TestParse parses search strings and compares descriptions of the criteria.
func TestParse(t *testing.T) {
	for _, row := range []struct{ typ, query, want string }{
		{"Patient", "", ""},
		{"Patient", "gender=male", "gender token * male"},
		{"Patient", "identifier=http://h|1,|2,http://h|", "identifier token http://h|1, token |2, token http://h|*"},
		{"Patient", `identifier=a\,b\|c\\d`, `identifier token * a,b|c\d`},
		{"Patient", `identifier:not=1`, `identifier:not token * 1`},
		{"Patient", "identifier:of-type=http://t|MR|12", "identifier:of-type token http://t|MR 12"},
		{"Patient", "name:contains=Pet,x", "name:contains string Pet, string x"},
		{"Patient", "name:missing=true", "name:missing true"},
		{"Patient", "birthdate=ge2020&birthdate=lt2021-02", "birthdate date ge 2020-01-01T00:00:00.000Z/2021-01-01T00:00:00.000Z; birthdate date lt 2021-02-01T00:00:00.000Z/2021-03-01T00:00:00.000Z"},
		{"Patient", "_lastUpdated=2021-02-03T04:05:06.007+01:00", "_lastUpdated date eq 2021-02-03T03:05:06.007Z/2021-02-03T03:05:06.008Z"},
		{"Patient", "_lastUpdated=2021-02-03T04:05:06 01:00", "_lastUpdated date eq 2021-02-03T03:05:06.000Z/2021-02-03T03:05:07.000Z"},
		{"Patient", "_id=a,b", "_id token * a, token * b"},
		{"Patient", "general-practitioner=Practitioner/1", "general-practitioner reference Practitioner/1"},
		{"Patient", "general-practitioner=1", "general-practitioner reference [Organization Practitioner PractitionerRole]/1"},
		{"Patient", "general-practitioner:Practitioner=1", "general-practitioner:Practitioner reference Practitioner/1"},
		{"Patient", "general-practitioner=http://here/fhir/Practitioner/1", "general-practitioner reference Practitioner/1"},
		{"Patient", "general-practitioner=http://there/fhir/Practitioner/1", "general-practitioner reference http://there/fhir/Practitioner/1"},
		{"Patient", "organization=1", "organization reference Organization/1"},
		{"Patient", "organization=Organization/1/_history/2", "organization reference Organization/1 version 2"},
		{"Patient", "organization:identifier=http://h|1", "organization:identifier token http://h|1"},
		{"Patient", "organization.name=x", "organization.name → Organization(name string x)"},
		{"Patient", "general-practitioner:Practitioner.name=x", "general-practitioner:Practitioner.name → Practitioner(name string x)"},
		{"Patient", "general-practitioner.name=x", "general-practitioner.name → Organization(name string x) Practitioner(name string x)"},
		{"Patient", "_has:Observation:patient:code=8480-6", "_has:Observation:patient:code ← Observation.patient(code token * 8480-6)"},
		{"Patient", "_has:Observation:patient:_has:AuditEvent:entity:agent=x", "_has:Observation:patient:_has:AuditEvent:entity:agent ← Observation.patient(_has:AuditEvent:entity:agent ← AuditEvent.entity(agent reference [Device Organization Patient Practitioner PractitionerRole RelatedPerson]/x))"},
		{"Observation", "code:in=http://vs|1", "code:in token set http://vs|1"},
		{"Observation", "code:below=http://s|1", "code:below token http://s|1"},
		{"Observation", "code:ecl=<<1 |a, b|:2=3,4=5", "code:ecl token ecl http://snomed.info/sct <<1 |a, b|:2=3,4=5"},
		{"Observation", "code:ecl=http://s|<<1 |a|", "code:ecl token ecl http://s <<1 |a|"},
		{"Observation", "value-quantity=gt5.40|http://unitsofmeasure.org|mg", "value-quantity quantity gt5.40|http://unitsofmeasure.org|mg in g"},
		{"Observation", "value-quantity=5.4||mg", "value-quantity quantity 5.4||mg"},
		{"Observation", "value-quantity=ap100", "value-quantity quantity ap100"},
		{"Observation", "code-value-quantity=http://s|1$gt5", "code-value-quantity composite (token http://s|1 $ quantity gt5)"},
		{"RiskAssessment", "probability=1e2,-5.4e-3", "probability number 1e2, number -5.4e-3"},
		{"Questionnaire", "url:below=http://a/b", "url:below uri http://a/b"},
		{"QuestionnaireResponse", "questionnaire=http://q|1", "questionnaire reference http://q version 1"},
		{"DiagnosticReport", "conclusion=tumour", "conclusion string tumour"},
		{"DiagnosticReport", "conclusion=http://s|1", "conclusion token http://s|1 of conclusion-code"},
		{"DiagnosticReport", "conclusion:in=http://vs", "conclusion:in token set http://vs of conclusion-code"},
		{"Location", "near=42.25|-83.69|11200|m", "near near 42.25 -83.69 11.2 km"},
		{"Group", "characteristic=a$true", "characteristic composite (token * a $ token * true)"},
		{"Group", "characteristic=a", "characteristic token * a of characteristic-code"},
		{"Group", "characteristic-value=a", "characteristic-value token * a"},
		{"Group", "characteristic-value=a$b", "characteristic-value composite (token * a $ token * b) of characteristic"},
	} {
		q, err := search.Parse(definitions.R4(), row.typ, params(row.query), search.Options{Strict: true, Bases: []string{"http://here/fhir"}})
		if err != nil {
			t.Errorf("%s?%s: %v", row.typ, row.query, err)
			continue
		}
		var got []string
		for _, c := range q.Types[0].Criteria {
			got = append(got, c.String())
		}
		if s := strings.Join(got, "; "); s != row.want {
			t.Errorf("%s?%s\n got %s\nwant %s", row.typ, row.query, s, row.want)
		}
	}
}

// TestParseRefuses parses invalid search strings. lenient marks those that only a strict search
// refuses.
func TestParseRefuses(t *testing.T) {
	for _, row := range []struct {
		typ, query string
		lenient    bool
	}{
		{"Patient", "colour=red", true},
		{"Patient", "_query=x", true},
		{"Patient", "_list=$current-problems", true},
		{"Patient", "_filter=x", false},
		{"Patient", "_filter=gender eq", false},
		{"Patient", "_filter=gender like male", false},
		{"Patient", "_filter=gender co male", false},
		{"Patient", "_filter=gender gt 1", false},
		{"Patient", "_filter=colour eq red", false},
		{"Patient", "_filter=(gender eq male", false},
		{"Patient", "_filter=gender eq male)", false},
		{"Patient", "_filter=gender eq male and", false},
		{"Patient", "_filter=not gender eq male", false},
		{"Patient", "_filter=name eq \"x", false},
		{"Patient", "_filter=name[use eq usual].family eq x", false},
		{"Patient", "_filter=_list eq x", false},
		{"Patient", "_filter=gender pr maybe", false},
		{"Patient", "_filter=" + strings.Repeat("(", 100) + "gender eq male" + strings.Repeat(")", 100), false},
		{"Patient", "organization:below=http://x.example/1", false},
		{"Patient", "general-practitioner:below=Practitioner/1", false},
		{"Patient", "_text=,", false},
		{"Patient", "_text=!", false},
		{"Patient", "_text:exact=x", true},
		{"Patient", "_sort=_text", true},
		{"Patient", "gender=", true},
		{"Patient", "organization.colour=" + strings.Repeat("x", 201), true},
		{"Observation", "_filter=code eq [", false},
		{"Observation", "_filter=code eq )", false},
		{"Observation", "_filter=] eq x", false},
		{"Patient", "organization.colour=red", true},
		{"Patient", "_sort=colour", true},
		{"Patient", "_include=Patient:colour", true},
		{"Patient", "_contained=true", true},
		{"Patient", "_elements=colour", true},
		{"Location", "near=1", false},
		{"Location", "near=91|2", false},
		{"Location", "near=1|2|3|kg", false},
		{"Patient", "gender=,", false},
		{"Patient", "gender=a|b|c", false},
		{"Patient", "gender=|", false},
		{"Patient", "gender:exact=a", false},
		{"Patient", "gender:below=a", false},
		{"Patient", "name:missing=maybe", false},
		{"Patient", "birthdate=yesterday", false},
		{"Patient", "birthdate=2020-13", false},
		{"Patient", "birthdate=2020-02-30", false},
		{"Patient", "birthdate.x=1", false},
		{"Patient", "organization=a b", false},
		{"Patient", "organization:Patient=1", false},
		{"Patient", "organization:colour=1", false},
		{"Patient", "_has:Observation=1", false},
		{"Patient", "_has:Observation:code:code=1", false},
		{"Patient", "_has:Observation:encounter:code=1", false},
		{"Patient", "_has:Thing:encounter:code=1", false},
		{"Patient", "_count=-1", false},
		{"Patient", "_count=x", false},
		{"Patient", "_total=maybe", false},
		{"Patient", "_summary=maybe", false},
		{"Patient", "_include=Patient", false},
		{"Patient", "_revinclude=*", false},
		{"Patient", "identifier:of-type=a|b", false},
		{"Observation", "value-quantity=x", false},
		{"Observation", "value-quantity=1|mg", false},
		{"Observation", "code-value-quantity=1", false},
		{"Observation", "code-value-quantity:not=1$2", false},
		{"Thing", "", false},
		{"Parameters", "", false},
		{"", "_type=Thing", false},
		{"Provenance", "target" + strings.Repeat(".subject", 12) + "=x", false},
	} {
		_, err := search.Parse(definitions.R4(), row.typ, params(row.query), search.Options{Strict: true})
		var problem *search.Error
		one := strings.HasPrefix(row.query, "organization.colour") // one type, so the text is about it
		if !errors.Is(err, search.ErrParameter) || !errors.As(err, &problem) || problem.Text == "" || one && !strings.HasPrefix(problem.Text, "Organization has no") {
			t.Errorf("%s?%s: strict: %v, want an error", row.typ, row.query, err)
			continue
		}
		q, err := search.Parse(definitions.R4(), row.typ, params(row.query), search.Options{})
		if row.lenient {
			if err != nil || len(q.Ignored) != 1 || len(q.Issues) != 1 || len(q.Used) != 0 {
				t.Errorf("%s?%s: %v, want a warning", row.typ, row.query, err)
			}
		} else if err == nil {
			t.Errorf("%s?%s: no error", row.typ, row.query)
		}
	}
}

// TestParseLimits parses search strings that have as much as is allowed, and one more.
func TestParseLimits(t *testing.T) {
	for _, row := range []struct {
		typ         string
		first, more string
		most        int
		last        string
	}{
		{"Patient", "gender=male", "&gender=male", 1_000, ""},
		{"Patient", "gender=a", ",a", 10_000, ""},
		{"Patient", "_content=a", ",a", 10_000, ""},
		{"Patient", "_include=Patient:link", "&_include=Patient:link", 100, ""},
		{"Observation", "has-member:Observation", ".has-member:Observation", 8, ".status=final"},
	} {
		for more := range 2 {
			text := row.first + strings.Repeat(row.more, row.most-1+more) + row.last
			q, err := search.Parse(definitions.R4(), row.typ, params(text), search.Options{Strict: true})
			if (err == nil) != (more == 0) || more > 0 && !errors.Is(err, search.ErrParameter) || err == nil && len(q.Used) == 0 {
				t.Errorf("%.60s, %d and %d more: %v", text, row.most, more, err)
			}
		}
	}
	for more := range 2 {
		text := "_filter=" + strings.Repeat("(", 8+more) + "gender eq male" + strings.Repeat(")", 8+more)
		if _, err := search.Parse(definitions.R4(), "Patient", params(text), search.Options{}); (err == nil) != (more == 0) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := search.Parse(definitions.R4(), "Patient", params("_filter=(gender eq male)"+strings.Repeat(" or (gender eq male)", 9)), search.Options{}); err != nil {
		t.Errorf("parentheses beside each other: %v", err)
	}
	for _, end := range []string{"code sb http://s|1", "date ge 2020", "code pr true"} {
		for more := range 2 {
			text := "_filter=" + strings.Repeat("has-member.", 8+more) + end
			if _, err := search.Parse(definitions.R4(), "Observation", params(text), search.Options{}); (err == nil) != (more == 0) {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}

// TestParseControls parses parameters that shape pages.
func TestParseControls(t *testing.T) {
	q, err := search.Parse(definitions.R4(), "Observation", params("_count=5000&_sort=-date,_id&_total=accurate&_summary=data&_elements=value,code&"+
		"_include=Observation:subject:Patient&_include:iterate=Patient:*&_revinclude=Provenance:target&_format=json&colour=x&_cursor=c"), search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if q.Count != 1000 || q.Total != search.TotalAccurate || q.Summary != search.SummaryData || q.Cursor != "c" || len(q.Elements) != 2 {
		t.Errorf("got %+v", q)
	}
	if len(q.Sort) != 2 || q.Sort[0].Code != "date" || !q.Sort[0].Desc || q.Sort[1].Desc || q.Sort[1].Params[0].Code != "_id" {
		t.Errorf("sort: %+v", q.Sort)
	}
	if len(q.Include) != 2 || q.Include[0].Target != "Patient" || !q.Include[1].Iterate || len(q.Include[1].Params) != 3 {
		t.Errorf("include: %+v", q.Include)
	}
	if len(q.RevInclude) != 1 || q.RevInclude[0].Source != "Provenance" {
		t.Errorf("revinclude: %+v", q.RevInclude)
	}
	if used := fmt.Sprint(q.Used); !strings.Contains(used, "_count=1000") || strings.Contains(used, "colour") || strings.Contains(used, "_cursor") || !strings.Contains(used, "_format=json") {
		t.Errorf("used: %s", used)
	}
	q, err = search.Parse(definitions.R4(), "", params("_type=Observation,Patient&_tag=x&code=y&_summary=count"), search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(q.Types) != 2 || len(q.Types[1].Criteria) != 1 || q.Types[1].Criteria[0].Param.Type != "Patient" || len(q.Ignored) != 1 || q.Count != 0 {
		t.Errorf("types: %+v", q)
	}
	all, err := search.Parse(definitions.R4(), "", params("_lastUpdated=gt2020"), search.Options{})
	if err != nil || len(all.Types) != 145 {
		t.Errorf("all types: %d, %v", len(all.Types), err)
	}
}

// TestParseCompartment limits searches to members of compartments.
func TestParseCompartment(t *testing.T) {
	in := search.Options{Compartment: &search.Compartment{Type: "Patient", ID: "1"}}
	for typ, want := range map[string]string{
		"Condition": "Patient/1 reference Patient/1 of patient, reference Patient/1 of asserter",
		"Device":    "Patient/1 reference Patient/1 of patient",
		"Patient":   "Patient/1 token * 1 of _id, reference Patient/1 of link",
	} {
		q, err := search.Parse(definitions.R4(), typ, nil, in)
		if err != nil {
			t.Fatal(err)
		}
		if got := q.Types[0].Criteria[0].String(); got != want {
			t.Errorf("%s: got %s, want %s", typ, got, want)
		}
	}
	if _, err := search.Parse(definitions.R4(), "Organization", nil, in); !errors.Is(err, search.ErrParameter) {
		t.Errorf("Organization: %v", err)
	}
	q, err := search.Parse(definitions.R4(), "", nil, in)
	if err != nil || len(q.Types) != 67 {
		t.Errorf("all: %d types, %v", len(q.Types), err)
	}
}

// FuzzParse checks that every accepted search string can be formatted and parsed again.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"gender=male", "_has:Observation:patient:code=1", "subject:Patient.name:exact=a\\,b", "code:ecl=<<1,2", "value-quantity=ap5.4|http://unitsofmeasure.org|mg",
		"code-value-quantity=a$b", "_sort=-date", "_include=Observation:*", "date=sa2020-01", "characteristic=a$b", "_id=1", "subject:above=Group/1",
		`_filter=(subject.name eq "a\"b" or not(status ne final)) and date ge 2020 and code in http://x`,
	} {
		f.Add("Observation", seed)
	}
	types := definitions.R4().Resources()
	f.Fuzz(func(t *testing.T, typ, query string) {
		if !definitions.R4().IsResource(typ) {
			typ = types[len(query)%len(types)]
		}
		q, err := search.Parse(definitions.R4(), typ, params(query), search.Options{})
		if err != nil {
			if !errors.Is(err, search.ErrParameter) {
				t.Fatalf("%v", err)
			}
			return
		}
		again, err := search.Parse(definitions.R4(), typ, q.Used, search.Options{Strict: true})
		if err != nil {
			t.Fatalf("what was used is not understood: %v", err)
		}
		for i, c := range q.Types[0].Criteria {
			if other := again.Types[0].Criteria[i].String(); c.String() != other {
				t.Fatalf("read again: %s, want %s", other, c.String())
			}
		}
	})
}
