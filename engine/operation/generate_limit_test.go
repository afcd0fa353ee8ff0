package operation

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/synth"
	"github.com/roget-health/roget/resources/validate"
)

// TestGeneratedTooLarge ends what becomes too large.
func TestGeneratedTooLarge(t *testing.T) {
	g := &generated{bytes: maxGeneratedBytes - 2}
	if err := g.add(synth.Chunk{Bytes: []byte("{}")}); err != nil {
		t.Error(err)
	}
	err := g.add(synth.Chunk{Bytes: []byte("{}")})
	if status, outcome := Outcome(err); status != unprocessable || outcome.Issue[0].Code != "too-costly" {
		t.Errorf("%d %+v", status, outcome)
	}
}

// TestGeneratedRefused tells what of it the store refused.
func TestGeneratedRefused(t *testing.T) {
	g := &generated{bodies: [][]byte{[]byte(`{"resourceType":"Patient","id":"1"}`), []byte(`{"resourceType":"Patient","id":"2"}`)}, results: []resources.LoadResult{
		{Err: &validate.Invalid{Issues: []validate.Issue{{Code: "business-rule", Expression: "Patient.id", Text: "no"}}}},
		{Err: errors.New("secret")},
	}}
	body := g.AppendJSON(nil)
	text := string(body)
	if !json.Valid(body) || g.Yes() || strings.Contains(text, "secret") {
		t.Error(text)
	}
	for _, want := range []string{`"status":"422 Unprocessable Entity","outcome":`, `"code":"business-rule"`, `"expression":["Patient.id"]`, `"status":"500 Internal Server Error"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s has no %s", text, want)
		}
	}
}
