package index_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
)

// show formats a value for comparison.
func show(v index.Value) string {
	switch v.Kind {
	case index.Token:
		s := v.System + "|" + v.Code
		if v.Text != "" {
			s += " " + v.Text
		}
		for c := range v.Components(0) {
			s += " of " + show(c)
		}
		return s
	case index.String:
		return v.Text
	case index.Date:
		return times(v.Time)
	case index.Reference:
		s := strings.TrimPrefix(v.Key().String(), "/")
		if v.URL != "" {
			s = v.Type + " at " + v.URL
		}
		if v.Version != "" {
			s += " version " + v.Version
		}
		if v.Code != "" {
			s += " by " + v.Type + " " + v.System + "|" + v.Code
		}
		if v.Text != "" {
			s += " called " + v.Text
		}
		return s
	case index.Quantity:
		s := numbers(v.Number) + " " + v.System + "|" + v.Code + " " + v.Unit
		if v.CanonicalUnit != "" {
			s += " = " + numbers(v.Canonical) + " " + v.CanonicalUnit
		}
		return s
	case index.NumberKind:
		return numbers(v.Number)
	case index.URI:
		return v.URL + " " + v.Version
	case index.Composite:
		var list []string
		for i := range 3 {
			var part []string
			for c := range v.Components(i) {
				part = append(part, show(c))
			}
			if part != nil {
				list = append(list, strings.Join(part, ","))
			}
		}
		return strings.Join(list, "$")
	case index.Position:
		return fmt.Sprint(v.Latitude, v.Longitude)
	}
	return "?"
}

func times(s index.Span[int64]) string {
	end := func(ms int64) string {
		switch ms {
		case index.Earliest:
			return "-"
		case index.Latest:
			return "+"
		}
		return strings.TrimSuffix(index.Seq(ms<<20).Time().Format("2006-01-02T15:04:05.999"), "T00:00:00")
	}
	return end(s.Low) + ".." + end(s.High)
}

// numbers formats a span of numbers by a few known literals.
func numbers(s index.Span[index.Number]) string {
	end := func(n index.Number) string {
		switch n {
		case index.Least:
			return "-"
		case index.Greatest:
			return "+"
		}
		for _, literal := range []string{"-3", "-1", "0", "0.006", "0.01", "0.2", "0.5", "1", "2", "5", "6", "10", "15", "100", "120", "189", "2000"} {
			m, _ := index.ParseNumber(literal)
			switch n {
			case m:
				return literal
			case m + "\x00":
				return literal + "+"
			}
		}
		return "?"
	}
	if low, high := end(s.Low), end(s.High); high == low+"+" {
		return low
	}
	return end(s.Low) + ".." + end(s.High)
}

