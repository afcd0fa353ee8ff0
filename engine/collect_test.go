package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
)

func TestLoad(t *testing.T) {
	ctx := context.Background()
	folder := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a.json", `{"resourceType":"CodeSystem","id":"a","url":"http://example.org/a","content":"complete","concept":[{"code":"x","display":"Ex"}]}`)
	write("b.json", `{"resourceType":"ValueSet","id":"b","url":"http://example.org/b","compose":{"include":[{"system":"http://example.org/a"}]}}`)
	write("c.json", `{"resourceType":"ConceptMap","id":"c","url":"http://example.org/c","group":[{"source":"http://example.org/a","target":"http://example.org/z","element":[{"code":"x","target":[{"code":"y","equivalence":"equal"}]}]}]}`)
	eng := engine.New()
	if err := eng.Load(ctx, folder); err != nil {
		t.Fatal(err)
	}
	member, err := eng.MemberOf(ctx, &engine.MemberOfRequest{Code: "x", System: "http://example.org/a", ValueSetURL: "http://example.org/b"})
	if err != nil || !member.Yes() {
		t.Errorf("member-of: %v, %v", member, err)
	}
	mapped, err := eng.Translate(ctx, &engine.TranslateRequest{Code: "x", System: "http://example.org/a"})
	if err != nil || !mapped.Yes() {
		t.Errorf("translate: %v, %v", mapped, err)
	}
	entry, ok := eng.Entry("ValueSet", "b")
	if !ok || entry.Origin != "b.json" {
		t.Errorf("entry %v, %v", entry, ok)
	}

	write("d.json", `{"resourceType":"CodeSystem","id":"d","url":"http://example.org/d","content":"complete","concept":[{"code":"x"},{"code":"x"}]}`)
	again := engine.New()
	if err := again.Load(ctx, folder); !errors.Is(err, codesystem.ErrDuplicateCode) {
		t.Errorf("error %v, want a duplicate code", err)
	}
	if n := len(again.Entries("CodeSystem")); n != 0 {
		t.Errorf("%d code systems are published after an error", n)
	}
}
