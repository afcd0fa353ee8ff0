package backend

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Messages name the wrong input and what to type instead.
func TestMessages(t *testing.T) {
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	empty, patient := file("empty.ndjson", ""), file("patient.json", `{"resourceType":"Patient","id":"p"}`)
	nameless := file("nameless.json", strings.Replace(letters, `"url":"http://example.org/letters",`, "", 1))
	loaded := file("letters.json", letters)
	data := filepath.Join(folder, "data")
	if code, _, errs := cli(t, "import", patient, "--data", data); code != 0 {
		t.Fatal(errs)
	}
	const below = "Condition?code:below=http://snomed.info/sct|73211009"
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"search", below, "--data", data}, 3, "SNOMED CT is not loaded: load it with roget load RELEASE.zip --data " + data},
		{[]string{"search", strings.Replace(below, "snomed.info/sct", "example.org/none", 1), "--data", data}, 3, "the code system is not loaded: load it with roget load PATH"},
		{[]string{"lookup", "male"}, 2, "flag --system is missing: the code system to ask; male is a code of http://hl7.org/fhir/administrative-gender"},
		{[]string{"lookup", "a", "--load", loaded}, 2, "a is a code of http://example.org/letters"},
		{[]string{"lookup", "no such code"}, 2, "no code system that is loaded has the code no such code"},
		{[]string{"lookup", "a", "--system", "letters", "--load", nameless}, 3, "what is loaded has no url: letters (nameless.json)"},
		{[]string{"load", "http://example.org/a/x.tgz", "--data", data}, 2, "curl -LO http://example.org/a/x.tgz, then name the file x.tgz"},
		{[]string{"list", "--load", "https://example.org/x.json"}, 2, "https://example.org/x.json is a URL"},
		{[]string{"validate", empty}, 3, "found no resource in " + empty},
		{[]string{"score", patient}, 3, "found no QuestionnaireResponse in " + patient},
		{[]string{"search", "Patient?name=x", "--store", "memory:"}, 2, "--store memory: is empty when a command starts"},
	} {
		code, _, errs := cli(t, tt.args...)
		if code != tt.code || !strings.Contains(errs, tt.want) {
			t.Errorf("roget %s: exit code %d, want %d; no %q in\n%s", strings.Join(tt.args, " "), code, tt.code, tt.want, errs)
		}
	}
}