func TestExtract(t *testing.T) {
	x, tables := index.NewExtractor(definitions.R4()), definitions.R4()
	for _, c := range []struct {
		document, param string
		want            []string
	}{
		// Tokens.
		{`{"resourceType":"Patient","gender":"male"}`, "gender", []string{"http://hl7.org/fhir/administrative-gender|male"}},
		{`{"resourceType":"Patient","gender":"x"}`, "gender", []string{"|x"}},
		{`{"resourceType":"Patient","active":true}`, "active", []string{"|true"}},
		{`{"resourceType":"Patient","deceasedBoolean":false}`, "deceased", []string{"|false"}},
		{`{"resourceType":"Patient","deceasedDateTime":"2020"}`, "deceased", []string{"|true"}},
		{`{"resourceType":"Patient"}`, "deceased", []string{"|false"}},
		{
			`{"resourceType":"Patient","identifier":[{"system":"urn:a","value":"1","type":{"coding":[{"system":"urn:t","code":"MR"}],"text":"record"}},{"value":"2"},{"system":"urn:b"}]}`,
			"identifier",
			[]string{"urn:a|1 record of urn:t|MR", "|2", "urn:b|"},
		},
		{`{"resourceType":"Patient","telecom":[{"system":"phone","value":"5","use":"home"},{"system":"email","value":"a@b"}]}`, "telecom", []string{"phone|5", "home|5", "email|a@b"}},
		{`{"resourceType":"Patient","telecom":[{"system":"phone","value":"5","use":"home"},{"system":"email","value":"a@b"}]}`, "email", []string{"email|a@b"}},
		{
			`{"resourceType":"Condition","code":{"coding":[{"system":"s","code":"c","display":"d"},{"code":"e"},{}],"text":"t"}}`,
			"code",
			[]string{"s|c d", "|e", "| t"},
		},
		{`{"resourceType":"Encounter","class":{"system":"s","code":"AMB"}}`, "class", []string{"s|AMB"}},
		{`{"resourceType":"Patient","meta":{"tag":[{"system":"s","code":"c"}],"profile":["http://p|1","http://q"]}}`, "_tag", []string{"s|c"}},
		{`{"resourceType":"Patient","meta":{"profile":["http://p|1","http://q"]}}`, "_profile", []string{"http://p 1", "http://q "}},
		{`{"resourceType":"Patient","id":"a"}`, "_id", nil},
		// Strings.
		{`{"resourceType":"Patient","name":[{"use":"official","family":"Chalmers","given":["Peter","James"],"text":"P C"}]}`, "name", []string{"Chalmers", "Peter", "James", "P C"}},
		{`{"resourceType":"Patient","name":[{"family":"Chalmers","given":["Peter","James"]}]}`, "given", []string{"Peter", "James"}},
		{`{"resourceType":"Patient","address":[{"use":"home","line":["1 St"],"city":"C","postalCode":"9","period":{"start":"2020"}}]}`, "address", []string{"1 St", "C", "9"}},
		{`{"resourceType":"Patient","address":[{"city":"C"}]}`, "address-city", []string{"C"}},
		{`{"resourceType":"DiagnosticReport","conclusion":"All well"}`, "conclusion", []string{"All well"}},
		// Dates.
		{`{"resourceType":"Patient","birthDate":"1974-12"}`, "birthdate", []string{"1974-12-01..1975-01-01"}},
		{`{"resourceType":"Patient","birthDate":"soon"}`, "birthdate", nil},
		{`{"resourceType":"Encounter","period":{"start":"2020-01-01T10:00:00Z","end":"2020-01-02"}}`, "date", []string{"2020-01-01T10:00:00..2020-01-03"}},
		{`{"resourceType":"Encounter","period":{"start":"2020"}}`, "date", []string{"2020-01-01..+"}},
		{`{"resourceType":"Encounter","period":{"end":"2020"}}`, "date", []string{"-..2021-01-01"}},
		{`{"resourceType":"Encounter","period":{}}`, "date", nil},
		{`{"resourceType":"Observation","effectiveInstant":"2020-01-01T10:00:00.5Z"}`, "date", []string{"2020-01-01T10:00:00.5..2020-01-01T10:00:00.6"}},
		{`{"resourceType":"Observation","effectiveTiming":{"event":["2020-03-05","2020-02-05"]}}`, "date", []string{"2020-02-05..2020-03-06"}},
		{`{"resourceType":"Observation","effectiveTiming":{"repeat":{"boundsPeriod":{"start":"2020-03-05"}}}}`, "date", []string{"2020-03-05..+"}},
		{`{"resourceType":"Observation","effectiveTiming":{"code":{"text":"QD"}}}`, "date", nil},
		// References.
		{`{"resourceType":"Condition","subject":{"reference":"Patient/1"}}`, "subject", []string{"Patient/1"}},
		{`{"resourceType":"Condition","subject":{"reference":"Patient/1"}}`, "patient", []string{"Patient/1"}},
		{`{"resourceType":"Condition","subject":{"reference":"Group/1"}}`, "patient", nil},
		{`{"resourceType":"Condition","subject":{"reference":"Patient/1/_history/2"}}`, "subject", []string{"Patient/1 version 2"}},
		{`{"resourceType":"Condition","subject":{"reference":"http://x.org/fhir/Patient/1/_history/2"}}`, "subject", []string{"Patient at http://x.org/fhir/Patient/1 version 2"}},
		{`{"resourceType":"Condition","subject":{"reference":"urn:uuid:1"}}`, "subject", []string{" at urn:uuid:1"}},
		{`{"resourceType":"Condition","subject":{"reference":"#a"},"contained":[{"resourceType":"Patient","id":"a"}]}`, "subject", []string{""}},
		{`{"resourceType":"Condition","subject":{"display":"A. Body"}}`, "subject", []string{" called A. Body"}},
		{`{"resourceType":"Condition","subject":{}}`, "subject", nil},
		{
			`{"resourceType":"Condition","subject":{"type":"Patient","identifier":{"system":"urn:a","value":"1"}}}`,
			"subject",
			[]string{" by Patient urn:a|1"},
		},
		{`{"resourceType":"QuestionnaireResponse","questionnaire":"http://q|2"}`, "questionnaire", []string{" at http://q version 2"}},
		{`{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Composition","id":"c"}}]}`, "composition", []string{"Composition/c"}},
		// Quantities and numbers.
		{`{"resourceType":"Observation","valueQuantity":{"value":6,"unit":"mg","system":"http://unitsofmeasure.org","code":"mg"}}`, "value-quantity", []string{"6 http://unitsofmeasure.org|mg mg = 0.006 g"}},
		{`{"resourceType":"Observation","valueQuantity":{"value":2000,"system":"http://unitsofmeasure.org","code":"B[V]"}}`, "value-quantity", []string{"2000 http://unitsofmeasure.org|B[V] "}},
		{`{"resourceType":"Observation","valueQuantity":{"value":2000,"comparator":">","system":"http://unitsofmeasure.org","code":"B[V]"}}`, "value-quantity", []string{"2000+..+ http://unitsofmeasure.org|B[V] "}},
		{`{"resourceType":"Observation","valueQuantity":{"value":10,"comparator":">","system":"http://unitsofmeasure.org","code":"mg"}}`, "value-quantity", []string{"10+..+ http://unitsofmeasure.org|mg  = 0.01+..+ g"}},
		{`{"resourceType":"Observation","valueQuantity":{"value":6.00,"unit":"x"}}`, "value-quantity", []string{"6 | x"}},
		{`{"resourceType":"Observation","valueQuantity":{"comparator":"<","value":6}}`, "value-quantity", []string{"-..6 | "}},
		{`{"resourceType":"Observation","valueQuantity":{"comparator":">=","value":6}}`, "value-quantity", []string{"6..+ | "}},
		{`{"resourceType":"Observation","valueQuantity":{"comparator":">","value":6}}`, "value-quantity", []string{"6+..+ | "}},
		{`{"resourceType":"Observation","valueQuantity":{"unit":"mg"}}`, "value-quantity", nil},
		{
			`{"resourceType":"Observation","valueSampledData":{"origin":{"value":2,"unit":"mV"},"factor":0.5,"period":1,"dimensions":1,"data":"8 -10 E 6 L"}}`,
			"value-quantity",
			[]string{"-3..6+ | mV"},
		},
		{
			`{"resourceType":"Condition","onsetRange":{"low":{"value":5,"code":"a","system":"http://unitsofmeasure.org"},"high":{"value":6,"code":"a","system":"http://unitsofmeasure.org"}}}`,
			"onset-age",
			[]string{"5..6+ http://unitsofmeasure.org|a  = ?..? s"},
		},
		{`{"resourceType":"Invoice","totalNet":{"value":10,"currency":"EUR"}}`, "totalnet", []string{"10 urn:iso:std:iso:4217|EUR "}},
		{`{"resourceType":"RiskAssessment","prediction":[{"probabilityDecimal":0.2},{"probabilityRange":{"low":{"value":0.5},"high":{"value":1}}}]}`, "probability", []string{"0.2", "0.5..1+"}},
		// URIs, composites, positions.
		{`{"resourceType":"ValueSet","url":"http://v"}`, "url", []string{"http://v "}},
		{
			`{"resourceType":"Observation","code":{"coding":[{"system":"l","code":"a"},{"code":"b"}]},"component":[{"code":{"coding":[{"code":"c"}]},"valueQuantity":{"value":5}},{"code":{"coding":[{"code":"d"}]}}],"valueQuantity":{"value":6}}`,
			"combo-code-value-quantity",
			[]string{"l|a,|b$6 | ", "|c$5 | "},
		},
		{`{"resourceType":"Group","characteristic":[{"code":{"text":"x","coding":[{"code":"g"}]},"valueBoolean":true,"exclude":false}]}`, "characteristic", []string{"|g,| x$|true"}},
		{`{"resourceType":"DocumentReference","relatesTo":[{"code":"replaces","target":{"reference":"DocumentReference/1"}}]}`, "relationship", []string{"http://hl7.org/fhir/document-relationship-type|replaces$DocumentReference/1"}},
		{`{"resourceType":"Location","position":{"longitude":13.4,"latitude":52.5}}`, "near", []string{"52.5 13.4"}},
	} {
		d := parse(t, []byte(c.document))
		v, err := x.Extract(d)
		if err != nil {
			t.Errorf("%s: %v", c.document, err)
			continue
		}
		p := tables.SearchParam(d.ResourceType(), c.param)
		if p == nil {
			t.Errorf("%s: no parameter %s", c.document, c.param)
			continue
		}
		var got []string
		for value := range index.NewView(v.Append(nil)).Param(p.Number) {
			got = append(got, show(value))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s\n%s: %q, want %q", c.document, c.param, got, c.want)
		}
		if index.NewView(v.Append(nil)).Has(p.Number) != (c.want != nil) {
			t.Errorf("%s: %s: Has", c.document, c.param)
		}
	}
}

