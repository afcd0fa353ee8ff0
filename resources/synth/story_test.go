package synth

import (
	"slices"
	"testing"
)

// The codes of stories are leaves of the branches for their elements.
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
	for i := range acuteIllnesses {
		a := &acuteIllnesses[i]
		leaf(a.code, a.code, branchDisease)
		leaf(a.code, a.encounterType, branchEncounterType)
		leaf(a.code, a.reason, branchReason)
		leaf(a.code, a.imaging, branchImaging)
		leaf(a.code, a.drug, branchMedication)
		leaf(a.code, a.rehabilitation, branchRehabilitation)
		leaf(a.code, a.supply, branchSupply)
		leaf(a.code, a.panel, branchLabPanel)
		for _, v := range a.vitals {
			leaf(a.code, v, measured...)
		}
		if a.minDays < 1 || a.maxDays < a.minDays || a.maxAge < a.minAge || a.weight < 1 {
			t.Errorf("%s: %+v", a.code, a)
		}
	}
	for i := range chronicIllnesses {
		a := &chronicIllnesses[i]
		leaf(a.code, a.code, branchDisease)
		leaf(a.code, a.imaging, branchImaging)
		leaf(a.code, a.drug, branchMedication)
		leaf(a.code, a.device, branchDevice)
		leaf(a.code, a.supply, branchSupply)
		leaf(a.code, a.referral, branchReferral)
		leaf(a.code, a.pathology, branchPathology)
		leaf(a.code, a.panel, branchLabPanel)
		for _, v := range a.vitals {
			leaf(a.code, v, measured...)
		}
		if a.maxAge < a.minAge || a.prevalence < 1 || a.questionnaire != "" && !slices.Contains(questionnaireTemplates, a.questionnaire) {
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
