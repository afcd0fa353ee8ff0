package fhir

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
)

// endless returns the same JSON text over and over.
type endless struct {
	start, again string
	rest         string
	begun        bool
	read         int64
}

func (e *endless) Read(p []byte) (int, error) {
	if e.rest == "" {
		if e.rest = e.again; !e.begun {
			e.rest, e.begun = e.start, true
		}
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	e.read += int64(n)
	return n, nil
}

func TestEndlessInput(t *testing.T) {
	const limit = 8 << 20
	space := strings.Repeat(" ", 64<<10)
	for name, source := range map[string]*endless{
		"value set":   {start: `{"resourceType":"ValueSet","compose":{"include":[{}`, again: "," + space + "{}"},
		"code system": {start: `{"resourceType":"CodeSystem","concept":[{"code":"x"}`, again: "," + space},
		"skipped":     {start: `{"resourceType":"Basic","x":[1`, again: "," + space + "1"},
		"string":      {start: `{"resourceType":"Basic","x":"`, again: space},
		"white space": {start: csA, again: space},
		"before type": {start: `{"x":[1`, again: "," + space + "1"},
		"lines":       {start: "", again: pat + space + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := Read(t.Context(), source, "body", Options{Limits: Limits{MaxBytes: limit, MaxDocument: 2 << 20}}, &recorder{})
			runtime.ReadMemStats(&after)
			if err == nil || source.read > limit+1<<20 {
				t.Errorf("stopped after %d bytes with %v", source.read, err)
			}
			if name == "skipped" || name == "white space" || name == "string" || name == "lines" {
				if !errors.Is(err, ErrTooLarge) {
					t.Errorf("got %v", err)
				}
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 32<<20 {
				t.Errorf("%d bytes allocated", used)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	source := &endless{start: `{"resourceType":"Basic","x":[1`, again: strings.Repeat(",1", 1<<15)}
	reports := 0
	err := Read(ctx, source, "body", Options{KeepGoing: true, Progress: func(Progress) {
		if reports++; reports == 3 {
			cancel()
		}
	}}, &recorder{})
	if !errors.Is(err, context.Canceled) || source.read > 16<<20 {
		t.Errorf("stopped after %d bytes with %v", source.read, err)
	}
}
