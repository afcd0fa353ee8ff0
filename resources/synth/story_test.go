package synth

import (
	"slices"
	"testing"
)

// The codes of stories are leaves of the branches that their elements are drawn from.
func TestStoriesHaveCodes(t *testing.T) {
	c := loadClinic()
	leaf := func(what string, code string, branches ...branch) {
		t.Helper()
		if code == "" {
			return
		}
		for _, b := range branches {
			if slices.ContainsFunc(c.leaves[b], func(l Coding) bool { return l.Code == code }) {
				return
			}
		}
		t.Errorf("%s: there is no %q", what, code)
	}
	measured := []branch{branchVital, branchLaboratory}
	for i := range acute {
		a := &acute[i]
		leaf(a.code, a.code, branchDisease)
		leaf(a.code, a.typ, branchEncounterType)
		leaf(a.code, a.reason, branchReason)
		leaf(a.code, a.imaging, branchImaging)
		leaf(a.code, a.drug, branchMedication)
		leaf(a.code, a.after, branchRehabilitation)
		leaf(a.code, a.supply, branchSupply)
		leaf(a.code, a.panel, branchLabPanel)
		for _, v := range a.vitals {
			leaf(a.code, v, measured...)
		}
		if a.least < 1 || a.most < a.least || a.to < a.from || a.often < 1 {
			t.Errorf("%s: %+v", a.code, a)
		}
	}
	for i := range chronic {
		a := &chronic[i]
		leaf(a.code, a.code, branchDisease)
		leaf(a.code, a.imaging, branchImaging)
		leaf(a.code, a.drug, branchMedication)
		leaf(a.code, a.device, branchDevice)
		leaf(a.code, a.supply, branchSupply)
		leaf(a.code, a.refer, branchReferral)
		leaf(a.code, a.tissue, branchPathology)
		leaf(a.code, a.panel, branchLabPanel)
		for _, v := range a.vitals {
			leaf(a.code, v, measured...)
		}
		if a.to < a.from || a.often < 1 || a.form != "" && !slices.Contains(questionnaireTemplates, a.form) {
			t.Errorf("%s: %+v", a.code, a)
		}
	}
	for i := range childChecks {
		for _, vaccine := range childChecks[i].vaccines {
			leaf("check-up", vaccine, branchVaccine)
		}
	}
	for _, code := range []string{"influenza-injection", "coronavirus-vaccine"} {
		leaf("vaccination", code, branchVaccine)
	}
	for _, code := range []string{"planned-admission", "urgent-admission", "emergency-visit", "health-check", "vaccination-visit", "first-consultation", "follow-up-consultation", "telephone-consultation"} {
		leaf("encounter", code, branchEncounterType)
	}
	for _, code := range []string{"screening", "prevention", "follow-up-of-treatment"} {
		if c.codes[code].Code == "" {
			t.Errorf("reason: there is no %q", code)
		}
	}
	for _, code := range []string{"cervical-smear", "colon-biopsy"} {
		leaf("pathology", code, branchPathology)
	}
	for _, code := range []string{"mammography", "x-ray-chest"} {
		leaf("imaging", code, branchImaging)
	}
	for _, code := range []string{bloodPressure, "body-weight", "body-height", "heart-rate", "oxygen-saturation"} {
		leaf("measurement", code, branchVital)
	}
}
