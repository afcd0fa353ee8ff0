package profile_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/profile"
	"github.com/roget-health/roget/resources/r4"
)

// definition returns a StructureDefinition of Patient with elements, as JSON.
func definition(name, base, elements string) string {
	if base == "" {
		base = "http://hl7.org/fhir/StructureDefinition/Patient"
	}
	return `{"resourceType":"StructureDefinition","url":"` + example + name + `","kind":"resource","type":"Patient","derivation":"constraint","baseDefinition":"` +
		base + `","differential":{"element":[` + elements + `]}}`
}

// issuesOf checks a resource against the profile x, given definitions.
func issuesOf(t *testing.T, body string, r profile.Request, all ...string) string {
	t.Helper()
	var l profile.Library
	for _, sd := range all {
		if !l.Add(parsed(t, sd)) {
			t.Fatalf("not a definition: %s", sd)
		}
	}
	r.Profiles = []string{example + "x"}
	issues, err := profile.New(definitions.R4(), &l, nil).Check(t.Context(), parsed(t, body), r)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, i := range issues {
		texts = append(texts, fmt.Sprintf("%s %s at %s (%d): %s", i.Severity, i.Code, i.Expression, i.Column, i.Text))
	}
	return strings.Join(texts, "\n")
}

func TestIssues(t *testing.T) {
	slicing := `{"path":"Patient.identifier","slicing":{"discriminator":[{"type":"value","path":"system"}],"rules":"open"}},
		{"path":"Patient.identifier","sliceName":"a","min":1,"max":"2"},{"path":"Patient.identifier.system","fixedUri":"urn:a"},`
	for _, test := range []struct{ name, body, elements, want string }{
		{
			"values below the discriminator", `{"resourceType":"Patient","identifier":[{"type":{"text":"a"}},{"type":{"coding":[{"code":"b"}]}}]}`,
			`{"path":"Patient.identifier","slicing":{"discriminator":[{"type":"value","path":"type"}],"rules":"closed"}},
			{"path":"Patient.identifier","sliceName":"a"},{"path":"Patient.identifier.type.coding.code","fixedCode":"a"}`,
			"error structure at Patient.identifier[1] (63): the value is in none of the slices a",
		},
		{
			"an extension of slices", `{"resourceType":"Patient","contact":[{"extension":[{"url":"urn:f"},{"url":"urn:e","valueString":"a"}]},{"extension":[{"url":"urn:e"}]}]}`,
			`{"path":"Patient.contact","slicing":{"discriminator":[{"type":"value","path":"extension('urn:e').value"}],"rules":"closed"}},
			{"path":"Patient.contact","sliceName":"a"},{"path":"Patient.contact.extension","sliceName":"e"},
			{"path":"Patient.contact.extension.url","fixedUri":"urn:e"},{"path":"Patient.contact.extension.value[x]","fixedString":"a"}`,
			"error structure at Patient.contact[1] (104): the value is in none of the slices a",
		},
		{
			"a slice by a binding", `{"resourceType":"Patient","identifier":[{"use":"old"}]}`, strings.Replace(slicing, `"path":"system"`, `"path":"use"`, 1) +
				`{"path":"Patient.identifier.use","binding":{"strength":"required","valueSet":"urn:v"}}`,
			"warning not-supported at Patient.identifier[0].use (48): codes of the value set urn:v are not checked",
		},
		{
			"a profile of itself", `{"resourceType":"Patient","contained":[{"resourceType":"Patient"}]}`, `{"path":"Patient","type":[{"code":"Patient","profile":["` + example + `x"]}]},
			{"path":"Patient.contained","type":[{"code":"Resource","profile":["` + example + `x"]}]}`, "",
		},
		{"another variant of a choice", `{"resourceType":"Patient","deceasedBoolean":true}`, `{"path":"Patient.deceasedDateTime","max":"0"}`, ""},
		{
			"the type of a reference", `{"resourceType":"Patient","managingOrganization":{"type":"Practitioner"}}`,
			`{"path":"Patient.managingOrganization","type":[{"code":"Reference","targetProfile":["http://hl7.org/fhir/StructureDefinition/Organization"]}]}`,
			"error structure at Patient.managingOrganization (50): the reference is to a Practitioner",
		},
		{
			"a required binding of R4", `{"resourceType":"Patient","photo":[{"contentType":"a"}]}`,
			`{"path":"Patient.photo.contentType","binding":{"strength":"required","valueSet":"http://hl7.org/fhir/ValueSet/mimetypes|4.0.1"}}`, "",
		},
		{
			"text, line and column name profile and element", `{"resourceType":"Patient","gender":"male"}`, `{"path":"Patient.gender","fixedCode":"female"}`,
			`error value at Patient.gender (36): the value must be exactly "female" (profile http://example.org/fhir/StructureDefinition/x, element Patient.gender)`,
		},
		{
			"elements without ids", `{"resourceType":"Patient","identifier":[{"system":"urn:b"}]}`, slicing[:len(slicing)-1],
			"error required at Patient.identifier (1): the slice a must occur at least once, but occurs 0 times",
		},
		{
			"slices of slices", `{"resourceType":"Patient","identifier":[{"system":"urn:a","use":"old"},{"system":"urn:a","use":"old"}]}`, slicing + `
			{"id":"Patient.identifier:a","path":"Patient.identifier","sliceName":"a","slicing":{"discriminator":[{"type":"value","path":"use"}],"rules":"closed"}},
			{"id":"Patient.identifier:a/old","path":"Patient.identifier","sliceName":"a/old","max":"1"},{"id":"Patient.identifier:a/old.use","path":"Patient.identifier.use","fixedCode":"old"}`,
			"error structure at Patient.identifier (1): the slice a/old may occur once, but occurs 2 times",
		},
		{
			"a variant of a choice", `{"resourceType":"Patient","deceasedDateTime":"2020"}`, `{"path":"Patient.deceasedDateTime","maxValueDateTime":"2019-12"}`,
			"error value at Patient.deceased (46): the value must be at most",
		},
		{
			"no discriminator", `{"resourceType":"Patient","name":[{"text":"a"}]}`, `{"path":"Patient.name","sliceName":"a","min":1}`,
			"warning not-supported at Patient.name[0] (35): the slices are not checked: there is no discriminator",
		},
		{
			"a path that discriminators do not have", `{"resourceType":"Patient","name":[{"text":"a"}]}`,
			`{"path":"Patient.name","slicing":{"discriminator":[{"type":"value","path":"text.lower()"}],"rules":"open"}},{"path":"Patient.name","sliceName":"a","min":1}`,
			"warning not-supported at Patient.name[0] (35): the slices are not checked: the path",
		},
		{
			"a constraint that cannot be compiled", `{"resourceType":"Patient"}`, `{"path":"Patient","constraint":[{"key":"k","severity":"error","human":"h","expression":"name.nonsense("}]}`,
			"warning not-supported at Patient (1): the constraint k is not checked",
		},
		{
			"a constraint that asks for a profile", `{"resourceType":"Patient","contained":[{"resourceType":"Practitioner","id":"p"}]}`,
			`{"path":"Patient","constraint":[{"key":"l","severity":"warning","human":"h","expression":"contained.conformsTo('` + example + `y') and conformsTo('` + example + `y')"},
			{"key":"k","severity":"error","human":"h","expression":"contained.all(conformsTo('` + example + `y') and id = 'p' and %rootResource.contained.exists()) and conformsTo('` + example + `y').not()"}]}`, "warning invariant at Patient (1): l: h",
		},
		{
			"a constraint that asks for a profile that is not known", `{"resourceType":"Patient"}`,
			`{"path":"Patient","constraint":[{"key":"k","severity":"error","human":"h","expression":"conformsTo('urn:p')"}]}`,
			"warning not-supported at Patient (1): the constraint k is not checked: conformsTo('urn:p') is not known",
		},
		{
			"a constraint that asks for codes", `{"resourceType":"Patient","gender":"male"}`,
			`{"path":"Patient.gender","constraint":[{"key":"k","severity":"error","human":"h","expression":"memberOf('urn:v')"}]}`,
			"warning not-supported at Patient.gender (36): the constraint k is not checked: memberOf('urn:v') is not known",
		},
		{
			"no terminology", `{"resourceType":"Patient","gender":"male"}`, `{"path":"Patient.gender","binding":{"strength":"required","valueSet":"urn:v"}}`,
			"warning not-supported at Patient.gender (36): codes of the value set urn:v are not checked",
		},
		{
			"an unknown profile of a type", `{"resourceType":"Patient","name":[{"text":"a"}]}`, `{"path":"Patient.name","type":[{"code":"HumanName","profile":["urn:p"]}]}`,
			"warning not-found at Patient.name[0] (35): the profile urn:p is not checked: the profile is not known",
		},
		{
			"profiles of which one must do", `{"resourceType":"Patient","name":[{"text":"a"}]}`, `{"path":"Patient.name","type":[{"code":"HumanName","profile":["` + example + `y","` + example + `x"]}]}`,
			"error structure at Patient.name[0] (35): it conforms to none of",
		},
		{
			"max that is no number", `{"resourceType":"Patient"}`, `{"path":"Patient.name","max":"some"}`,
			`warning not-supported at Patient (1): the profile http://example.org/fhir/StructureDefinition/x is not checked: element Patient.name: max "some"`,
		},
		{
			"quantities in other units", `{"resourceType":"Patient","extension":[{"url":"urn:e","valueAge":{"value":2,"code":"mo"}}]}`,
			`{"path":"Patient.extension.value[x]","minValueQuantity":{"value":3,"code":"a"}}`, "",
		},
		{
			"quantities", `{"resourceType":"Patient","extension":[{"url":"urn:e","valueAge":{"value":2,"code":"a"}}]}`,
			`{"path":"Patient.extension.value[x]","minValueQuantity":{"value":3,"code":"a"}}`, "error value at Patient.extension[0].value (66): the value must be at least",
		},
		{
			"times", `{"resourceType":"Patient","deceasedDateTime":"2020-01-01T00:30:00+01:00"}`, `{"path":"Patient.deceased[x]","minValueDateTime":"2020-01-01T00:00:00Z"}`,
			"error value at Patient.deceased (46): the value must be at least",
		},
		{
			"content of a snapshot is content of the profile", `{"resourceType":"Patient","contact":[{"name":{"text":"a"}}],"link":[{"other":{"display":"a"},"type":"refer"}]}`,
			`{"id":"Patient.contact","path":"Patient.contact"},{"path":"Patient.contact.name","min":1},{"path":"Patient.link","contentReference":"#Patient.contact"}`, "",
		},
	} {
		unknown := `{"path":"Practitioner","constraint":[{"key":"m","severity":"error","human":"h","expression":"memberOf('urn:v').empty()"}]}`
		other := strings.Replace(definition("y", "", unknown), `"Patient"`, `"Practitioner"`, 1)
		other = strings.Replace(other, "StructureDefinition/Patient", "StructureDefinition/Practitioner", 1)
		got := issuesOf(t, test.body, profile.Request{}, definition("x", "", test.elements), other)
		if !strings.HasPrefix(got, test.want) || test.want == "" && got != "" || strings.Contains(got, "\n") {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.want)
		}
	}
}

