// Package pinned_test is apart from the tests of synth, which import much: this one is
// built for other processors quickly.
package pinned_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/roget-health/roget/resources/synth"
)

// pinned are the SHA-256 of what roget generate TYPE --seed 1 --count 1000 writes, and
// roget generate population --seed 1 --patients 200.
var pinned = map[string]string{
	"Patient":                 "428a72898436bb102d667c5bbd69a809f5d05ae5bafefffd97140c14ece408ae",
	"Practitioner":            "5388fa39729c4050aa51ab2ce5718c630628c3b23988954c1e02c7233d35528b",
	"Organization":            "1182698033471be0d7d0b535ee39932936d0b00a71d0acaa0ea846db87b610b0",
	"Location":                "62ecb1d04d30ec6c74e19f9a93f11fe344b2f2ead4e6569d178b771168d32027",
	"RelatedPerson":           "e848c91b6937648e1c9293cb99de025bed71923f83f2584bad2b7be9fe702af2",
	"HealthcareService":       "a6c6605840ca00f01256813c126dffaeefe0a025cb50b84c3187b88be919b13d",
	"OrganizationAffiliation": "1256ff6c0f1e34457cd1f6addc5a092f99cba1ae071bc9adbf51ead4f05f7c06",
	"Device":                  "0778073253e7124f9c7013e81fdba6ba851b02bf34382c9b57216967cc49b731",
	"SupplyRequest":           "d35602ceccafadbd8d881190d3bfd59c9349a0ded844be9802d72bfe7deb4109",
	"Condition":               "c4447bf9af461ff749ccd36036356d4ee9b1cd06e7cf55d94d66c5d2677c166b",
	"Encounter":               "b95acebcd8941a2a78c7f9990302866e314ecb1cdc01e65e817130b84844d491",
	"Observation":             "770e7bc52d772bf97d7fac0c1eda6179e59172ee849b2d496fa9bfbc96869d3f",
	"DiagnosticReport":        "b44c14ab7c99b2d00c7fc8ff30ec346db16729fc82c6a602976f888e8be0cce8",
	"Immunization":            "9455e3c0d800cfd7e254119da6492f726202df61dd0d67f236fcf4c200870208",
	"MedicationRequest":       "e6d474cd4c9987820de3b893ddaff3314362c39b9b5193769aa84903b861a09c",
	"ServiceRequest":          "2456326ce79667d9c6eeed9d5fa1af6b7da177696fa5e2eb11fbd04b333faa68",
	"ImagingStudy":            "ce377ed22d4248960d08da6f07e1e49e7e69e0137b7b230c2973d79a540bc60a",
	"QuestionnaireResponse":   "bf130d0abeebc3a33076426cf2cbbd476c0ea0219252d0b6cac5cc68dc30d80e",
	"Questionnaire":           "5fd780c5f19d9c6ed78b6c77d7112b8075169ef0181adadb0934fe2461872259",
	"ResearchStudy":           "7ca540c3d2e8a81f67bd9efaf44f2c1dfb56dec4593cdf6d07e6282eefaee849",
	"ResearchSubject":         "b1362e5c07920169661e02dc6cc4d0f525861d2987a1c78de37166839924d7f0",
	"Group":                   "13be7e3e248a525600a471acb29ed2f3fd2cdf6ebcbff5ddabbf59b836918786",
	"Library":                 "e77bc35a7c28eda2d98ef3282465a8f60e1ffd9d45b10aad7c6bc13a5f726ab4",
	"Measure":                 "551b2a520a349630185e8aad844ec8d270b07d23fc43d2c298bf0b40d2fe2909",
	"CodeSystem":              "ea037b5f5fa7a8b469cfe9d77cb7d91a6167e3d4b8d2aa9cb44db1b5ff9bc8ff",
	"ValueSet":                "81a69f009b3a7c8ac16adf29e533366564d0662693e247324848c79c8cced95d",
	"population":              "5b9861abd941a06c6de79ab28aabcb3240a59557caa72f61aa8a003cc3f97176",
}

// TestPinned checks that what is made is what has always been made, byte for byte. It holds
// on every platform: CI runs it on 64 and 32 bits, little and big endian. A change of what
// is made is a change for users, to be told in CHANGELOG.md; then the test tells the new
// values.
func TestPinned(t *testing.T) {
	h := sha256.New()
	check := func(what string) {
		if got := hex.EncodeToString(h.Sum(nil)); got != pinned[what] {
			t.Errorf("other bytes than before: %q: %q,", what, got)
		}
		h.Reset()
	}
	for _, typ := range synth.TypeNames() {
		g, err := synth.New(typ, synth.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		var line []byte
		for n := range uint64(1000) {
			line = append(g.Append(line[:0], n), '\n')
			h.Write(line)
		}
		check(typ)
	}
	p, err := synth.NewPopulation(synth.PopulationOptions{Seed: 1, Patients: 200})
	if err != nil {
		t.Fatal(err)
	}
	err = p.Each(t.Context(), synth.NDJSON, func(c synth.Chunk) error {
		h.Write(c.Bytes)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	check("population")
	if len(pinned) != len(synth.TypeNames())+1 {
		t.Errorf("%d are pinned", len(pinned))
	}
}
