package loader

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/resources/r4"
)

func write(t *testing.T, name string, data []byte) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func zipped(t *testing.T, names ...string) []byte {
	t.Helper()
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for _, name := range names {
		w, err := z.Create(name)
		if err == nil && !strings.HasSuffix(name, "/") {
			_, err = io.WriteString(w, "content of "+name)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func packed(t *testing.T, text string) []byte {
	t.Helper()
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	_, err := io.WriteString(z, text)
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// A folder and a zip archive with the same files have the same result.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	names := []string{"b.txt", "a/z.txt", "a/b/c.txt", ".hidden", "__MACOSX/b.txt", "a/.git/x"}
	for _, name := range names {
		write(t, filepath.Join(dir, "folder", name), []byte("content of "+name))
	}
	archive := write(t, filepath.Join(dir, "x.zip"), zipped(t, append(names, "a/")...))
	for _, path := range []string{filepath.Join(dir, "folder"), archive} {
		var last Progress
		r := Begin(t.Context(), Options{Progress: func(p Progress) { last = p }})
		files, err := r.Files(path)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range files {
			r.Expect(files[i].Size)
		}
		for i := range files {
			s, err := r.Open(&files[i])
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(s)
			if err := errors.Join(err, s.Close()); err != nil {
				t.Fatal(err)
			}
			got = append(got, files[i].Name+": "+string(text))
		}
		want := []string{"a/b/c.txt: content of a/b/c.txt", "a/z.txt: content of a/z.txt", "b.txt: content of b.txt"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
		if last.BytesRead != last.BytesTotal || last.BytesTotal == 0 {
			t.Errorf("%s: progress %+v", path, last)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if _, err := r.Open(&files[0]); path == archive && err == nil {
			t.Error("still open")
		}
	}
}

func TestFilesRefused(t *testing.T) {
	dir := t.TempDir()
	for name, test := range map[string]struct {
		data   []byte
		limits Limits
		want   error
	}{
		"outside":  {zipped(t, "../evil.txt"), Limits{}, ErrUnsafeName},
		"absolute": {zipped(t, "/etc/evil.txt"), Limits{}, ErrUnsafeName},
		"drive":    {zipped(t, "C:evil.txt"), Limits{}, ErrUnsafeName},
		"many":     {zipped(t, "a", "b", "c"), Limits{MaxEntries: 2}, ErrTooLarge},
		"damaged":  {[]byte("PK\x03\x04 and no more"), Limits{}, zip.ErrFormat},
	} {
		path := write(t, filepath.Join(dir, name+".zip"), test.data)
		r := Begin(t.Context(), Options{Limits: test.limits})
		if _, err := r.Files(path); !errors.Is(err, test.want) || !strings.Contains(err.Error(), name+".zip") {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
		r.Close()
	}
}

// Streams are bounded, whether compressed or not, and stop with their context.
func TestStreamLimits(t *testing.T) {
	text := strings.Repeat("0123456789", 1000)
	for _, data := range [][]byte{[]byte(text), packed(t, text)} {
		read := func(ctx context.Context, limits Limits) (string, error) {
			r := Begin(ctx, Options{Limits: limits})
			s, err := r.Stream(bytes.NewReader(data), Origin{Path: "x"})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			got, err := io.ReadAll(s)
			return string(got), err
		}
		if got, err := read(t.Context(), Limits{}); err != nil || got != text {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		if _, err := read(t.Context(), Limits{MaxBytes: 9_999}); !errors.Is(err, ErrTooLarge) {
			t.Error(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(io.ErrNoProgress)
		if _, err := read(ctx, Limits{}); !errors.Is(err, io.ErrNoProgress) {
			t.Error(err)
		}
	}
	r := Begin(t.Context(), Options{})
	s, err := r.Stream(bytes.NewReader(packed(t, text)[:50]), Origin{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(s); err == nil || !strings.Contains(err.Error(), "truncated") {
		t.Error(err)
	}
	s.Close()
	reports := 0 // and no limit of the ratio for so little
	r = Begin(t.Context(), Options{Limits: Limits{MaxRatio: 1}, Progress: func(Progress) { reports++ }})
	if s, err = r.Stream(bytes.NewReader(packed(t, strings.Repeat(text, 300))), Origin{}); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(s); err != nil || reports != 2 {
		t.Error(reports, err)
	}
	s.Close()
	if n, err := fill(iotest.OneByteReader(strings.NewReader(text)), make([]byte, 200)); n != 200 || err != nil {
		t.Error(n, err)
	}
}

func TestIsDateTime(t *testing.T) {
	const whole = "2010-10-14T01:38:51.5+01:00"
	for n := range len(whole) + 1 {
		if got := IsDateTime(whole[:n]); got != (n == 4 || n == 7 || n == 10 || n == len(whole)) {
			t.Errorf("%q: %v", whole[:n], got)
		}
		if n > 0 && IsDateTime(whole[:n-1]+"x"+whole[n:]) {
			t.Error(n)
		}
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	r := Begin(t.Context(), Options{})
	if _, err := Open(r, dir); !errors.Is(err, ErrFormat) {
		t.Error(err)
	}
	if _, err := Open(r, filepath.Join(dir, "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	s, err := Open(r, write(t, filepath.Join(dir, "x.gz"), packed(t, "hello")))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(s)
	if err := errors.Join(err, s.Close()); err != nil || string(got) != "hello" {
		t.Errorf("%q %v", got, err)
	}
}

func FuzzLocalName(f *testing.F) {
	for _, name := range []string{"a/b", "../a", "a/../../b", "/a", "C:a", "a\\b", "a/..b", ""} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if LocalName(name) && !filepath.IsLocal(filepath.FromSlash(name)) {
			t.Errorf("%q is taken for local", name)
		}
	})
}

func TestNameOf(t *testing.T) {
	for title, want := range map[string]string{
		"Human Phenotype Ontology":     "HumanPhenotypeOntology",
		"10 things, and one (of them)": "N10ThingsAndOneOfThem",
		"":                             "",
		"Größe x":                      "GrEX",
		"--":                           "",
	} {
		if got := NameOf(title); got != want {
			t.Errorf("%q: got %q, want %q", title, got, want)
		}
	}
}

func TestIdentity(t *testing.T) {
	h := Header()
	h.URL, h.Version, h.Title = "http://example.org/things_a.owl", "1", "All things"
	Identity{Version: "2", Publisher: "us"}.Apply(h)
	want := r4.Header{ResourceType: "CodeSystem", ID: "things-a.owl", URL: h.URL, Version: "2", Name: "AllThings", Title: "All things", Status: "active", Publisher: "us"}
	if h.ID != want.ID || h.Version != want.Version || h.Name != want.Name || h.Publisher != want.Publisher || h.Title != want.Title || h.Status != want.Status {
		t.Errorf("got %+v", h.Header)
	}
	h = Header()
	Identity{URL: "urn:oid:1.2.3"}.Apply(h)
	if h.Name != "N123" || h.ID != "1.2.3" {
		t.Errorf("got name %q, id %q", h.Name, h.ID)
	}
}
