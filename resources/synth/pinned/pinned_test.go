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
	"Practitioner":            "e7098a16b3a1a4072fd878fdc09b1dbcfbfa6cdfcfebcbf79940d0e6a4e6b5d6",
	"Organization":            "1182698033471be0d7d0b535ee39932936d0b00a71d0acaa0ea846db87b610b0",
	"Location":                "62ecb1d04d30ec6c74e19f9a93f11fe344b2f2ead4e6569d178b771168d32027",
	"RelatedPerson":           "e848c91b6937648e1c9293cb99de025bed71923f83f2584bad2b7be9fe702af2",
	"HealthcareService":       "a6c6605840ca00f01256813c126dffaeefe0a025cb50b84c3187b88be919b13d",
	"OrganizationAffiliation": "1256ff6c0f1e34457cd1f6addc5a092f99cba1ae071bc9adbf51ead4f05f7c06",
	"Device":                  "0778073253e7124f9c7013e81fdba6ba851b02bf34382c9b57216967cc49b731",
	"SupplyRequest":           "03fab05e22b99ad4577a6e7015193b3553796c4f00fe5a3693506b8120362352",
	"Condition":               "8ca330a74624c74ef10f42a420200406ac67ef3aa4271010d96d2bbfae364df1",
	"Encounter":               "992f398738d7917b31b8db7fae3dbace46c1aeb00b85d5a4c25f17bef845bd9a",
	"Observation":             "5b9f4cf15292950725a0399f3e9fb8702c9e46453f214b44a813f6a9a84db473",
	"DiagnosticReport":        "e1927cae83d51bf785a443b282e2f7e7e235b2b2b7d2d3d16ffefa9a52138b55",
	"Immunization":            "8911a57fbc2bc2d3ec378f97201c1b34476f6986bcd045aa1d3bc40af84179ba",
	"MedicationRequest":       "ae87e92c365b1fac0e74bb75601c152d51ed3e73db9acd9789740f63fa4ec04a",
	"ServiceRequest":          "fba575a8dec07b97f2022edf4d0238f7f55f057b1cf5fc8dd1054a0564f048cc",
	"ImagingStudy":            "3840844f1ba0f6367b35ff24181562acd45b3431d3c0a36ab61ed179b8390eee",
	"QuestionnaireResponse":   "8e6774ec355e6e7d5740e3fde94c029256d681aff374e92854eadadf49369f03",
	"Questionnaire":           "5fd780c5f19d9c6ed78b6c77d7112b8075169ef0181adadb0934fe2461872259",
	"ResearchStudy":           "7ca540c3d2e8a81f67bd9efaf44f2c1dfb56dec4593cdf6d07e6282eefaee849",
	"ResearchSubject":         "b1362e5c07920169661e02dc6cc4d0f525861d2987a1c78de37166839924d7f0",
	"Group":                   "07fe0fd991ee6180c9ec82428b7daf6df58ccd045607833731e16c62234a6fb7",
	"Library":                 "e77bc35a7c28eda2d98ef3282465a8f60e1ffd9d45b10aad7c6bc13a5f726ab4",
	"Measure":                 "551b2a520a349630185e8aad844ec8d270b07d23fc43d2c298bf0b40d2fe2909",
	"CodeSystem":              "ea037b5f5fa7a8b469cfe9d77cb7d91a6167e3d4b8d2aa9cb44db1b5ff9bc8ff",
	"ValueSet":                "81a69f009b3a7c8ac16adf29e533366564d0662693e247324848c79c8cced95d",
	"population":              "d06d82a637f9683cc0cb0f1964e8fb506b857d621a9556434d7df8d183c44c51",
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