// A countingSource counts how often it is asked for a definition. All are malformed.
type countingSource map[string]int

func (s countingSource) Definition(_ context.Context, url, _ string) ([]byte, error) {
	s[url]++
	return []byte("{"), nil
}

func (countingSource) Generation(context.Context) (string, error) { return "", nil }

// TestKept checks that 1,000 definitions are kept, and forgotten when there are more.
func TestKept(t *testing.T) {
	all := []string{}
	for i := range 1001 {
		all = append(all, fmt.Sprint(i))
	}
	source := countingSource{}
	c := profile.New(definitions.R4(), source, nil)
	for i, profiles := range [][]string{all[:1000], all[:1], all[1000:], all[:1]} {
		issues, err := c.Check(t.Context(), parsed(t, `{"resourceType":"Patient"}`), profile.Request{Profiles: profiles})
		if err != nil || source["0"] != 1+i/3 || !strings.Contains(issues[0].Text, "is not checked: line 1, ") {
			t.Errorf("%d: %d times, %v", i, source["0"], err)
		}
	}
}

func TestMustSupport(t *testing.T) {
	sd := definition("x", "", `{"path":"Patient.name","mustSupport":true}`)
	for asked, want := range map[bool]string{false: "", true: "information informational at Patient.name (1): the element is absent, which the profile marks as mustSupport"} {
		if got := issuesOf(t, `{"resourceType":"Patient"}`, profile.Request{MustSupport: asked}, sd); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("asked %t: %s", asked, got)
		}
	}
}

