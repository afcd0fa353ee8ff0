package bulk_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/bulk"
)

// TestXML reads a folder with resources in XML and JSON, and with XML of another kind.
func TestXML(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"a.xml":     `<Patient xmlns="http://hl7.org/fhir"><id value="a"/><gender value="x"/></Patient>`,
		"b.XML":     `<Bundle xmlns="http://hl7.org/fhir"><type value="collection"/><entry><resource><Patient><id value="b"/></Patient></resource></entry></Bundle>`,
		"c.json":    `{"resourceType":"Patient","id":"c"}`,
		"d.xml":     "<Patient xmlns='http://hl7.org/fhir'>\n <gendre/></Patient>",
		"other.xml": `<ClaML version="2.0.0"/>`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found := map[string]string{}
	visit := func(j bulk.Judgement) {
		text := ""
		if j.Err != nil {
			text = j.Err.Error()
		}
		for _, is := range j.Issues {
			text += is.R4().Diagnostics
		}
		found[filepath.Base(j.File)] = text
	}
	sum, err := bulk.Check(t.Context(), judge(), []string{folder}, bulk.Options{}, visit)
	if err != nil || sum.Files != 4 || sum.Resources != 4 || sum.Failed != 2 {
		t.Errorf("%+v, %v", sum, err)
	}
	if text := found["a.xml"]; !strings.Contains(text, `"x" is not one of`) || strings.Contains(text, "line") {
		t.Errorf("a.xml: %s", text)
	}
	if text := found["d.xml"]; !strings.Contains(text, "line 2, column 2: Patient.gendre: unknown element") {
		t.Errorf("d.xml: %s", text)
	}
	// A file that is named is not skipped.
	if _, err := bulk.Check(t.Context(), judge(), []string{filepath.Join(folder, "other.xml")}, bulk.Options{}, visit); err != nil || !strings.Contains(found["other.xml"], "namespace") {
		t.Errorf("other.xml: %v, %s", err, found["other.xml"])
	}
	files, err := bulk.Each(t.Context(), []string{filepath.Join(folder, "b.XML")}, bulk.Options{}, func(f bulk.Found) error {
		if !f.XML || f.Err != nil || f.Document.ResourceType() != "Bundle" {
			t.Errorf("%+v", f)
		}
		return nil
	})
	if files != 1 || err != nil {
		t.Error(files, err)
	}
}
