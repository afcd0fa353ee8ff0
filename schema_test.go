package main_test

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/resources/synth"
)

// made writes resources of every type that is generated, one a line, and counts them.
func made(w io.Writer, count int) (map[string]int, error) {
	counts := map[string]int{}
	var line []byte
	for _, typ := range synth.TypeNames() {
		g, err := synth.New(typ, synth.Options{Seed: 1})
		if err != nil {
			return nil, err
		}
		for n := range count {
			line = append(g.Append(line[:0], uint64(n)), '\n')
			if _, err := w.Write(line); err != nil {
				return nil, err
			}
		}
		counts[typ] += count
	}
	return counts, nil
}

// TestSchema checks 1,000 generated resources of each type by the JSON schema of R4.
func TestSchema(t *testing.T) {
	lines, in := io.Pipe()
	defer lines.Close()
	var want map[string]int
	go func() {
		var err error
		want, err = made(in, 1000)
		in.CloseWithError(err)
	}()
	cmd := nodeScript(t, "lines.mjs")
	var problems bytes.Buffer
	cmd.Stdin, cmd.Stderr = lines, &problems
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
