package synth_test

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/synth"
)

type study struct {
	Status     string
	Identifier []struct{ System, Value string }
	Modality   []struct{ System, Code string }

	NumberOfSeries, NumberOfInstances int
	Series                            []struct {
		UID               string
		Number            int
		Modality          struct{ Code string }
		NumberOfInstances int
		Instance          []struct {
			UID      string
			Number   int
			SopClass struct{ Code string }
		}
	}
}

// oid is the pattern of OIDs: arcs without leading zeros, at most 64 characters in DICOM.
var oid = regexp.MustCompile(`^[0-2](\.(0|[1-9][0-9]*))+$`)

// Studies have as many series and instances as they declare, each with a unique OID.
func TestImagingStudies(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	unique := func(n int, uid string) {
		if !oid.MatchString(uid) || len(uid) > 64 || seen[uid] {
			t.Errorf("%d: UID %q: twice, or no OID", n, uid)
		}
		seen[uid] = true
	}
	each(t, "ImagingStudy", synth.Options{Seed: 3}, 2000, func(n int, body []byte) {
		var s study
		decode(t, body, &s)
		root, ok := strings.CutPrefix(s.Identifier[0].Value, "urn:oid:")
		if !ok || s.Identifier[0].System != "urn:dicom:uid" {
			t.Errorf("%d: identifier %v", n, s.Identifier[0])
		}
		unique(n, root)
		instances := 0
		for i, series := range s.Series {
			unique(n, series.UID)
			instances += len(series.Instance)
			if series.Number != i+1 || series.NumberOfInstances != len(series.Instance) || series.NumberOfInstances == 0 || series.Modality.Code != s.Modality[0].Code {
				t.Errorf("%d: series %d: %+v", n, i, series)
			}
			for j, instance := range series.Instance {
				unique(n, instance.UID)
				class, ok := strings.CutPrefix(instance.SopClass.Code, "urn:oid:")
				if !ok || !oid.MatchString(class) || instance.Number != j+1 {
					t.Errorf("%d: instance %+v", n, instance)
				}
			}
		}
		if s.NumberOfSeries != len(s.Series) || s.NumberOfInstances != instances {
			t.Errorf("%d: %d series and %d instances, not %d and %d", n, len(s.Series), instances, s.NumberOfSeries, s.NumberOfInstances)
		}
		if none := s.Status == "registered" || s.Status == "cancelled"; none != (len(s.Series) == 0) {
			t.Errorf("%d: %s with %d series", n, s.Status, len(s.Series))
		}
	})
}

// Studies have the requested number of series and the requested modality.
func TestImagingOptions(t *testing.T) {
	o := synth.Options{Seed: 3, Values: map[string]string{"series": "7", "modality": "MG"}}
	each(t, "ImagingStudy", o, 200, func(n int, body []byte) {
		var s study
		decode(t, body, &s)
		if len(s.Series) != 7 && len(s.Series) != 0 || s.Modality[0].Code != "MG" {
			t.Errorf("%d: %d series of %s", n, len(s.Series), s.Modality[0].Code)
		}
	})
}

var humanReadable = regexp.MustCompile(`^\(01\)(\d{14})\(11\)(\d{6})\(17\)(\d{6})\(10\)(\w{1,20})\(21\)(\w{1,20})$`)

// shortDate returns the date of a dateTime in the GS1 format.
func shortDate(t *testing.T, text string) string {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at.Format("060102")
}

