package fhirpath_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/fhirpath"
	"github.com/roget-health/roget/resources/r4"
)

const patient = `{"resourceType":"Patient","id":"p","active":true,
 "contained":[{"resourceType":"Organization","id":"o","name":"Contained"}],
 "name":[{"use":"official","family":"Doe","given":["John","J."],"_given":[null,{"extension":[{"url":"http://x/e","valueString":"initial"}]}]},{"use":"usual","given":["Jo"]}],
 "telecom":[{"system":"phone","value":"1"},{"system":"email","value":"a@b.c"}],
 "gender":"male","_birthDate":{"extension":[{"url":"http://x/absent","valueCode":"unknown"}]},
 "deceasedDateTime":"2020-01-01","multipleBirthInteger":2,
 "generalPractitioner":[{"reference":"Practitioner/1"},{"reference":"http://x/fhir/Organization/2/_history/3"},{"reference":"#o"},{"reference":"urn:uuid:x","type":"PractitionerRole"},{"reference":"urn:uuid:y"},{"reference":"Organization?identifier=http://s/1|2"}],
 "extension":[{"url":"http://x/a","valueDecimal":1.50},{"url":"http://x/b","valueQuantity":{"value":3,"unit":"kg"}}]}`

func parse(t testing.TB, text string) document.Value {
	t.Helper()
	d, err := document.Parse([]byte(text), r4.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return d.Root()
}

// show formats items: the text of primitives, otherwise the JSON.
func show(items []fhirpath.Item) string {
	var list []string
	for _, i := range items {
		switch {
		case i.Text() != "" || i.Kind() == document.String:
			list = append(list, i.Text())
		case i.Value.Exists():
			list = append(list, string(i.Value.Raw()))
		default:
			list = append(list, "("+i.TypeName()+")")
		}
	}
	return strings.Join(list, " ")
}

func TestEvaluate(t *testing.T) {
	resource := parse(t, patient)
	for _, test := range []struct{ expression, want string }{
		{"Patient.name.given", "John J. Jo"},
		{"name.given", "John J. Jo"},
		{"FHIR.Patient.gender", "male"},
		{"Resource.id", "p"},
		{"DomainResource.id", "p"},
		{"Encounter.id", ""},
		{"`name`.`family`", "Doe"},
		{"Patient.name[0].given[1]", "J."},
		{"Patient.name[1].given[1]", ""},
		{"Patient.name.nothing.at.all", ""},
		{"Patient.name.where(use = 'usual').given", "Jo"},
		{"Patient.name.where($this.use != 'usual').family", "Doe"},
		{"Patient.name.where(family.exists()).use", "official"},
		{"Patient.name.where(family.empty()).use", "usual"},
		{"Patient.name.where(family = 'x' or given = 'Jo').use", "usual"},
		{"Patient.name.where(use = 'usual' and given = 'Jo').use", "usual"},
		{"Patient.name.exists(use = 'usual')", "true"},
		{"Patient.name.all(use = 'usual')", "false"},
		{"Patient.telecom.where(system='email').value", "a@b.c"},
		{"Patient.name.first().given.last()", "J."},
		{"Patient.name.given.tail().count()", "2"},
		{"Patient.name.given.first().single()", "John"},
		{"Patient.deceased", "2020-01-01"},
		{"Patient.deceased.exists() and Patient.deceased != false", "true"},
		{"Patient.deceased as boolean", ""},
		{"(Patient.deceased as DateTime)", "2020-01-01"},
		{"Patient.deceased.ofType(dateTime)", "2020-01-01"},
		{"Patient.deceased.as(dateTime) | Patient.deceased.as(boolean)", "2020-01-01"},
		{"Patient.deceased is dateTime", "true"},
		{"Patient.deceasedDateTime", ""},
		{"Patient.multipleBirth = 2.0", "true"},
		{"Patient.multipleBirth = -2", "false"},
		{"Patient.active", "true"},
		{"Patient.active.not()", "false"},
		{"Patient.gender is code", "true"},
		{"Patient.gender is string", "true"},
		{"Patient.gender is System.String", "true"},
		{"Patient.birthDate.extension('http://x/absent').value", "unknown"},
		{"Patient.birthDate.exists()", "true"},
		{"Patient.name.given.extension('http://x/e').value", "initial"},
		{"Patient.name.given.where(hasExtension('http://x/e'))", "J."},
		{"Patient.extension('http://x/a').value", "1.50"},
		{"Patient.extension('http://x/b').value.as(Quantity).unit", "kg"},
		{"Patient.extension.url", "http://x/a http://x/b"},
		{"Patient.extension('http://x/a').value = 1.5", "true"},
		{"Patient.generalPractitioner.where(resolve() is Practitioner).reference", "Practitioner/1"},
		{"Patient.generalPractitioner.where(resolve() is Organization).reference", "http://x/fhir/Organization/2/_history/3 #o Organization?identifier=http://s/1|2"},
		{"Patient.generalPractitioner.where(resolve() is PractitionerRole).reference", "urn:uuid:x"},
		{"Patient.generalPractitioner.resolve().name", "Contained"},
		{"Patient.generalPractitioner.first().resolve()", "(Practitioner)"},
		{"Patient.contained.name", "Contained"},
		{"Patient.contained.ofType(Organization).id", "o"},
		{"Patient.contained.where($this is DomainResource).id", "o"},
		{"Patient.name.given | Patient.name[0].given | Patient.gender", "John J. Jo male"},
		{"%resource.id", "p"},
		{"%context.id", "p"},
		{"{}", ""},
		{"{}.exists()", "false"},
		{"{} = 1", ""},
		{"'it\\'s \\u0041'", "it's A"},
		{"@2020-01-01 = Patient.deceased", "true"},
		{"true xor false", "true"},
		{"true xor {}", ""},
		{"{} and false", "false"},
		{"{} and true", ""},
		{"{} or true", "true"},
		{"{} or false", ""},
		{"{} implies true", "true"},
		{"true implies false", "false"},
		{"false implies {}", "true"},
		{"true implies {}", ""},
		{"name.given = name.given", "true"},
		{"name.given != name[0].given", "true"},
		{"name[0] = name[0]", "true"},
		{"true.not() or true and false", "false"},
	} {
		e, err := fhirpath.Compile(test.expression)
		if err != nil {
			t.Errorf("%s: %v", test.expression, err)
			continue
		}
		items, err := e.Evaluate(definitions.R4(), resource)
		if got := show(items); err != nil || got != test.want {
			t.Errorf("%s: got %q, %v; want %q", test.expression, got, err, test.want)
		}
		if e.String() != test.expression {
			t.Errorf("%s: %s", test.expression, e)
		}
	}
}

func TestEvaluateErrors(t *testing.T) {
	resource := parse(t, patient)
	for _, expression := range []string{"name.single()", "name and true", "name.given is string", "name.where(given)"} {
		e, err := fhirpath.Compile(expression)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Evaluate(definitions.R4(), resource); !errors.Is(err, fhirpath.ErrEvaluate) {
			t.Errorf("%s: %v", expression, err)
		}
	}
}

// TestEvaluateSteps checks that an expression with quadratic cost ends with an error.
func TestEvaluateSteps(t *testing.T) {
	resource := parse(t, `{"resourceType":"Patient","name":[`+strings.Repeat(`{"use":"usual"},`, 99)+`{"use":"old"}]}`)
	e, err := fhirpath.Compile("name.where(%resource.name.where(use = 'old').exists())")
	if err != nil {
		t.Fatal(err)
	}
	s := fhirpath.NewScope(definitions.R4())
	s.Reset(resource)
	for steps, ok := range map[int]bool{10_000: false, 1_000_000: true} {
		s.Limit(steps)
		_, err := s.Evaluate(nil, e, s.Root())
		if ok != (err == nil) || !ok && (!errors.Is(err, fhirpath.ErrEvaluate) || !strings.Contains(err.Error(), "steps")) {
			t.Errorf("%d steps: %v", steps, err)
		}
	}
}

// TestStepLimits checks that the result is the same, or an error, with any limit of steps.
func TestStepLimits(t *testing.T) {
	s := fhirpath.NewScope(definitions.R4())
	s.Reset(parse(t, patient))
	for expression, want := range map[string]int{
		"name.given": 10, "descendants().given": 122, "1 in (2 | 3 | 1)": 10, "name ~ name": 28, "name = name": 28, "name.intersect(name)": 38,
		"generalPractitioner.resolve()": 16, "getResourceKey()": 2, "extension('http://x/a')": 4, "birthDate.extension('http://x/absent')": 5,
	} {
		e, err := fhirpath.Compile(expression)
		if err != nil {
			t.Fatal(err)
		}
		s.Limit(1_000)
		all, err := s.Evaluate(nil, e, s.Root())
		if err != nil {
			t.Fatalf("%s: %v", expression, err)
		}
		steps, err, items := -1, fhirpath.ErrEvaluate, []fhirpath.Item{}
		for ; errors.Is(err, fhirpath.ErrEvaluate); items, err = s.Evaluate(nil, e, s.Root()) {
			steps++
			s.Limit(steps)
		}
		if err != nil || steps != want || show(items) != show(all) {
			t.Errorf("%s: %q, %v in %d steps, want %d", expression, show(items), err, steps, want)
		}
	}
}

func TestItemPlace(t *testing.T) {
	resource := parse(t, patient)
	for expression, want := range map[string]string{
		"Patient.name.given.last()":           "Patient.name[1].given[0]|string|HumanName.given|false",
		"Patient.birthDate":                   "Patient._birthDate|date|Patient.birthDate|false",
		"Patient.deceased":                    "Patient.deceasedDateTime|dateTime|Patient.deceased[x]|false",
		"Patient.extension('http://x/b')":     "Patient.extension[1]|Extension||false",
		"Patient.contained[0].name":           "Patient.contained[0].name|string|Organization.name|false",
		"Patient.name.exists()":               "|||true",
		"Patient.generalPractitioner.first()": "Patient.generalPractitioner[0]|Reference|Patient.generalPractitioner|false",
	} {
		e, err := fhirpath.Compile(expression)
		if err != nil {
			t.Fatal(err)
		}
		items, err := e.Evaluate(definitions.R4(), resource)
		if err != nil || len(items) != 1 {
			t.Fatalf("%s: %d items, %v", expression, len(items), err)
		}
		i := items[0]
		path := ""
		if i.Element != nil {
			path = i.Element.Path
		}
		got := fmt.Sprint(i.Path(), "|", i.TypeName(), "|", path, "|", i.Computed())
		if got != want {
			t.Errorf("%s: got %s, want %s", expression, got, want)
		}
	}
}

func BenchmarkEvaluate(b *testing.B) {
	s := fhirpath.NewScope(definitions.R4())
	s.Reset(parse(b, patient))
	for _, text := range []string{"Patient.gender", "Patient.name.given", "Patient.telecom.where(system='email')", "Patient.deceased.as(dateTime)", "Patient.generalPractitioner.where(resolve() is Practitioner)", "Patient.maritalStatus"} {
		e, err := fhirpath.Compile(text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			var items []fhirpath.Item
			for b.Loop() {
				items, err = s.Evaluate(items[:0], e, s.Root())
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
