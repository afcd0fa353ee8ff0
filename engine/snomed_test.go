package engine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

const (
	sct           = "http://snomed.info/sct"
	international = sct + "/900000000000207008"
	national      = sct + "/731000124108"
)

// edition is a release of a SNOMED CT of a few concepts, the root of which tells the
// version in its display.
func edition(t testing.TB, version string) *codesystem.Index {
	return build(t, r4.CodeSystem{Header: r4.Header{URL: sct, Version: version, Name: "SNOMED_CT", Title: "SNOMED CT"}, Content: "complete"},
		c{code: "138875005", display: "Root of " + version},
		c{code: "404684003", display: "Clinical finding", parents: parents("138875005")},
		c{code: "64572001", display: "Disease", parents: parents("404684003")},
		c{code: "71388002", display: "Procedure", parents: parents("138875005")},
	)
}

// TestEditions checks which release of which edition answers.
func TestEditions(t *testing.T) {
	e := engine.New()
	for _, version := range []string{
		national + "/version/20250301", international + "/version/20240101", international + "/version/20250101",
		"http://snomed.info/xsct/900000000000207008/version/20260101", national + "/version/20250101",
	} {
		publish(t, e, engine.CodeSystemEntry(edition(t, version), "test"))
	}
	for _, tt := range []struct {
		version, want string
	}{
		{"", international + "/version/20250101"},
		{international, international + "/version/20250101"},
		{national, national + "/version/20250301"},
		{national + "/version/20250101", national + "/version/20250101"},
		{"20240101", international + "/version/20240101"},
		{"20250301", national + "/version/20250301"},
		{"20250101", ""}, // of two editions
		{"20230101", ""},
		{"http://snomed.info/xsct", "http://snomed.info/xsct/900000000000207008/version/20260101"},
		{"http://snomed.info/xsct/900000000000207008", "http://snomed.info/xsct/900000000000207008/version/20260101"},
		{sct + "/32506021000036107", ""},
		{international + "/version/2025", ""},
	} {
		r, err := e.Lookup(context.Background(), &engine.LookupRequest{System: sct, Version: tt.version, Code: "138875005"})
		if tt.want == "" {
			if !errors.Is(err, engine.ErrUnknownVersion) {
				t.Errorf("version %q: %v", tt.version, err)
			}
			continue
		}
		if err != nil || r.Display != "Root of "+tt.want {
			t.Errorf("version %q: %q %v", tt.version, r.Display, err)
		}
	}
}

// TestImplicitEditions checks implicit value sets of editions and releases.
func TestImplicitEditions(t *testing.T) {
	e := engine.New()
	for _, version := range []string{international + "/version/20240101", international + "/version/20250101", national + "/version/20250301"} {
		publish(t, e, engine.CodeSystemEntry(edition(t, version), "test"))
	}
	for _, tt := range []struct {
		url, version string // of the root
		total        int
		err          error
	}{
		{sct + "?fhir_vs", international + "/version/20250101", 4, nil},
		{sct + "?fhir_vs=isa/138875005", international + "/version/20250101", 4, nil},
		{international + "?fhir_vs=isa/138875005", international + "/version/20250101", 4, nil},
		{international + "/version/20240101?fhir_vs=isa/138875005", international + "/version/20240101", 4, nil},
		{national + "?fhir_vs=isa/138875005", national + "/version/20250301", 4, nil},
		{sct + "?fhir_vs=isa/138875005|" + national, national + "/version/20250301", 4, nil},
		{sct + "?fhir_vs=isa/138875005|20240101", international + "/version/20240101", 4, nil},
		{international + "?fhir_vs|" + international + "/version/20240101", international + "/version/20240101", 4, nil},
		{international + "/version/20240101?fhir_vs|" + international, international + "/version/20240101", 4, nil},
		{international + "?fhir_vs|" + national, "", 0, engine.ErrInvalidParameter},
		{sct + "/32506021000036107?fhir_vs", "", 0, engine.ErrUnknownVersion},
		{sct + "?fhir_vs=none/1", "", 0, engine.ErrUnknownValueSet},
		{sct + "?fhir_vs=isa/", "", 0, engine.ErrUnknownValueSet},
	} {
		for range 2 { // evaluated, and kept
			r, err := e.Expand(context.Background(), &engine.ExpandRequest{URL: tt.url})
			if !errors.Is(err, tt.err) {
				t.Errorf("%s: %v", tt.url, err)
			}
			if err != nil {
				continue
			}
			root := r.Entries[0]
			if r.Total != tt.total || root.Display != "Root of "+tt.version || root.Version != tt.version {
				t.Errorf("%s: %d codes, the first %+v", tt.url, r.Total, root)
			}
		}
	}
}
