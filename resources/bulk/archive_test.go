package bulk_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources/bulk"
)

// packed returns a tar archive of files, in their order: name, text, name, text.
func packed(t *testing.T, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		if err := w.WriteHeader(&tar.Header{Name: files[i], Mode: 0o600, Size: int64(len(files[i+1]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestArchive reads npm packages and other tar archives.
func TestArchive(t *testing.T) {
	noPackage := packed(t, "a/b.ndjson", resource("Patient/1")+"\n"+resource("Patient/2"), "c.xml", `<Patient xmlns="http://hl7.org/fhir"><id value="3"/></Patient>`, "d.txt", "x", ".e.json", "x")
	for _, test := range []struct{ name, text, want string }{
		{"x.tgz.gz", packed(t, "package/package.json", `{"name":"x"}`, "package/a.json", resource("Patient/1"), "package/other/b.json", resource("Patient/2"), "package/.index.json", "{}"), "[package/a.json Patient/1]"},
		{"x.tar", noPackage, "[ Patient/3 line 1 Patient/1 line 2 Patient/2]"},
		{"x.tar", noPackage[:1300], "[error line 1 Patient/1 line 2 Patient/2]"},
		{"x.tar", packed(t, "a.json", resource("Patient/"+strings.Repeat("x", 300))), "[error a.json]"},
	} {
		folder := write(t, map[string]string{test.name: test.text})
		var got []string
		_, err := bulk.Each(t.Context(), []string{folder + "/" + test.name}, bulk.Options{Limits: loader.Limits{MaxDocument: 300}}, func(f bulk.Found) error {
			if f.Err != nil {
				got = append(got, strings.TrimSpace("error "+f.Place))
			} else {
				got = append(got, fmt.Sprintf("%s %s/%s", f.Place, f.Document.ResourceType(), f.Document.Root().Get("id").Text()))
			}
			return nil
		})
		slices.Sort(got)
		if err != nil || fmt.Sprint(got) != test.want {
			t.Errorf("%s: %v %v, want %s", test.name, got, err, test.want)
		}
	}
}