// TestBases tries chains of bases: missing, circular, of another type, and too long.
func TestBases(t *testing.T) {
	chain := []string{definition("x", example+"0", "")}
	for i := range 40 {
		chain = append(chain, definition(fmt.Sprint(i), example+fmt.Sprint(i+1), ""))
	}
	for _, test := range []struct {
		want string
		all  []string
	}{
		{"the profile is not known", nil},
		{"its base urn:b: the profile is not known", []string{definition("x", "urn:b", "")}},
		{"is based on itself", []string{definition("x", example+"y", ""), definition("y", example+"x", "")}},
		{"defines Observation, not Patient", []string{definition("x", "http://hl7.org/fhir/StructureDefinition/Observation", "")}},
		{"has more than 32 bases", chain},
		{"a logical model", []string{strings.Replace(definition("x", "", ""), `"kind":"resource"`, `"kind":"logical"`, 1)}},
	} {
		got := issuesOf(t, `{"resourceType":"Patient"}`, profile.Request{}, test.all...)
		if !strings.HasPrefix(got, "warning ") || !strings.Contains(got, example+"x is not checked: ") || !strings.Contains(got, test.want) {
			t.Errorf("%s: %s", test.want, got)
		}
	}
}

// TestLimits checks that hostile definitions end early: a profile that all parts of a document must
// conform to, and slices that each value is compared with.
func TestLimits(t *testing.T) {
	var slices, names strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&slices, `,{"id":"Patient.name:s%[1]d","path":"Patient.name","sliceName":"s%[1]d"},{"id":"Patient.name:s%[1]d.text","path":"Patient.name.text","fixedString":"%[1]d"}`, i)
		names.WriteString(`,{"text":"a"}`)
	}
	sd := definition("x", "", `{"id":"Patient.name","path":"Patient.name","slicing":{"discriminator":[{"type":"value","path":"text"}],"rules":"open"}}`+slices.String())
	got := issuesOf(t, `{"resourceType":"Patient","name":[`+names.String()[1:]+`]}`, profile.Request{}, sd)
	if !strings.Contains(got, "error too-costly at Patient") {
		t.Errorf("slices: %.300s", got)
	}
	for n, want := range map[int]string{49_750: "", 49_751: "has more than 50000 elements"} { // with those around them
		var elements strings.Builder
		for i := range n {
			fmt.Fprintf(&elements, `,{"path":"Patient.a%d.b%d"}`, i/200, i)
		}
		if got = issuesOf(t, `{"resourceType":"Patient"}`, profile.Request{}, definition("x", "", elements.String()[1:])); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%d elements: %.300s", n, got)
		}
	}
	deep := func(n int) string {
		return strings.Repeat(`{"url":"urn:e","extension":[`, n) + `{"url":"` + example + `x"}` + strings.Repeat(`]}`, n)
	}
	for n, seen := range map[int]bool{299: true, 300: false} {
		got = issuesOf(t, `{"resourceType":"Patient","extension":[`+deep(n)+`]}`, profile.Request{}, definition("x", "", ""))
		if strings.Contains(got, "is not that of an extension") != seen {
			t.Errorf("%d extensions: %.300s", n, got)
		}
	}
	nested := deep(2000)
	sd = definition("x", "", `{"path":"Patient.extension","min":1,"type":[{"code":"Extension","profile":["`+example+`e"]}]}`)
	e := strings.NewReplacer(`"Patient"`, `"Extension"`, "StructureDefinition/Patient", "StructureDefinition/Extension").Replace(
		definition("e", "", `{"path":"Extension.extension","type":[{"code":"Extension","profile":["`+example+`e"]}]}`))
	if got = issuesOf(t, `{"resourceType":"Patient","extension":[`+nested+`]}`, profile.Request{}, sd, e); !strings.Contains(got, "warning too-costly at Patient.extension[0].extension[0]") {
		t.Errorf("nesting: %.300s", got)
	}
}

