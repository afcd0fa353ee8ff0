package r5_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/r5"
	"github.com/roget-health/roget/resources/sharedtest"
	"github.com/roget-health/roget/resources/validate"
)

func TestDetect(t *testing.T) {
	for doc, want := range map[string]bool{
		`{"resourceType":"ConceptMap","group":[{"element":[{"code":"a","target":[{"code":"b","relationship":"equivalent"}]}]}]}`:                            true,
		`{"resourceType":"ConceptMap","group":[{"element":[{"code":"a","target":[{"code":"b","equivalence":"equal"}]}]}]}`:                                  false,
		`{"resourceType":"ConceptMap","group":[{"element":[{"code":"a","target":[{"code":"b","relationship":"equivalent","equivalence":"equivalent"}]}]}]}`: false,
		`{"resourceType":"ConceptMap","identifier":[{"value":"1"}]}`:                                                                                        true,
		`{"resourceType":"ConceptMap","identifier":{"value":"1"}}`:                                                                                          false,
		`{"resourceType":"ConceptMap","group":[{"element":[{"code":"a","noMap":true}]}]}`:                                                                   true,
		`{"resourceType":"ConceptMap","group":[{"unmapped":{"mode":"provided"}}]}`:                                                                          false,
		`{"resourceType":"ConceptMap","group":[{"unmapped":{"mode":"use-source-code"}}]}`:                                                                   true,
		`{"resourceType":"ValueSet","compose":{"include":[{"filter":[{"property":"p","op":"child-of","value":"v"}]}]}}`:                                     true,
		`{"resourceType":"ValueSet","compose":{"include":[{"filter":[{"property":"p","op":"is-a","value":"v"}]}]}}`:                                         false,
		`{"resourceType":"ValueSet","_copyrightLabel":{"id":"a"}}`:                                                                                          true,
		`{"resourceType":"Patient","active":true}`:                                                                                                          false, `{"resourceType":1}`: false, `[]`: false, `{`: false, ``: false,
	} {
		if got := r5.Detect([]byte(doc)); got != want {
			t.Errorf("%s: %v", doc, got)
		}
	}
	if !r5.Added("CodeSystem", "_approvalDate") || r5.Added("CodeSystem", "concept") || r5.Added("Patient", "x") || r5.Added("CodeSystem", "x") {
		t.Error("Added")
	}
}

// TestFromR4 checks what has another form in R5, with "" for an error.
func TestFromR4(t *testing.T) {
	const group = `{"resourceType":"ConceptMap","group":[{`
	const depends, named = group + `"element":[{"target":[{"dependsOn":[{`, `"extension":[{"url":"http://x","extension":[{"url":"code","valueCode":"c"},{"url":"uri","valueUri":"u:p"}]}]}`
	for _, test := range [][2]string{
		{group + `"unmapped":{"mode":"provided"}}]}`, group + `"unmapped":{"mode":"use-source-code"}}]}`},
		{group + `"source":"a","sourceVersion":""}]}`, group + `"source":"a","extension":[{"url":"http://hl7.org/fhir/4.0/StructureDefinition/extension-ConceptMap.group.sourceVersion","valueString":""}]}]}`},
		{depends + `"value":"v","_value":{"id":"i"}}]}]}]}]}`, depends + `"valueString":"v","_valueString":{"id":"i"}}]}]}]}]}`},
		{depends + `"property":"u:p"}]}]}]}],` + named, depends + `"attribute":"p"}]}]}]}],"additionalAttribute":[{"code":"p","uri":"u:p","type":"string"}],` + named},
		{`{"resourceType":"ConceptMap","extension":{}}`, ""},
	} {
		if got, err := r5.FromR4([]byte(test[0])); string(got) != test[1] || (err != nil) != (test[1] == "") {
			t.Errorf("%s\n got %s (%v)\nwant %s", test[0], got, err, test[1])
		}
	}
}

// TestDetectCore checks that nothing of R4 core is taken for R5.
func TestDetectCore(t *testing.T) {
	for _, name := range []string{"codesystems", "valuesets", "conceptmaps"} {
		for line := range bytes.Lines(sharedtest.Unzipped(t, sharedtest.Path(t, "data/r4-core/"+name+".ndjson.gz"))) {
			if r5.Detect(line) {
				t.Errorf("taken for R5: %.200s", line)
			}
		}
	}
}

// FuzzConvert converts anything in both directions. What is accepted as R5 stays the same in further
// conversions to R4 and back, after the first, in which extensions for elements of R5 become elements.
func FuzzConvert(f *testing.F) {
	tables := definitions.R5()
	for i, name := range tables.Resources() {
		g := &generator{Rand: rand.New(rand.NewPCG(uint64(i), 3)), tables: tables}
		f.Add([]byte(g.resource(name)))
	}
	f.Add([]byte(`{"resourceType":"CodeSystem","extension":[{"url":"http://hl7.org/fhir/5.0/StructureDefinition/extension-CodeSystem.copyrightLabel","valueString":"a"}],"copyrightLabel":"b"}`))
	f.Add([]byte(`{"resourceType":"ConceptMap","group":[{"element":[{"target":[{"equivalence":"unmatched","comment":"c"}]}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r5.Detect(data)
		if as5, err := r5.FromR4(data); err == nil {
			parse(t, as5)
		}
		as4, err := r5.ToR4(data)
		if err != nil {
			return
		}
		parse(t, as4)
		once, err := r5.FromR4(as4)
		if err != nil {
			t.Fatalf("FromR4: %v\n%s\n%s", err, data, as4)
		}
		parse(t, once)
		again, err := r5.ToR4(once)
		if err != nil {
			t.Fatalf("ToR4: %v\n%s\n%s", err, data, once)
		}
		twice, err := r5.FromR4(again)
		if err != nil {
			t.Fatalf("FromR4: %v\n%s\n%s", err, data, again)
		}
		if diff := difference(parse(t, once).Root(), parse(t, twice).Root()); diff != "" {
			t.Fatalf("%s\nwas   %s\nonce  %s\nin R4 %s", diff, data, once, again)
		}
	})
}

// TestOneOfChoice checks that two extensions for variants of one choice do not both become elements,
// which R5 forbids. The other stays an extension.
func TestOneOfChoice(t *testing.T) {
	const url = `{"url":"http://hl7.org/fhir/5.0/StructureDefinition/extension-CodeSystem.versionAlgorithm",`
	const head = `{"resourceType":"CodeSystem","status":"active","content":"complete","extension":[`
	for _, extensions := range []string{
		url + `"valueString":"natural"},` + url + `"valueCoding":{"code":"semver"}}`,
		url + `"valueCoding":{"code":"semver"}},` + url + `"valueString":"natural"}`,
	} {
		as5, err := r5.FromR4([]byte(head + extensions + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		doc, err := document.Parse(as5, r4.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		if err := validate.Check(validate.New(definitions.R5()).Validate(doc)); err != nil {
			t.Errorf("%s: %v", as5, err)
		}
		if n := doc.Root().Get("extension").Len(); n != 1 {
			t.Errorf("%d extensions in %s, want 1", n, as5)
		}
	}
}
