package backend

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestValidateProfiles checks files against the profiles of a package, with and without value sets.
func TestValidateProfiles(t *testing.T) {
	const (
		pkg = "../../resources/profile/testdata/package.ndjson"
		url = "http://example.org/fhir/StructureDefinition/organization"
	)
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	all, err := os.ReadFile(pkg)
	if err != nil {
		t.Fatal(err)
	}
	var definitions []string
	for line := range strings.Lines(string(all)) {
		if strings.Contains(line, `"StructureDefinition"`) {
			definitions = append(definitions, strings.TrimSpace(line))
		}
	}
	alone := file("definitions.ndjson", strings.Join(definitions, "\n"))
	bundled := file("bundle.json", `{"resourceType":"Bundle","type":"collection","entry":[{"resource":`+strings.Join(definitions, `},{"resource":`)+`}]}`)
	bad := file("bad.json", `{"resourceType":"Organization","identifier":[{"value":"1"}]}`)
	grouped := file("person.json", `{"resourceType":"Patient","maritalStatus":{"text":"m"}}`)
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{bad}, 0, "0 with errors"},
		{[]string{bad, "--profile", url}, 0, "is not checked: the profile is not known"},
		{[]string{bad, "--profile", url, "--load", pkg}, 1, "Organization.name"},
		{[]string{bad, "--profile", url, "--load", alone}, 1, "Organization.name"},
		{[]string{bad, "--profile", url, "--load", bundled}, 1, "Organization.name"},
		{[]string{grouped, "--profile", strings.Replace(url, "organization", "patient", 1), "--load", pkg}, 1, "there is no code of the value set"},
		{[]string{bad, "--profile", url, "--load", folder + "/none"}, 3, "no such file"},
	} {
		code, out, errs := cli(t, append([]string{"validate"}, test.args...)...)
		if code != test.code || !strings.Contains(out+errs, test.want) {
			t.Errorf("%s: exit code %d, want %d; no %q in\n%s%s", strings.Join(test.args, " "), code, test.code, test.want, out, errs)
		}
	}
}
