package cliadapter

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
)

// TestBrowsable checks where the browser begins, and that it offers what is no part of FHIR.
func TestBrowsable(t *testing.T) {
	err := newSamples(t).Query(context.Background(), Sources{}, nil, func(eng *engine.Engine) error {
		var names []string
		for _, s := range browsable(eng) {
			names = append(names, s.Name)
		}
		if got := strings.Join(names, " "); got != "animals clinic triage-colours" {
			t.Errorf("code systems %s", got)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestBrowseErrors checks that what is wrong with a command line is said before a screen is drawn.
func TestBrowseErrors(t *testing.T) {
	for _, c := range []struct {
		line string
		code int
		want string
	}{
		{"browse zebra", 2, "no code system that is loaded has the code zebra"},
		{"browse zebra --system animals", 1, `unknown code: "zebra" in https://roget.health/fhir/CodeSystem/animals|1.0.0`},
		{"browse --system animmals", 3, "the nearest: animals"},
		{"browse sheepdog --system http://example.org/absent", 3, "unknown code system: http://example.org/absent"},
	} {
		var out, errs bytes.Buffer
		streams := Streams{In: strings.NewReader(""), Out: &out, Err: &errs, InTerminal: true, OutTerminal: true}
		code := New(Config{Operations: operation.Terminal(), Backend: newSamples(t), Getenv: func(string) string { return "" }}).Run(context.Background(), strings.Fields(c.line), streams)
		if code != c.code || !strings.Contains(errs.String(), c.want) || out.Len() > 0 {
			t.Errorf("%s: exit code %d: %s%s", c.line, code, out.String(), errs.String())
		}
	}
}
