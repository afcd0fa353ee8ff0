package synth_test

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"image/png"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/synth"
)

var (
	fictional = regexp.MustCompile(`^\+1-[2-9][0-8][02-9]-555-01\d\d$`)
	mailbox   = regexp.MustCompile(`^([a-z0-9]+\.){0,2}\d+@example\.org$`)
)

// asOf is the present of the generated data.
var asOf = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

// dateOf returns the date in a date or dateTime member.
func dateOf(t *testing.T, v document.Value) time.Time {
	t.Helper()
	at, err := time.Parse(time.DateOnly, v.Text()[:min(10, len(v.Text()))])
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// Contact data reaches nobody: telephone numbers are reserved for fiction, and mail goes to
// example.org.
func TestContactPoints(t *testing.T) {
	for _, typ := range []string{"Patient", "RelatedPerson", "Practitioner", "Organization", "Location", "HealthcareService", "OrganizationAffiliation"} {
		each(t, typ, synth.Options{Seed: 2}, 500, func(n int, body []byte) {
			systems := map[string]int{}
			for _, path := range []string{"telecom", "contact.telecom"} {
				at(parse(t, body), path, func(point document.Value) {
					system, value := point.Get("system").Text(), point.Get("value").Text()
					systems[system]++
					good := fictional.MatchString(value)
					switch system {
					case "email":
						good = mailbox.MatchString(value)
					case "url":
						good = value[:20] == "https://example.org/"
					}
					if !good {
						t.Errorf("%s %d: %s %s", typ, n, system, value)
					}
				})
			}
			if systems["phone"] == 0 {
				t.Errorf("%s %d: no telephone", typ, n)
			}
		})
	}
}

// Patients are born before they die, children are not married, and replaced records are inactive.
func TestLives(t *testing.T) {
	dead, children, languages := 0, 0, map[string]int{}
	each(t, "Patient", synth.Options{Seed: 2}, 5000, func(n int, body []byte) {
		root := parse(t, body)
		born := dateOf(t, root.Get("birthDate"))
		if !born.Before(asOf.AddDate(0, 0, -30)) || born.Before(asOf.AddDate(-100, 0, 0)) {
			t.Errorf("%d: born %v", n, born)
		}
		gone := root.Get("deceasedBoolean").Is("true") || root.Get("deceasedBoolean").Text() == "true"
		if v := root.Get("deceasedDateTime"); v.Exists() {
			died := dateOf(t, v)
			if gone = true; died.Before(born.AddDate(1, 0, 0)) || !died.Before(asOf) {
				t.Errorf("%d: born %v, died %v", n, born, died)
			}
		}
		if gone {
			dead++
			if root.Get("active").Text() == "true" {
				t.Errorf("%d: dead and active", n)
			}
		}
		at(root, "link.type", func(v document.Value) {
			if v.Is("replaced-by") && root.Get("active").Text() == "true" {
				t.Errorf("%d: replaced and active", n)
			}
		})
		if born.After(asOf.AddDate(-18, 0, 0)) {
			children++
			codesOf(root, "maritalStatus", func(code string) {
				if code != "S" {
					t.Errorf("%d: born %v, marital status %s", n, born, code)
				}
			})
		}
		codesOf(root, "communication.language", func(code string) { languages[code]++ })
	})
	if dead < 200 || dead > 1000 || children < 500 || len(languages) != 11 {
		t.Errorf("of 5,000 %d are dead and %d are children; languages %v", dead, children, languages)
	}
}

// Pictures have the declared content type.
func TestPhotos(t *testing.T) {
	kinds := map[string]int{}
	each(t, "Patient", synth.Options{Seed: 2}, 1000, func(n int, body []byte) {
		at(parse(t, body), "photo", func(photo document.Value) {
			data, err := base64.StdEncoding.DecodeString(photo.Get("data").Text())
			if err != nil {
				t.Fatal(err)
			}
			kind := photo.Get("contentType").Text()
			switch kinds[kind]++; kind {
			case "image/png":
				_, err = png.Decode(bytes.NewReader(data))
			case "image/svg+xml":
				var svg struct {
					XMLName xml.Name `xml:"http://www.w3.org/2000/svg svg"`
				}
				err = xml.Unmarshal(data, &svg)
			}
			if err != nil {
				t.Errorf("%d: %s: %v", n, kind, err)
			}
		})
	})
	if len(kinds) != 2 || kinds["image/png"] == 0 || kinds["image/svg+xml"] == 0 {
		t.Errorf("%v", kinds)
	}
}

// Children are younger than their parents, spouses are adults, and the sex agrees with the
// relationship, also for patients of whom nothing is known.
func TestRelatives(t *testing.T) {
	t.Parallel()
	born, single := map[string]time.Time{}, map[string]bool{}
	each(t, "Patient", synth.Options{Seed: 2}, 3000, func(_ int, body []byte) {
		root := parse(t, body)
		patient := "Patient/" + root.Get("id").Text()
		born[patient] = dateOf(t, root.Get("birthDate"))
		codesOf(root, "maritalStatus", func(code string) { single[patient] = strings.Contains("ADISUW", code) })
	})
	words := []struct {
		codes  []string
		gender string
		years  [2]int // older than the patient by
	}{
		{[]string{"FTH", "NFTH", "STPFTH"}, "male", [2]int{15, 43}},
		{[]string{"PRN", "MTH", "NPRN", "NMTH", "STPPRN", "STPMTH"}, "", [2]int{15, 43}},
		{[]string{"DAU", "DAUC", "DAUADOPT", "DAUFOST", "STPDAU"}, "female", [2]int{-43, -15}},
		{[]string{"CHILD", "SON", "NCHILD", "STPSON"}, "", [2]int{-43, -15}},
		{[]string{"HUSB"}, "male", [2]int{-9, 9}},
		{[]string{"SIS", "HSIS", "STPSIS"}, "female", [2]int{-11, 11}},
	}
	seen := map[string]int{}
	for _, o := range []synth.Options{{Seed: 2}, {Seed: 2, Values: map[string]string{"patient_ref": "Patient/x"}}} {
		each(t, "RelatedPerson", o, 3000, func(n int, body []byte) {
			root := parse(t, body)
			date := dateOf(t, root.Get("birthDate"))
			if date.After(asOf.AddDate(0, 0, -30)) {
				t.Errorf("%d: born %v", n, date)
			}
			of := root.Get("patient").Get("reference").Text()
			patient, known := born[of]
			codesOf(root, "relationship", func(code string) {
				for _, w := range words {
					if !slices.Contains(w.codes, code) {
						continue
					}
					seen[code]++
					if gender := root.Get("gender").Text(); w.gender != "" && gender != w.gender && gender != "other" && gender != "unknown" {
						t.Errorf("%d: %s is %s", n, code, gender)
					}
					if known && (date.Before(patient.AddDate(-w.years[1], 0, 0)) || date.After(patient.AddDate(-w.years[0], 0, 0))) {
						t.Errorf("%d: the patient is born %v, %s %v", n, patient, code, date)
					}
				}
				if single[of] && slices.Contains([]string{"SPS", "HUSB", "WIFE", "DOMPART"}, code) {
					t.Errorf("%d: %s of somebody who has none", n, code)
				}
				if code == "HUSB" && date.After(asOf.AddDate(-18, 0, 0)) {
					t.Errorf("%d: a husband is born %v", n, date)
				}
			})
		})
	}
	for _, w := range words {
		for _, code := range w.codes {
			if seen[code] == 0 {
				t.Errorf("%s is never drawn", code)
			}
		}
	}
}

// Events of a patient lie within the patient's life.
func TestInLife(t *testing.T) {
	t.Parallel()
	type life struct{ born, died time.Time }
	lives := map[string]life{}
	each(t, "Patient", synth.Options{Seed: 2}, many(3000), func(_ int, body []byte) {
		root := parse(t, body)
		l := life{dateOf(t, root.Get("birthDate")), asOf}
		if v := root.Get("deceasedDateTime"); v.Exists() {
			l.died = dateOf(t, v)
		}
		lives["Patient/"+root.Get("id").Text()] = l
	})
	late := 0
	for _, row := range []struct{ typ, subject, elements string }{
		{"Condition", "subject", "recordedDate onsetDateTime abatementDateTime"},
		{"SupplyRequest", "deliverTo", "authoredOn"},
		{"Device", "patient", "note.time"},
		{"RelatedPerson", "patient", "period.start period.end"},
		{"Encounter", "subject", "period.start period.end"},
		{"Observation", "subject", "effectiveDateTime issued"},
		{"DiagnosticReport", "subject", "effectiveDateTime issued"},
		{"MedicationRequest", "subject", "authoredOn"},
		{"ServiceRequest", "subject", "authoredOn"},
		{"Immunization", "patient", "occurrenceDateTime"},
		{"ImagingStudy", "subject", "started"},
		{"QuestionnaireResponse", "subject", "authored"},
		{"ResearchSubject", "individual", "period.start period.end"},
	} {
		each(t, row.typ, synth.Options{Seed: 2}, many(3000), func(n int, body []byte) {
			root := parse(t, body)
			l, ok := lives[root.Get(row.subject).Get("reference").Text()]
			if !ok {
				return // delivered to a ward
			}
			for _, element := range strings.Fields(row.elements) {
				at(root, element, func(v document.Value) {
					if when := dateOf(t, v); when.Before(l.born) || when.After(l.died) {
						t.Errorf("%s %d: %s is %v in a life from %v to %v", row.typ, n, element, when, l.born, l.died)
					}
				})
			}
			if l.died != asOf {
				late++
			}
		})
	}
	if late == 0 {
		t.Error("no patient died")
	}
}