// The device identifier is a GTIN with a correct check digit, and the human-readable form
// consists of it and of the dates and numbers of the device.
func TestUDI(t *testing.T) {
	codes := 0
	each(t, "Device", synth.Options{Seed: 5}, 500, func(n int, body []byte) {
		root := parse(t, body)
		carrier := root.Get("udiCarrier").Index(0)
		parts := humanReadable.FindStringSubmatch(carrier.Get("carrierHRF").Text())
		if parts == nil {
			t.Fatalf("%d: %s", n, carrier.Get("carrierHRF").Text())
		}
		sum := 0
		for i, digit := range parts[1] {
			sum += int(digit-'0') * (3 - i%2*2) // weights 3, 1, 3, …, and 1 for the last of 14 digits
		}
		if sum%10 != 0 {
			t.Errorf("%d: the check digit of %s is wrong", n, parts[1])
		}
		want := []string{
			carrier.Get("deviceIdentifier").Text(), shortDate(t, root.Get("manufactureDate").Text()), shortDate(t, root.Get("expirationDate").Text()),
			root.Get("lotNumber").Text(), root.Get("serialNumber").Text(),
		}
		if got := parts[1:]; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%d: %v is not made of %v", n, got, want)
		}
		if coded := carrier.Get("carrierAIDC"); coded.Kind() == document.String {
			raw, err := base64.StdEncoding.DecodeString(coded.Text())
			if want := fmt.Sprintf("01%s11%s17%s10%s\x1d21%s", parts[1], parts[2], parts[3], parts[4], parts[5]); err != nil || string(raw) != want {
				t.Errorf("%d: %q, not %q: %v", n, raw, want, err)
			}
			codes++
		}
		if made, ends := root.Get("manufactureDate").Text(), root.Get("expirationDate").Text(); strings.Compare(made, ends) >= 0 {
			t.Errorf("%d: made %s, good until %s", n, made, ends)
		}
	})
	if codes == 0 {
		t.Error("no carrierAIDC in 500 devices")
	}
}

type report struct {
	Status                    string
	Category, ConclusionCode  []concept
	Code                      concept
	EffectiveDateTime, Issued time.Time
	Result                    []struct{ Reference string }
	Conclusion                string
}

// Each variant of reports has its category and codes, and occurs with its weight: chi-square over
// 10,000 reports with 4 degrees of freedom (1 in 10,000 seeds exceeds 23.5 by chance).
func TestReportVariants(t *testing.T) {
	t.Parallel()
	categories := []string{"LAB", "RAD", "PAT", "CUS", "NRS"}
	variants := []string{"lab-panel", "radiology", "pathology", "cardiac-ultrasound", "nursing"}
	of := map[string]string{} // category by code
	for n, variant := range variants {
		each(t, "DiagnosticReport", synth.Options{Seed: 3, Values: map[string]string{"variant": variant}}, 500, func(_ int, body []byte) {
			var r report
			decode(t, body, &r)
			code, category := r.Code.code(), r.Category[0].code()
			if category != categories[n] || of[code] != "" && of[code] != category {
				t.Errorf("%s: %s of %s, and of %q", variant, code, category, of[code])
			}
			of[code] = category
		})
	}
	counts := make([]int, len(categories))
	each(t, "DiagnosticReport", synth.Options{Seed: 3}, 10_000, func(n int, body []byte) {
		var r report
		decode(t, body, &r)
		category := r.Category[0].code()
		if category != of[r.Code.code()] {
			t.Errorf("%d: %s of %s", n, r.Code.code(), category)
		}
		counts[slices.Index(categories, category)]++
	})
	if x := synth.ChiSquare(counts, []int{50, 25, 13, 7, 5}); x > 23.5 {
		t.Errorf("chi-square %.1f: %v", x, counts)
	}
}

// Reports are issued after the examination. Registered ones have no conclusion yet. Results are
// observations of the report's category.
func TestReports(t *testing.T) {
	t.Parallel()
	categories := map[string]string{"LAB": "laboratory", "NRS": "vital-signs"}
	results := 0
	each(t, "DiagnosticReport", synth.Options{Seed: 3}, 3000, func(n int, body []byte) {
		var r report
		decode(t, body, &r)
		if !r.Issued.After(r.EffectiveDateTime) || r.Issued.After(asOf) {
			t.Errorf("%d: effective %v, issued %v", n, r.EffectiveDateTime, r.Issued)
		}
		if r.Status == "registered" && (r.Conclusion != "" || len(r.ConclusionCode)+len(r.Result) > 0) {
			t.Errorf("%d: registered, and concludes %q", n, r.Conclusion)
		}
		if (r.Status == "final" || r.Status == "amended") && (r.Conclusion == "" || len(r.ConclusionCode) != 1) {
			t.Errorf("%d: %s without a conclusion", n, r.Status)
		}
		for range r.Result {
			var o struct{ Category []concept }
			decode(t, numbered(t, "Observation", 3, n), &o)
			if results++; o.Category[0].code() != categories[r.Category[0].code()] {
				t.Errorf("%d: %s with a result of %s", n, r.Category[0].code(), o.Category[0].code())
			}
		}
	})
	if results == 0 {
		t.Error("there are no results")
	}
}
