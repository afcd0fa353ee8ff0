package txtest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
	"github.com/roget-health/roget/resources/sharedtest"
)

// officialVerdict is the last line of HL7's runner, which may begin by resetting Maven's colours; officialVersion is in its Maven project.
var (
	officialVerdict = regexp.MustCompile(`(?m)^(?:\x1b\[[\d;]*m)*(\d+) passed, (\d+) failed$`)
	officialVersion = regexp.MustCompile(`<artifactId>org\.hl7\.fhir\.validation</artifactId><version>([^<]+)</version>`)
	officialQuoted  = regexp.MustCompile("<!-- official -->\nPassed (\\d+) of \\d+ in mode `general`, on \\d{4}-\\d\\d-\\d\\d, `org\\.hl7\\.fhir\\.validation` (\\S+)\\.\n<!-- /official -->")
)

// TestOfficialRunner runs HL7's own runner, which is a Java program, against /r4 of the released
// program. No case may fail, and docs/conformance.md quotes the verdict; -update-conformance writes it.
func TestOfficialRunner(t *testing.T) {
	if testing.Short() {
		t.Skip("HL7's runner is a Java program")
	}
	folder := sharedtest.Path(t, "conformance/official")
	for _, program := range []string{"java", "mvn"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatal("HL7's runner is required if CI=true: ", err)
			}
			t.Skip("HL7's runner needs Java 17 and Maven: ", err)
		}
	}
	server := backendtest.Serve(t, backendtest.Released, serving(t)...)
	out, runErr := exec.Command(filepath.Join(folder, "run"), server.URL+"/r4", "general").Output()
	verdict := officialVerdict.FindStringSubmatch(string(out))
	if verdict == nil {
		t.Fatalf("no verdict: %v\n%s", runErr, out)
	}
	passed, _ := strconv.Atoi(verdict[1])
	fmt.Printf("HL7's runner on /r4: %s\n", verdict[0])
	if runErr != nil || verdict[2] != "0" || passed == 0 {
		t.Fatalf("%v\n%s", runErr, out)
	}
	pom, err := os.ReadFile(filepath.Join(folder, "pom.xml"))
	if err != nil {
		t.Fatal(err)
	}
	version := officialVersion.FindSubmatch(pom)
	if version == nil {
		t.Fatal("the project of HL7's runner names no version of it")
	}
	checkOfficialQuote(t, passed, string(version[1]))
}

// checkOfficialQuote checks that docs/conformance.md quotes the number of cases and the version of the
// runner, or writes them.
func checkOfficialQuote(t *testing.T, passed int, version string) {
	t.Helper()
	q := quote{file: "docs/conformance.md", name: "official"}
	data, err := os.ReadFile(q.path())
	if err != nil {
		t.Fatal(err)
	}
	if *updateConformance {
		q.text = fmt.Sprintf("\nPassed %d of %[1]d in mode `general`, on %s, `org.hl7.fhir.validation` %s.\n", passed, time.Now().UTC().Format(time.DateOnly), version)
		text, err := q.replaced(string(data))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(q.path(), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	quoted := officialQuoted.FindStringSubmatch(string(data))
	if quoted == nil || quoted[1] != strconv.Itoa(passed) || quoted[2] != version {
		t.Errorf("%s says %q about HL7's runner, which passed %d with version %s; go test ./httpadapter/txtest -run TestOfficialRunner -update-conformance writes it",
			q.file, strings.TrimSpace(strings.Join(quoted, " ")), passed, version)
	}
}
