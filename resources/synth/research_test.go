package synth_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/synth"
)

// texts returns the values at a path of a resource.
func texts(root document.Value, path string) []string {
	var list []string
	at(root, path, func(v document.Value) { list = append(list, v.Text()) })
	return list
}

// Subjects are assigned to arms of their study and change to another arm only by crossing over.
// Before they are on the study, they have no arm.
func TestSubjectsAreInArms(t *testing.T) {
	studies := map[string]document.Value{}
	each(t, "ResearchStudy", synth.Options{Seed: 1}, 50, func(_ int, body []byte) {
		root := parse(t, slices.Clone(body))
		studies["ResearchStudy/"+root.Get("id").Text()] = root
	})
	designs, crossed, same := map[string]bool{}, 0, 0
	each(t, "ResearchSubject", synth.Options{Seed: 1}, 1000, func(n int, body []byte) {
		root := parse(t, body)
		in := root.Get("study").Get("reference").Text()
		study, there := studies[in]
		if !there {
			t.Fatalf("%d: study %s", n, in)
		}
		arms := texts(study, "arm.name")
		designs[strings.Join(arms, ", ")] = true
		status, assigned, actual := root.Get("status").Text(), root.Get("assignedArm").Text(), root.Get("actualArm").Text()
		for _, name := range []string{assigned, actual} {
			if name != "" && !slices.Contains(arms, name) {
				t.Errorf("%d: arm %q of %s, which has %q", n, name, in, arms)
			}
		}
		onStudy := !slices.Contains(strings.Fields("potential-candidate candidate screening eligible ineligible not-registered"), status)
		if (assigned != "") != onStudy || actual != "" && assigned == "" {
			t.Errorf("%d: %s is assigned to %q and is in %q", n, status, assigned, actual)
		}
		switch {
		case actual == "":
		case actual != assigned:
			crossed++
		default:
			same++
		}
		switch studies[in].Get("status").Text() {
		case "in-review", "approved", "disapproved", "withdrawn":
			if onStudy {
				t.Errorf("%d is %s of a study that has not begun", n, status)
			}
		case "completed", "administratively-completed":
			if status != "off-study" && status != "withdrawn" && status != "ineligible" && status != "not-registered" {
				t.Errorf("%d is %s of a study that is over", n, status)
			}
		}
		ends := root.Get("period").Get("end").Text()
		if over := slices.Contains(strings.Fields("off-study withdrawn ineligible not-registered"), status); over && ends == "" {
			t.Errorf("%d is %s without an end", n, status)
		}
		if ends != "" && ends < root.Get("period").Get("start").Text() || ends > "2025-01-01T00:00:00Z" {
			t.Errorf("%d: period %s", n, root.Get("period").Raw())
		}
	})
	if len(designs) < 4 || crossed == 0 || same < 4*crossed {
		t.Errorf("%d designs, %d crossed over, %d did not", len(designs), crossed, same)
	}
}

// The period of a study fits its status.
func TestStudyPeriods(t *testing.T) {
	const now = "2025-01-01T00:00:00Z"
	each(t, "ResearchStudy", synth.Options{Seed: 1}, 1000, func(n int, body []byte) {
		root := parse(t, body)
		start, end := root.Get("period").Get("start").Text(), root.Get("period").Get("end").Text()
		fits := start < now && end > now
		status := root.Get("status").Text()
		switch status {
		case "disapproved":
			fits = start == ""
		case "in-review", "approved", "withdrawn":
			fits = start > now
		case "completed", "administratively-completed":
			fits = end != "" && end < now
		}
		if !fits || end != "" && end < start {
			t.Errorf("%d is %s from %s to %s", n, status, start, end)
		}
		if observed := root.Get("category").Index(0).Get("text").Text() == "Observational"; observed == slices.Contains(texts(root, "arm.type.text"), "Experimental") {
			t.Errorf("%d: %s %s", n, root.Get("category").Raw(), root.Get("arm").Raw())
		}
		if to := root.Get("enrollment").Index(0).Get("reference").Text(); to != "Group/1-"+strconv.Itoa(n/4*4) {
			t.Errorf("%d: enrollment %s", n, to)
		}
	})
}
