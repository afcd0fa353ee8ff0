package e2e_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSchema checks 1,000 generated resources of each type and a population by the JSON
// schema of R4.
func TestSchema(t *testing.T) {
	count, patients := 1000, uint64(100)
	if raceDetector {
		count, patients = 50, 5
	}
	made := slices.Concat(generate(t, 1, count), populate(t, 2, patients))
	want := map[string]int{}
	for _, line := range made {
		typ, _, _ := bytes.Cut(bytes.TrimPrefix(line, []byte(`{"resourceType":"`)), []byte(`"`))
		want[string(typ)]++
	}
	cmd := nodeScript(t, "lines.mjs")
	var problems bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(bytes.Join(made, []byte("\n"))), &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, problems.Bytes())
	}
	var checked map[string]int
	if err := json.Unmarshal(out, &checked); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, checked); diff != "" || len(checked) == 0 {
		t.Errorf("made and checked (-want +got):\n%s", diff)
	}
}
