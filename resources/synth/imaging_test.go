package synth_test

import (
	"regexp"
	"strings"
	"testing"

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
