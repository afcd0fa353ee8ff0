package profile_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/sharedtest"
	"github.com/roget-health/roget/resources/validate"
)

// TestHL7 compares the verdicts on testdata/cases.txt, valid or not, with those of HL7's instance
// validator. They must agree on 98 in 100, and differ where the file says so.
func TestHL7(t *testing.T) {
	list := cases(t)
	var in bytes.Buffer
	for _, c := range list {
		in.WriteString(c.body + "\n")
	}
	verdicts := judgedByHL7(t, in.Bytes())
	if len(verdicts) != len(list) {
		t.Fatalf("%d verdicts on %d resources", len(verdicts), len(list))
	}
	differ := 0
	for i, c := range list {
		valid := !strings.Contains(strings.Join(c.want, " "), "E ")
		if valid != verdicts[i].Valid {
			differ++
		}
		if (valid != verdicts[i].Valid) != c.differs {
			t.Errorf("%s: we say %t, HL7 %t: %v", c.name, valid, verdicts[i].Valid, verdicts[i].Messages)
		}
	}
	t.Logf("%d of %d verdicts agree", len(list)-differ, len(list))
	if differ*100 > len(list)*2 {
		t.Errorf("%d of %d verdicts differ, more than 2 in 100", differ, len(list))
	}
}

// A verdictHL7 is a line of ../shared/conformance/validator/run.
type verdictHL7 struct {
	Valid    bool
	Messages []struct{ Severity, Location, Text string }
}

// judgedByHL7 returns the verdict on each line.
func judgedByHL7(t *testing.T, lines []byte) []verdictHL7 {
	t.Helper()
	run := sharedtest.Java(t, sharedtest.Path(t, "conformance/validator/Validate.java"), "--load", filepath.Join("testdata", "package.ndjson"))
	run.Stdin = bytes.NewReader(lines)
	var problems bytes.Buffer
	run.Stderr = &problems
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, problems.String())
	}
	var verdicts []verdictHL7
	for line := range bytes.Lines(out) {
		if !bytes.HasPrefix(line, []byte(`{"line"`)) {
			continue // libraries may write notes
		}
		var v verdictHL7
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		v.Messages = onlyErrors(v.Messages)
		verdicts = append(verdicts, v)
	}
	return verdicts
}

func onlyErrors(list []struct{ Severity, Location, Text string }) []struct{ Severity, Location, Text string } {
	kept := list[:0]
	for _, m := range list {
		if m.Severity == validate.Error.String() || m.Severity == "fatal" {
			kept = append(kept, m)
		}
	}
	return kept
}