func TestExtractRefuses(t *testing.T) {
	x := index.NewExtractor(definitions.R4())
	if _, err := x.Extract(parse(t, []byte(`{"resourceType":"Patent"}`))); err == nil {
		t.Error("no error for an unknown type")
	}
}

func TestOnce(t *testing.T) {
	x, tables := index.NewExtractor(definitions.R4()), definitions.R4()
	for name, want := range map[string]bool{
		"Observation.date": true, "Observation.subject": true, "Observation.patient": true, "Observation.value-quantity": true,
		"Observation.combo-value-quantity": false, "Observation.component-value-quantity": false, "Encounter.date": true,
		"Encounter.location-period": false, "Observation.code": false, "Patient.birthdate": true, "Patient.death-date": true,
		"Condition.onset-date": true, "AllergyIntolerance.date": true, "AllergyIntolerance.last-date": true,
		"Immunization.reaction-date": false, "RiskAssessment.probability": false, "Encounter.length": true,
		"Bundle.composition": false, "Goal.target-date": false,
	} {
		typ, code, _ := strings.Cut(name, ".")
		p := tables.SearchParam(typ, code)
		if p == nil {
			t.Errorf("no parameter %s", name)
			continue
		}
		if got := x.Once(p); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// inRanges reports whether one of the entries is in one of the ranges.
func inRanges(entries [][]byte, ranges []index.Range) bool {
	return slices.ContainsFunc(entries, func(e []byte) bool {
		return slices.ContainsFunc(ranges, func(r index.Range) bool {
			return string(r.From) <= string(e) && string(e) < string(r.To)
		})
	})
}

// TestEntriesAnswerForAllParameters checks for every document and parameter that the ranges for
// each value lead to the document, also for parameters whose entries are stored under others.
func TestEntriesAnswerForAllParameters(t *testing.T) {
	x, tables := index.NewExtractor(definitions.R4()), definitions.R4()
	check := func(body []byte) {
		d := parse(t, body)
		v, err := x.Extract(d)
		if err != nil {
			t.Fatal(err)
		}
		entries, terms := v.Entries(nil), v.Terms(nil)
		for i, e := range entries {
			if slices.ContainsFunc(entries[:i], func(f []byte) bool { return string(e) == string(f) }) {
				t.Fatalf("%s: entry %x twice", d.ResourceType(), e)
			}
			if len(e) > 100 {
				t.Errorf("%s: entry of %d bytes", d.ResourceType(), len(e))
			}
		}
		if !inRanges(entries, []index.Range{index.TypeRange(d.ResourceType())}) {
			t.Errorf("%s: no entry of the type", d.ResourceType())
		}
		for _, p := range tables.SearchParams(d.ResourceType()) {
			f := x.Field(p)
			for value := range v.View().Param(p.Number) {
				for i, ranges := range ranges(f, value) {
					if !inRanges(entries, ranges) {
						t.Errorf("%s.%s: %s is not found (%d)", p.Type, p.Code, show(value), i)
					}
				}
				coded := value.Kind == index.Token && value.Code != "" && (value.Form == index.FormCode || value.Form == index.FormCoding)
				if coded || value.Kind == index.URI {
					term := value.Code
					if !coded {
						term = value.URL
					}
					if !inRanges(terms, f.Terms()) || !inRanges(terms, f.TermsOf(term)) || !inRanges(entries, f.News()) {
						t.Errorf("%s.%s: %s is not in the vocabulary", p.Type, p.Code, show(value))
					}
				}
			}
		}
		for _, e := range terms {
			term := index.TermOf(e)
			if !inRanges(entries, index.NewField(uint32(e[5])<<24|uint32(e[6])<<16|uint32(e[7])<<8|uint32(e[8])).Term(&term)) {
				t.Errorf("%s: term %+v leads nowhere", d.ResourceType(), term)
			}
		}
	}
	eachExample(t, check)
	eachPatient(t, 3, check)
}

// ranges returns the ranges of the searches for a value.
func ranges(f index.Field, v index.Value) [][]index.Range {
	list := [][]index.Range{f.Has()}
	switch v.Kind {
	case index.Token:
		if v.Code == "" && v.System == "" {
			return list
		}
		system, _ := f.System(v.System)
		return append(list, f.Token(v.System, v.Code), f.Code(v.Code), system)
	case index.String:
		return append(list, f.Prefix(v.Text), f.Text(v.Text), f.Prefix(string([]rune(v.Text)[:1])))
	case index.Date:
		return append(list, f.Dates(index.Equal, v.Time), f.Dates(index.GreaterEqual, v.Time), f.Dates(index.LessEqual, v.Time),
			f.Dates(index.Approximately, v.Time), f.Dates(index.NotEqual, index.Span[int64]{Low: v.Time.High, High: math.MaxInt64}))
	case index.Reference:
		if v.Code != "" {
			list = append(list, f.Identifier(v.System, v.Code), f.IdentifierValue(v.Code))
		}
		if k := v.Key(); k.ID != "" {
			list = append(list, f.Reference(k), f.ReferenceID(k.ID))
		}
		if v.URL != "" {
			list = append(list, f.URL(v.URL))
		}
	case index.Quantity, index.NumberKind:
		list = append(list, f.Numbers(index.Equal, v.Number))
		if v.CanonicalUnit != "" {
			list = append(list, f.Canonical(index.Equal, v.Canonical, v.CanonicalUnit))
		}
	case index.URI:
		list = append(list, f.URL(v.URL))
	case index.Composite:
		for first := range v.Components(0) {
			if first.Code == "" && first.System == "" {
				continue
			}
			for second := range v.Components(1) {
				list = append(list, ranges(f.FirstCode(first.Code), second)...)
				list = append(list, ranges(f.First(first.System, first.Code), second)...)
			}
		}
	case index.Position:
		list = append(list, f.Near(v.Latitude, 1))
	}
	return list
}

func TestVocabularyRemembers(t *testing.T) {
	x := index.NewExtractor(definitions.R4())
	v, err := x.Extract(parse(t, []byte(`{"resourceType":"Condition","code":{"coding":[{"system":"s","code":"c"}]},"category":[{"coding":[{"code":"d"}]}]}`)))
	if err != nil {
		t.Fatal(err)
	}
	var known index.Vocabulary
	terms := v.Terms(&known)
	news := slices.DeleteFunc(v.Entries(&known), func(e []byte) bool { return !index.IsNews(e) })
	if len(news) != 2 {
		t.Errorf("%d entries of news, want 2", len(news))
	}
	if len(terms) != 2 || len(v.Entries(&known)) != 1+2+2 {
		t.Errorf("%d terms, %d entries", len(terms), len(v.Entries(&known)))
	}
	known.Add(terms[:1])
	if len(v.Terms(&known)) != 1 || len(v.Entries(&known)) != 1+2+1 {
		t.Errorf("%d terms, %d entries", len(v.Terms(&known)), len(v.Entries(&known)))
	}
	known.Add(terms)
	if len(v.Terms(&known)) != 0 || len(v.Entries(&known)) != 1+2 {
		t.Errorf("%d terms, %d entries", len(v.Terms(&known)), len(v.Entries(&known)))
	}
}

func TestLongTerms(t *testing.T) {
	x, p := index.NewExtractor(definitions.R4()), definitions.R4().SearchParam("Condition", "code")
	code := strings.Repeat("1", 1000)
	v, err := x.Extract(parse(t, []byte(`{"resourceType":"Condition","code":{"coding":[{"system":"s","code":"`+code+`"}]}}`)))
	if err != nil {
		t.Fatal(err)
	}
	f, terms := x.Field(p), v.Terms(nil)
	if len(terms) != 1 || len(terms[0]) > 100 || !inRanges(terms, f.Terms()) || !inRanges(terms, f.TermsOf("9")) {
		t.Fatalf("%q", terms)
	}
	term := index.TermOf(terms[0])
	if !term.Long() || !inRanges(v.Entries(nil), f.Term(&term)) {
		t.Errorf("%+v", term)
	}
}

func TestSortKeysOrderDocuments(t *testing.T) {
	x, tables := index.NewExtractor(definitions.R4()), definitions.R4()
	key := func(document, param string, descending bool) string {
		d := parse(t, []byte(document))
		v, err := x.Extract(d)
		if err != nil {
			t.Fatal(err)
		}
		return string(v.View().SortKey(tables.SearchParam(d.ResourceType(), param).Number, descending))
	}
	quantity := func(value, unit string) string {
		return `{"resourceType":"Observation","valueQuantity":{"value":` + value + `,"system":"http://unitsofmeasure.org","code":"` + unit + `"}}`
	}
	for _, c := range []struct{ param, less, greater string }{
		{"family", `{"resourceType":"Patient","name":[{"family":"adams"}]}`, `{"resourceType":"Patient","name":[{"family":"Brown"}]}`},
		{"family", `{"resourceType":"Patient","name":[{"family":"Ähre"}]}`, `{"resourceType":"Patient","name":[{"family":"ahren"}]}`},
		{"birthdate", `{"resourceType":"Patient","birthDate":"1969-12-31"}`, `{"resourceType":"Patient","birthDate":"1970"}`},
		{"birthdate", `{"resourceType":"Patient","birthDate":"1970-01-02"}`, `{"resourceType":"Patient","birthDate":"1970-02"}`},
		{"value-quantity", quantity("900", "mg"), quantity("1", "g")},
		{"value-quantity", quantity("-5", "mg"), quantity("-0.5", "mg")},
		{"gender", `{"resourceType":"Patient","gender":"female"}`, `{"resourceType":"Patient","gender":"male"}`},
		{"subject", `{"resourceType":"Condition","subject":{"reference":"Group/2"}}`, `{"resourceType":"Condition","subject":{"reference":"Patient/1"}}`},
		{"url", `{"resourceType":"ValueSet","url":"http://a"}`, `{"resourceType":"ValueSet","url":"http://b"}`},
	} {
		if a, b := key(c.less, c.param, false), key(c.greater, c.param, false); a == "" || a >= b {
			t.Errorf("%s: %x, %x", c.param, a, b)
		}
	}
	both := `{"resourceType":"Patient","name":[{"given":["b","a","c"]}]}`
	if low, high := key(both, "given", false), key(both, "given", true); low >= high {
		t.Errorf("%q, %q", low, high)
	}
	if k := key(both, "family", false); k != "" {
		t.Errorf("%q", k)
	}
}

func TestFormat(t *testing.T) {
	a, b := index.NewExtractor(definitions.R4()).Format(), index.NewExtractor(definitions.R4()).Format()
	if a != b || !strings.HasPrefix(a, "4-") {
		t.Errorf("%s, %s", a, b)
	}
}
