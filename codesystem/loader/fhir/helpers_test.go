package fhir

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// recorder is a sink that writes down what it is given: a line a resource.
type recorder struct {
	lines   []string
	indexes []*codesystem.Index
	fail    error
}

func (r *recorder) CodeSystem(x *codesystem.Index, o Origin) error {
	var b strings.Builder
	fmt.Fprintf(&b, "CodeSystem %s|%s %s", x.URL(), x.Version(), o.Entry)
	for i := range codesystem.Ord(x.Len()) {
		fmt.Fprintf(&b, " %s", x.Code(i))
		for _, p := range x.Parents(i) {
			fmt.Fprintf(&b, "<%s", x.Code(p))
		}
	}
	r.lines = append(r.lines, b.String())
	r.indexes = append(r.indexes, x)
	return r.fail
}

func (r *recorder) Document(kind string, h *r4.Header, body []byte, o Origin) error {
	if err := r4.Check(body, r4.Limits{}); err != nil {
		return fmt.Errorf("body of %s: %w", h.URL, err)
	}
	r.lines = append(r.lines, fmt.Sprintf("%s %s|%s %s", kind, h.URL, h.Version, o.Entry))
	return r.fail
}

// read returns what Read hands on for data.
func read(t testing.TB, data []byte, opts Options) (*recorder, error) {
	t.Helper()
	r := &recorder{}
	err := Read(t.Context(), bytes.NewReader(data), "input", opts, r)
	return r, err
}

func wantLines(t *testing.T, r *recorder, want ...string) {
	t.Helper()
	if !slices.Equal(r.lines, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(r.lines, "\n  "), strings.Join(want, "\n  "))
	}
}

func gzipped(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(data)
	z.Close()
	return b.Bytes()
}

// entry is a file of an archive or folder.
type entry struct {
	name string
	data string
}

func tarred(entries ...entry) []byte {
	var b bytes.Buffer
	t := tar.NewWriter(&b)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Mode: 0o644, Size: int64(len(e.data)), Typeflag: tar.TypeReg}
		if target, isLink := strings.CutPrefix(e.data, "-> "); isLink {
			h.Typeflag, h.Linkname, h.Size = tar.TypeSymlink, target, 0
		}
		if err := t.WriteHeader(h); err != nil {
			panic(err)
		}
		if h.Typeflag == tar.TypeReg {
			io.WriteString(t, e.data)
		}
	}
	t.Close()
	return b.Bytes()
}

// folder writes files below a new folder.
func folder(t testing.TB, entries ...entry) string {
	t.Helper()
	root := t.TempDir()
	for _, e := range entries {
		path := filepath.Join(root, filepath.FromSlash(e.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(e.data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

const (
	csA = `{"resourceType":"CodeSystem","url":"http://a","version":"1","content":"complete","concept":[{"code":"a1"},{"code":"a2","concept":[{"code":"a3"}]}]}`
	csB = `{"resourceType":"CodeSystem","url":"http://b","content":"complete","concept":[{"code":"b1"}]}`
	vsA = `{"resourceType":"ValueSet","url":"http://v","compose":{"include":[{"system":"http://a"}]}}`
	cmA = `{"resourceType":"ConceptMap","url":"http://m","group":[{"source":"http://a","target":"http://b","element":[{"code":"a1","target":[{"code":"b1","equivalence":"equal"}]}]}]}`
	pat = `{"resourceType":"Patient","id":"p"}`

	lineA = "CodeSystem http://a|1  a1 a2 a3<a2"
	lineB = "CodeSystem http://b|  b1"
)
