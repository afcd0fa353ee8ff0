package cliadapter

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestConvert converts files and standard input in both directions.
func TestConvert(t *testing.T) {
	const (
		asJSON = `{"resourceType":"Observation","status":"final","valueQuantity":{"value":1.50}}`
		asXML  = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<Observation xmlns="http://hl7.org/fhir"><status value="final"/><valueQuantity><value value="1.50"/></valueQuantity></Observation>`
	)
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	json, xml, two := file("a.json", asJSON), file("b.xml", asXML), file("c.ndjson", asJSON+"\n"+asJSON+"\n")
	for _, row := range []struct {
		stdin, line string
		code        int
		want        string
	}{
		{"", json, 0, asXML + "\n"},
		{"", xml, 0, asJSON + "\n"},
		{"", json + " -o json", 0, asJSON + "\n"},
		{"", xml + " --output xml", 0, asXML + "\n"},
		{asJSON, "-", 0, asXML + "\n"},
		{asXML, "-", 0, asJSON + "\n"},
		{"", two + " -o json", 0, asJSON + "\n" + asJSON + "\n"},
		{"", two, 2, "XML has one in a document"},
		{"", json + " " + xml, 2, "XML has one in a document"},
		{"", xml + " " + xml, 0, asJSON + "\n" + asJSON + "\n"},
		{"", xml + " -o xml --pretty", 0, "\n  <status value=\"final\"/>\n"},
		{"", xml + " --pretty", 0, "\n  \"status\": \"final\",\n"},
		{`{"resourceType":"Observation","statuss":"final"}`, "-", 3, "Observation.statuss: the resource has no XML form"},
		{strings.Replace(asXML, "status", "statuss", 2), "-", 3, "line 2, column 42: Observation.statuss: unknown element"},
		{"", "-", 3, "found no resource"},
		{"", json + " -o turtle", 2, "json, xml"},
	} {
		code, out, errs := runWith(t, &absent{}, row.stdin, nil, append([]string{"convert"}, strings.Fields(row.line)...)...)
		if code != row.code || code == 0 && !strings.Contains(out, row.want) || code != 0 && (out != "" || !strings.Contains(errs, row.want)) {
			t.Errorf("%s: exit code %d\n%s%s", row.line, code, out, errs)
		}
	}
}