func TestChanges(t *testing.T) {
	var l profile.Library
	c := profile.New(definitions.R4(), &l, nil)
	d := parsed(t, `{"resourceType":"Patient","meta":{"profile":["`+example+`x|2"]},"gender":"male"}`)
	for _, step := range []struct{ body, want string }{
		{definition("x", "", ""), "[the profile http://example.org/fhir/StructureDefinition/x|2 is not checked: the profile is not known]"},
		{strings.Replace(definition("x", "", `{"path":"Patient.gender","max":"0"}`), `"kind"`, `"version":"2","kind"`, 1), "must not occur"},
		{strings.Replace(definition("x", "", ""), `"kind"`, `"version":"2","kind"`, 1), "[]"},
	} {
		l.Add(parsed(t, step.body))
		issues, err := c.Check(t.Context(), d, profile.Request{})
		var texts []string
		for _, i := range issues {
			texts = append(texts, i.Text)
		}
		if got := fmt.Sprint(texts); err != nil || !strings.Contains(got, step.want) {
			t.Errorf("got %s %v, want %s", got, err, step.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Check(ctx, parsed(t, `{"resourceType":"Patient","meta":{"profile":["urn:new"]}}`), profile.Request{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestResolve checks targets of references in other documents.
func TestResolve(t *testing.T) {
	sd := definition("x", "", `{"path":"Patient.link.other","type":[{"code":"Reference","targetProfile":["`+example+`y"]}]}`)
	y := definition("y", "", `{"path":"Patient.gender","min":1}`)
	body := `{"resourceType":"Patient","link":[{"other":{"reference":"Patient/1"},"type":"refer"}]}`
	for target, want := range map[string]string{
		"": "", `{"resourceType":"Patient","gender":"male"}`: "", `{"resourceType":"Patient"}`: "error structure at Patient.link[0].other (44): the target of the reference does not conform",
		`{"resourceType":"Practitioner"}`: "error structure at Patient.link[0].other (44): the reference is to a Practitioner",
	} {
		find := func(_ context.Context, reference string) (*document.Document, error) {
			if target == "" || reference != "Patient/1" {
				return nil, nil
			}
			return parsed(t, target), nil
		}
		if got := issuesOf(t, body, profile.Request{Resolve: find}, sd, y); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s: %s", target, got)
		}
	}
}

// TestResolveOften checks that each target is read and checked once, however many refer to it.
func TestResolveOften(t *testing.T) {
	sd := definition("x", "", `{"path":"Patient.link.other","type":[{"code":"Reference","targetProfile":["`+example+`x"]}]}`)
	links := strings.Repeat(`,{"other":{"reference":"Patient/1"}},{"other":{"reference":"Patient/2"}}`, 10)[1:]
	body := `{"resourceType":"Patient","link":[` + links + `]}`
	read := 0
	find := func(context.Context, string) (*document.Document, error) {
		read++
		return parsed(t, body), nil
	}
	if got := issuesOf(t, body, profile.Request{Resolve: find}, sd); got != "" || read != 2 {
		t.Errorf("%d targets were read: %.300s", read, got)
	}
}

// FuzzDefinition compiles arbitrary elements, and checks a resource against them: neither fails in
// another way than with issues.
func FuzzDefinition(f *testing.F) {
	for _, seed := range []string{
		`{"id":"Patient.name:a.family","path":"Patient.name.family","min":1,"max":"*","fixedString":"a"}`,
		`{"path":"Patient.identifier","slicing":{"discriminator":[{"type":"pattern","path":"$this.ofType(Identifier)"}],"rules":"openAtEnd","ordered":true}},{"path":"Patient.identifier","sliceName":"a/b/c","min":2,"patternIdentifier":{"use":"old"}}`,
		`{"path":"Patient.deceasedBoolean","type":[{"code":"boolean"}],"contentReference":"#Patient"}`,
		`{"path":"Patient.link","contentReference":"#Patient.link","constraint":[{"key":"a","expression":"other.resolve().name.exists()"}]}`,
		`{"id":"Patient..:","path":"Patient...x"},{"path":"Patient.extension","sliceName":"e","type":[{"code":"Extension","profile":["` + example + `x"]}]}`,
	} {
		f.Add(seed)
	}
	body := `{"resourceType":"Patient","contained":[{"resourceType":"Patient","id":"a"}],"extension":[{"url":"` + example + `x","valueString":"a"}],"identifier":[{"use":"old","value":"1"}],"name":[{"family":"a","_given":[{"id":"a"}]}],"deceasedBoolean":true,"link":[{"other":{"reference":"#a"},"type":"refer"}]}`
	f.Fuzz(func(t *testing.T, elements string) {
		sd, err := document.Parse([]byte(definition("x", "", elements)), r4.Limits{})
		if err != nil {
			return
		}
		var l profile.Library
		l.Add(sd)
		if _, err := profile.New(definitions.R4(), &l, nil).Check(t.Context(), parsed(t, body), profile.Request{Profiles: []string{example + "x"}, MustSupport: true}); err != nil {
			t.Error(err)
		}
	})
}
