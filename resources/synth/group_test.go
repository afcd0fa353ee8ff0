package synth_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/synth"
)

// Members have the type of their group, and quantity counts them. Only actual groups have members
// (grp-1), and only those may lack characteristics.
func TestGroupMembers(t *testing.T) {
	memberType := map[string]string{
		"person": "Patient/", "animal": "Patient/", "practitioner": "Practitioner/", "device": "Device/",
		"medication": "Medication/", "substance": "Substance/",
	}
	values := map[string]string{"medication_ref": "Medication/7", "substance_ref": "Substance/7"}
	actual := map[string]int{}
	each(t, "Group", synth.Options{Seed: 1, Values: values}, 1000, func(n int, body []byte) {
		root := parse(t, body)
		typ := root.Get("type").Text()
		members := 0
		for m := range root.Get("member").Items() {
			members++
			if to := m.Get("entity").Get("reference").Text(); !strings.HasPrefix(to, memberType[typ]) {
				t.Errorf("%d: %s in a group of %s", n, to, typ)
			}
			start, end := m.Get("period").Get("start").Text(), m.Get("period").Get("end").Text()
			if end != "" && end < start {
				t.Errorf("%d: a member from %s to %s", n, start, end)
			}
		}
		if is := string(root.Get("actual").Raw()) == "true"; is != (members > 0) || !is && !root.Get("characteristic").Exists() {
			t.Errorf("%d: actual %v with %d members\n%s", n, is, members, body)
		} else if is {
			actual[typ]++
			if got := number(t, root.Get("quantity")); got != float64(members) {
				t.Errorf("%d: quantity %g, %d members", n, got, members)
			}
		}
		if n%4 == 0 && typ != "person" {
			t.Errorf("%d is of %s", n, typ)
		}
	})
	if len(actual) != len(memberType) {
		t.Errorf("actual groups are of %v", actual)
	}
}

// Groups of a fixed size divide the patients among them.
func TestGroupSize(t *testing.T) {
	seen := map[string]int{}
	groups := 0
	each(t, "Group", synth.Options{Seed: 1, Values: map[string]string{"members": "30"}}, 100, func(n int, body []byte) {
		root := parse(t, body)
		if !root.Get("member").Exists() || root.Get("type").Text() != "person" {
			return
		}
		groups++
		for m := range root.Get("member").Items() {
			to := m.Get("entity").Get("reference").Text()
			if before, there := seen[to]; there {
				t.Errorf("%s is in groups %d and %d", to, before, n)
			}
			seen[to] = n
		}
	})
	if groups == 0 || len(seen) != 30*groups {
		t.Errorf("%d members of %d groups", len(seen), groups)
	}
}

// Characteristics have a boolean, a range, a code, a quantity or a reference. Chosen codes have a
// boolean.
func TestGroupCharacteristics(t *testing.T) {
	values := func(o synth.Options) map[string]int {
		counts := map[string]int{}
		each(t, "Group", o, 1000, func(_ int, body []byte) {
			for c := range parse(t, body).Get("characteristic").Items() {
				for m := range c.Members() {
					if strings.HasPrefix(m.Name(), "value") {
						counts[m.Name()]++
					}
				}
				low, high := c.Get("valueRange").Get("low").Get("value"), c.Get("valueRange").Get("high").Get("value")
				if low.Exists() && number(t, low) >= number(t, high) {
					t.Errorf("a range from %s to %s", low.Raw(), high.Raw())
				}
			}
		})
		return counts
	}
	if all := values(synth.Options{Seed: 1}); len(all) != 5 {
		t.Errorf("values of characteristics: %v", all)
	}
	own := values(synth.Options{Seed: 1, Codes: map[string][]synth.Coding{"Group.characteristic.code": {{System: "urn:x", Code: "x"}}}})
	if len(own) != 1 || own["valueBoolean"] == 0 {
		t.Errorf("values of characteristics of one's own: %v", own)
	}
}

// number returns a number in JSON.
func number(t *testing.T, v document.Value) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(string(v.Raw()), 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}
