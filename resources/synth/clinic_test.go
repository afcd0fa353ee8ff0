package synth

import "testing"

// Clinic is a tree: each code occurs once, after its parent, and each branch has leaves.
func TestClinic(t *testing.T) {
	seen := map[string]bool{"": true}
	for _, terms := range clinicTerms() {
		for _, c := range terms {
			if seen[c.code] || c.display == "" {
				t.Errorf("%q: twice, or without a display", c.code)
			}
			if !seen[c.parent] {
				t.Errorf("%s is below %s, which is not there or comes later", c.code, c.parent)
			}
			seen[c.code] = true
		}
	}
	for b, leaves := range loadClinic().leaves {
		if seen[branchRoots[b]] != (len(leaves) > 1) {
			t.Errorf("%s has %d leaves", branchRoots[b], len(leaves))
		}
	}
}
