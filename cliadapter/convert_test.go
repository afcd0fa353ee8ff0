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

// TestClassify classifies files, with every form of the output.
func TestClassify(t *testing.T) {
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const terms = "format-version: 1.2\n[Term]\nid: X:1\nname: a\tfinding\n[Term]\nid: X:2\nname: of the heart\nintersection_of: X:1\nintersection_of: site X:5\n" +
		"[Term]\nid: X:3\nis_a: X:1\nrelationship: site X:6\n[Term]\nid: X:6\nis_a: X:5\n[Term]\nid: X:4\nequivalent_to: X:3\n"
	good := file("a.obo", terms)
	bad := file("b.obo", terms+"disjoint_from: X:6\nis_a: X:6\nunion_of: X:7\nunion_of: X:8\n")
	owl := file("c.ofn", "SubClassOf(:1 :2)\nSubClassOf(:1 :2")
	for _, row := range []struct {
		line string
		code int
		want string // of the output, or of the errors if it begins with !
	}{
		{good, 0, "RELATION    CODE  DISPLAY  OTHER  DISPLAY\nbelow       X:3            X:2    of the heart\nequivalent  X:3            X:4\n" +
			"6 classes; direct parents that follow and were not stated: 1 of 3; sets of equivalent classes: 1; unsatisfiable: 0\n"},
		{good + " -o tsv", 0, "relation\tcode\tdisplay\tother\totherDisplay\nbelow\tX:3\t\tX:2\tof the heart\nequivalent\tX:3\t\tX:4\t\n"},
		{good + " -o tsv --all", 0, "\nbelow\tX:2\tof the heart\tX:1\ta finding\n"},
		{good + " -o json", 0, `{"classes":6,"parents":3,"below":[[{"code":"X:3"},{"code":"X:2","display":"of the heart"}]],"equivalent":[[{"code":"X:3"},{"code":"X:4"}]]}` + "\n"},
		{good + " -o rf2", 0, "\r\n\t\t1\t\tX:4\tX:2\t0\t116680003\t900000000000011006\t900000000000451002\r\n"},
		{bad, 1, "\nunsatisfiable  X:3\nunsatisfiable  X:4\nunsatisfiable  X:7\nunsatisfiable  X:8\n"},
		{bad + " -o json", 1, `"unsatisfiable":[{"code":"X:3"},{"code":"X:4"},{"code":"X:7"},{"code":"X:8"}],"ignored":{"union_of":1}}`},
		{bad, 1, "!roget: warning: left out, because they are beyond OWL 2 EL, are axioms with union_of (1)\n"},
		{owl, 3, "!c.ofn: line 2, column 17: expected \")\", found the end\n"},
		{file("d.csv", "a,b\n"), 3, "!RF2 with an OWL expression reference set, OBO"},
		{folder, 3, "!there is no OWL expression reference set"},
		{"https://example.org/x.obo", 2, "!is a URL"},
	} {
		code, out, errs := run(t, &absent{}, nil, append([]string{"classify"}, strings.Fields(row.line)...)...)
		text, wrong := strings.CutPrefix(row.want, "!")
		if wrong {
			out = errs
		}
		if code != row.code || !strings.Contains(out, text) {
			t.Errorf("%s: exit code %d\n%s%s\nwant %d\n%s", row.line, code, out, errs, row.code, text)
		}
	}
}
