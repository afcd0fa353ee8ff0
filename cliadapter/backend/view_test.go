package backend

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestView runs views over the store and over files, with codes of files.
func TestView(t *testing.T) {
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	definition := func(more string) string {
		return `{"resource":"Patient","select":[{"column":[{"name":"id","path":"id"},{"name":"g","path":"name.given"}]}]` + more + `}`
	}
	patients := file("patients.ndjson", `{"resourceType":"Patient","id":"1","gender":"male","name":[{"given":["A"]}]}`+"\n"+
		`{"resourceType":"Bundle","type":"collection","entry":[{"resource":{"resourceType":"Patient","id":"2","gender":"female"}}]}`+"\n")
	two := file("two.ndjson", `{"resourceType":"Patient","id":"1","name":[{"given":["A","B"]}]}`)
	plain := file("plain.json", definition(""))
	coded := file("coded.json", definition(`,"where":[{"path":"gender.memberOf('http://example.org/v')"}]`))
	wrong := file("wrong.json", definition(`,"where":[{"path":"gender ="}]`))
	values := file("values.json", `{"resourceType":"ValueSet","url":"http://example.org/v","status":"active","compose":{"include":[{"system":"http://hl7.org/fhir/administrative-gender","concept":[{"code":"female"}]}]}}`)
	data := filepath.Join(folder, "data")
	if code, out, errs := cli(t, "import", patients, "--data", data); code != 0 {
		t.Fatal(out, errs)
	}
	for _, test := range []struct {
		args string
		code int
		want string
	}{
		{plain + " --data " + data, 0, "id,g\n1,A\n2,\n"},
		{plain + " --data " + data + " --limit 1 --no-header", 0, "1,A\n"},
		{plain + " " + patients + " -o ndjson", 0, "{\"id\":\"1\",\"g\":\"A\"}\n{\"id\":\"2\",\"g\":null}\n"},
		{coded + " " + patients + " --load " + values, 0, "id,g\n2,\n"},
		{coded + " --data " + data + " --load " + values + " -o json", 0, "[{\"id\":\"2\",\"g\":null}]\n"},
		{coded + " --data " + data, 3, "ViewDefinition.where[0].path: "},
		{wrong + " " + patients, 3, wrong + ": ViewDefinition.where[0].path: "},
		{plain + " " + two, 3, " Patient/1"},
		{plain + " " + wrong + "x", 3, "wrong.jsonx"},
		{plain + " --limit x", 2, "--limit"},
	} {
		code, out, errs := cli(t, append([]string{"view", "-q"}, strings.Fields(test.args)...)...)
		if code != test.code || code == 0 && out != test.want || !strings.Contains(out+errs, test.want) {
			t.Errorf("%s: exit code %d, want %d; no %q in\n%s%s", test.args, code, test.code, test.want, out, errs)
		}
	}
}
