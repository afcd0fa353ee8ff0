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
	"Encounter":               "6982ded4879c3ae47c61c8d2022a17b1812d8325428e2004a5773df77f9b7645",
	"Observation":             "770e7bc52d772bf97d7fac0c1eda6179e59172ee849b2d496fa9bfbc96869d3f",
	"DiagnosticReport":        "a097deec668b6a844ff702a021857833b358cd5c14c0784dc80926ffea755c3b",
	"Immunization":            "5c3d31eaaed2f90a73cbea509652b1a831a23e31c0bfe2f174fa7fb442fd5ff4",
	"MedicationRequest":       "c961cd67ab8eec169be7b73efd9e49eb887b32c79a432502fb4212e1cde45a24",
	"ServiceRequest":          "17c2e67b5e3daa8336152127411dc92cf977e43251995117a23d4270e74e2080",
	"ImagingStudy":            "d150223bd640f50be316284bb265efa88d61f8b7f0626d4caa9bcc75c096405c",
	"QuestionnaireResponse":   "c2685fb1e08869990036ac4b9312c1f1022d9276b5204d760cfb378766e35c3f",
	"Questionnaire":           "5fd780c5f19d9c6ed78b6c77d7112b8075169ef0181adadb0934fe2461872259",
	"ResearchStudy":           "7ca540c3d2e8a81f67bd9efaf44f2c1dfb56dec4593cdf6d07e6282eefaee849",
	"ResearchSubject":         "b1362e5c07920169661e02dc6cc4d0f525861d2987a1c78de37166839924d7f0",
	"Group":                   "07fe0fd991ee6180c9ec82428b7daf6df58ccd045607833731e16c62234a6fb7",
	"Library":                 "e77bc35a7c28eda2d98ef3282465a8f60e1ffd9d45b10aad7c6bc13a5f726ab4",
	"Measure":                 "551b2a520a349630185e8aad844ec8d270b07d23fc43d2c298bf0b40d2fe2909",
	"CodeSystem":              "ea037b5f5fa7a8b469cfe9d77cb7d91a6167e3d4b8d2aa9cb44db1b5ff9bc8ff",
	"ValueSet":                "81a69f009b3a7c8ac16adf29e533366564d0662693e247324848c79c8cced95d",
	"population":              "d69f14ff682686c890d1ff4e40ecc965f4e9b75487093d12ac9ae49aea748db4",
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
