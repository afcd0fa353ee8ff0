package synth_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/synth"
)

// A record is the part of a resource that the laws examine.
type record struct {
	name, typ string
	root      document.Value
	at        string // time of the event or of its order
}

// whens are the elements with the time of the event or of its order.
var whens = map[string]string{
	"Encounter": "period.start", "Condition": "onsetDateTime", "Observation": "effectiveDateTime", "ServiceRequest": "authoredOn",
	"DiagnosticReport": "effectiveDateTime", "ImagingStudy": "started", "MedicationRequest": "authoredOn", "Immunization": "occurrenceDateTime",
	"SupplyRequest": "authoredOn", "QuestionnaireResponse": "authored", "ResearchSubject": "period.start",
}

// textAt returns the text at a path of names.
func textAt(v document.Value, path string) string {
	for name := range strings.SplitSeq(path, ".") {
		v = v.Get(name)
	}
	return v.Text()
}

// present is the present of the generated data.
const present = "2025-01-01T00:00:00Z"

// TestPopulationLaws checks the laws of a coherent history.
func TestPopulationLaws(t *testing.T) {
	t.Parallel()
	patients := many(1500)
	p := population(t, synth.PopulationOptions{Seed: 77, Patients: uint64(patients)})
	have := map[string]string{} // types of the resources so far
	groups := map[string]bool{} // groups referred to before they are written
	times := map[string]int{}   // resources with a time, by type
	all := 0
	for patient := range uint64(patients) {
		text, _ := p.Append(nil, synth.NDJSON, patient)
		var own []record
		for line := range bytes.Lines(text) {
			root := parse(t, line)
			r := record{typ: root.Get("resourceType").Text(), root: root}
			r.name = r.typ + "/" + root.Get("id").Text()
			r.at = textAt(root, whens[r.typ])
			if have[r.name] != "" {
				t.Errorf("%s is there twice", r.name)
			}
			have[r.name] = r.typ
			if url := textAt(root, "url"); url != "" {
				have[url] = r.typ
			}
			own = append(own, r)
			all++
			if r.at != "" {
				times[r.typ]++
			}
		}
		id := fmt.Sprintf("77-%d", patient)
		for i := range own {
			for _, to := range referencesOf(own[i].root, nil) {
				to, _, _ = strings.Cut(to, "|")
				switch typ, _, _ := strings.Cut(to, "/"); {
				case typ == "Group":
					groups[to] = true
				case have[to] == "":
					t.Errorf("%s refers to %s, which is not there", own[i].name, to)
				}
			}
		}
		history(t, id, own)
		if t.Failed() {
			t.FailNow()
		}
	}
	for group := range groups {
		if have[group] == "" {
			t.Errorf("there is no %s", group)
		}
	}
	if each := float64(all) / float64(patients); each < 20 || each > 32 && !testing.Short() { // fewer share more
		t.Errorf("%.1f resources a patient", each)
	}
	for typ := range whens {
		if times[typ] < patients/50 {
			t.Errorf("%d of %s have a time", times[typ], typ)
		}
	}
}

// history checks the resources of one patient and the shared ones before it.
func history(t *testing.T, id string, own []record) {
	patient := slices.IndexFunc(own, func(r record) bool { return r.name == "Patient/"+id })
	born, died := textAt(own[patient].root, "birthDate"), textAt(own[patient].root, "deceasedDateTime")
	end := present
	if died != "" {
		end = died
	}
	byName := map[string]*record{}
	last := ""
	for i := patient; i < len(own); i++ {
		r := &own[i]
		byName[r.name] = r
		if !strings.HasPrefix(textAt(r.root, "id"), id+"-") {
			continue
		}
		if r.at != "" {
			if r.at < last {
				t.Errorf("%s: %s comes after %s", r.name, r.at, last)
			}
			last = r.at
		}
		within(t, r.name, r.root, born, end)
	}
	for i := patient; i < len(own); i++ {
		course(t, &own[i], byName, end)
	}
}

// later are elements that may lie in the future or in the distant past.
var later = []string{
	"meta", "expirationDate", "manufactureDate", "occurrenceDateTime", "occurrencePeriod", "occurrenceTiming", "validityPeriod", "birthDate", "item", "udiCarrier",
	"statusHistory", "boundsPeriod",
}

// within checks that every time in a resource lies in the life of the patient.
func within(t *testing.T, name string, v document.Value, born, end string) {
	for child := range v.Children() {
		if slices.Contains(later, child.Name()) && (child.Name() != "occurrenceDateTime" || !strings.HasPrefix(name, "Immunization")) {
			continue
		}
		if child.Kind() == document.String {
			text := child.Text()
			if len(text) < 10 || text[4] != '-' || text[7] != '-' || strings.Trim(text[:10], "0123456789-") != "" || !strings.HasPrefix(text, "19") && !strings.HasPrefix(text, "20") {
				continue
			}
			if text[:10] < born || text > end || len(text) == 10 && text > end[:10] {
				t.Errorf("%s: %s is %s, and the life from %s to %s", name, child.Path(""), text, born, end)
			}
			continue
		}
		within(t, name, child, born, end)
	}
}

// course checks the order of events within encounters, illnesses, requests and reports.
func course(t *testing.T, r *record, byName map[string]*record, end string) {
	if in := byName[textAt(r.root, "encounter.reference")]; in != nil {
		start, stop := textAt(in.root, "period.start"), textAt(in.root, "period.end")
		if stop == "" {
			stop = end
		}
		if r.at != "" && (r.at < start || r.at > stop) {
			t.Errorf("%s is of %s, %s from %s to %s", r.name, r.at, in.name, start, stop)
		}
	} else if whens[r.typ] != "" && r.typ != "Encounter" && r.typ != "ResearchSubject" && r.typ != "SupplyRequest" && r.typ != "ImagingStudy" {
		t.Errorf("%s has no encounter", r.name)
	}
	if start, stop := textAt(r.root, "period.start"), textAt(r.root, "period.end"); stop != "" && stop < start {
		t.Errorf("%s ends %s, before it begins %s", r.name, stop, start)
	}
	switch r.typ {
	case "Encounter":
		if status := textAt(r.root, "status"); status != "finished" && (status != "in-progress" || end != present) {
			t.Errorf("%s is %s", r.name, status)
		}
	case "Condition":
		onset, over := r.at, textAt(r.root, "abatementDateTime")
		if over != "" && onset != "" && over <= onset {
			t.Errorf("%s ends %s, it began %s", r.name, over, onset)
		}
	case "Observation", "DiagnosticReport":
		if issued := textAt(r.root, "issued"); issued < r.at {
			t.Errorf("%s is issued %s, %s", r.name, issued, r.at)
		}
	}
	for basis := range r.root.Get("basedOn").Items() {
		request := byName[textAt(basis, "reference")]
		if request == nil || request.typ != "ServiceRequest" || r.at < request.at {
			t.Errorf("%s is based on %s", r.name, textAt(basis, "reference"))
		}
	}
	for result := range r.root.Get("result").Items() {
		o := byName[textAt(result, "reference")]
		if o == nil || o.typ != "Observation" || o.at > r.at || textAt(o.root, "issued") > textAt(r.root, "issued") {
			t.Errorf("%s has the result %s", r.name, textAt(result, "reference"))
		} else if textAt(o.root.Get("basedOn").Index(0), "reference") != textAt(r.root.Get("basedOn").Index(0), "reference") {
			t.Errorf("%s and its result %s are of other requests", r.name, o.name)
		}
	}
}
