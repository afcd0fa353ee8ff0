package fhir

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	xmlSystem = `<?xml version="1.0" encoding="UTF-8"?>
<CodeSystem xmlns="http://hl7.org/fhir">
  <url value="http://a"/>
  <version value="1"/>
  <status value="active"/>
  <content value="complete"/>
  <concept><code value="a1"/></concept>
  <concept><code value="a2"/><concept><code value="a3"/></concept></concept>
</CodeSystem>`
	xmlSet   = `<ValueSet xmlns="http://hl7.org/fhir"><url value="http://v"/><status value="active"/><compose><include><system value="http://a"/></include></compose></ValueSet>`
	xmlOther = `<ClaML version="2.0.0"/>`
)

// TestXML reads resources in XML: alone, compressed, in a Bundle, and in a folder with other XML.
func TestXML(t *testing.T) {
	system := "CodeSystem http://a|1  a1 a2 a3<a2"
	for name, data := range map[string][]byte{
		"plain": []byte(xmlSystem), "gzip": gzipped([]byte(xmlSystem)), "byte order mark": []byte("\xef\xbb\xbf" + xmlSystem),
	} {
		r, err := read(t, data, Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		wantLines(t, r, system)
	}
	bundle := `<Bundle xmlns="http://hl7.org/fhir"><type value="collection"/><entry><resource>` +
		strings.NewReplacer(` xmlns="http://hl7.org/fhir"`, "", `<?xml version="1.0" encoding="UTF-8"?>`, "").Replace(xmlSystem) +
		`</resource></entry></Bundle>`
	r, err := read(t, []byte(bundle), Options{})
	if err != nil {
		t.Fatal(err)
	}
	wantLines(t, r, "CodeSystem http://a|1 Bundle.entry[0] a1 a2 a3<a2")

	folder := t.TempDir()
	for name, text := range map[string]string{"a.xml": xmlSystem, "v.XML": xmlSet, "other.xml": xmlOther, ".hidden.xml": xmlSystem} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var c counts
	if err := Load(t.Context(), folder, Options{}, &c); err != nil || c.systems != 1 || c.concepts != 3 || c.valueSets != 1 {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestXMLErrors reads what is not a resource in XML.
func TestXMLErrors(t *testing.T) {
	for _, row := range []struct {
		text, want string
		limits     Limits
	}{
		{xmlOther, "does not have the namespace of FHIR", Limits{}},
		{strings.Replace(xmlSystem, "<version", "<versio", 1), "line 4, column 3: CodeSystem.versio: unknown element", Limits{}},
		{strings.Replace(xmlSystem, "a3", "a1", 1), `"a1"`, Limits{}},
		{xmlSystem, "more than 100 bytes", Limits{MaxDocument: 100}},
		{`<Patient xmlns="http://hl7.org/fhir"/>`, "", Limits{}},
	} {
		_, err := read(t, []byte(row.text), Options{Limits: row.limits})
		if err == nil || !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), "line 1, column") || row.want == "" && !errors.Is(err, ErrNothing) {
			t.Errorf("%.60s: %v, want %s", row.text, err, row.want)
		}
	}
}
