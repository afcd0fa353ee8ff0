// Package loadertest helps to test readers: it has a sink that stores what it receives, and a
// comparison of two indexes.
package loadertest

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources/r4"
)

// A Sink stores what a reader hands on.
type Sink struct {
	Indexes   []*codesystem.Index
	Origins   []loader.Origin
	Documents []string // kind and url
}

// CodeSystem stores an index.
func (s *Sink) CodeSystem(x *codesystem.Index, origin loader.Origin) error {
	s.Indexes = append(s.Indexes, x)
	s.Origins = append(s.Origins, origin)
	return nil
}

// Document stores the kind and url of a document.
func (s *Sink) Document(kind string, header *r4.Header, _ []byte, _ loader.Origin) error {
	s.Documents = append(s.Documents, kind+" "+header.URL)
	return nil
}

// One returns the only index of the sink.
func (s *Sink) One(t testing.TB) *codesystem.Index {
	t.Helper()
	if len(s.Indexes) != 1 {
		t.Fatalf("%d code systems, want one", len(s.Indexes))
	}
	return s.Indexes[0]
}

// Large skips a test of large files under the race detector, where they take long to read. The
// reader does the same things concurrently with small files, which are read in any case.
func Large(t testing.TB) {
	t.Helper()
	if raceDetector {
		t.Skip("too much for the race detector")
	}
}

// Write writes a file into a new folder and returns its path.
func Write(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// FuzzRelease varies the files of a release, which are given by name, one at a time. It checks
// that load neither panics nor hangs, and that the resulting index is sound.
func FuzzRelease(f *testing.F, files map[string]string, load func(context.Context, []loader.File, loader.Sink) error) {
	names := slices.Sorted(maps.Keys(files))
	for i, name := range names {
		f.Add(byte(i), []byte(files[name]))
	}
	f.Fuzz(func(t *testing.T, which byte, data []byte) {
		var list []loader.File
		for i, name := range names {
			content := []byte(files[name])
			if i == int(which)%len(names) {
				content = data
			}
			list = append(list, loader.InMemory(name, content))
		}
		var sink Sink
		if err := load(t.Context(), list, &sink); err == nil && len(sink.Indexes) == 0 {
			t.Fatal("neither an index nor an error")
		}
		for _, x := range sink.Indexes {
			if _, err := codesystem.FromBytes(x.Bytes(), true); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// Folder writes files, given as alternating names and contents, into a new folder and returns the
// path of the first.
func Folder(t testing.TB, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		if err := os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, files[0])
}

// Facts lists what an index holds about a concept, sorted, a line per fact: its display,
// definition, parents, designations (language, use, text, and codes in extensions) and properties.
// A repeated fact is listed once.
func Facts(x *codesystem.Index, o codesystem.Ord) []string {
	list := []string{"display " + x.Display(o), "definition " + x.Definition(o)}
	if x.Inactive(o) {
		list = append(list, "inactive")
	}
	for _, p := range x.Parents(o) {
		list = append(list, "parent "+x.Code(p))
	}
	for d := range x.Designations(o) {
		use := ""
		if d.Use != nil {
			use = d.Use.System + "|" + d.Use.Code
		}
		more := ""
		for _, e := range d.Extension {
			if e.Value.Coding != nil {
				more += " + " + e.Value.Coding.Code
			}
		}
		list = append(list, fmt.Sprintf("designation %s %s %s%s", d.Language, use, d.Value, more))
	}
	for p := range x.Properties(o) {
		if p.Code != "inactive" {
			list = append(list, fmt.Sprintf("property %s %s %s", p.Code, p.Value.Type, p.Value.Text))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// WantFacts reports an error if an index holds other facts about a concept.
func WantFacts(t testing.TB, x *codesystem.Index, code string, want ...string) {
	t.Helper()
	o, ok := x.Find(code)
	if !ok {
		t.Fatalf("%s is missing", code)
	}
	slices.Sort(want)
	if got := Facts(x, o); !slices.Equal(got, want) {
		t.Errorf("%s: got\n  %s\nwant\n  %s", code, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// shown is the number of differences that Compare reports.
const shown = 10

// Compare reports where two indexes differ: in the codes, or in the facts of a concept. The
// function, when not nil, changes a fact of either side before it is compared: it expresses
// intended differences, and drops the facts for which it returns "".
func Compare(t testing.TB, got, want *codesystem.Index, change func(ours bool, code, fact string) string) {
	t.Helper()
	reported := 0
	report := func(format string, args ...any) {
		t.Helper()
		if reported++; reported <= shown {
			t.Errorf(format, args...)
		}
	}
	facts := func(x *codesystem.Index, o codesystem.Ord, ours bool) []string {
		list := Facts(x, o)
		if change != nil {
			code := x.Code(o)
			for i := range list {
				list[i] = change(ours, code, list[i])
			}
			list = slices.DeleteFunc(list, func(s string) bool { return s == "" })
			slices.Sort(list)
		}
		return slices.Compact(list)
	}
	for i := range codesystem.Ord(want.Len()) {
		o, ok := got.Find(want.Code(i))
		if !ok {
			report("%s is missing", want.Code(i))
			continue
		}
		g, w := facts(got, o, true), facts(want, i, false)
		if slices.Equal(g, w) {
			continue
		}
		var lines []string
		for _, f := range g {
			if !slices.Contains(w, f) {
				lines = append(lines, "ours only: "+f)
			}
		}
		for _, f := range w {
			if !slices.Contains(g, f) {
				lines = append(lines, "missing:   "+f)
			}
		}
		report("%s differs:\n  %s", want.Code(i), strings.Join(lines, "\n  "))
	}
	for i := range codesystem.Ord(got.Len()) {
		if _, ok := want.Find(got.Code(i)); !ok {
			report("%s is too much", got.Code(i))
		}
	}
	if reported > shown {
		t.Errorf("and %d more", reported-shown)
	}
}
