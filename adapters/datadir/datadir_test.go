package datadir

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// compile returns an index of codes c0, c1, …, each a child of the one before.
func compile(tb testing.TB, url, version string, concepts int) *codesystem.Index {
	tb.Helper()
	x, err := build(tb.Context(), url, version, concepts)
	must(tb, err)
	return x
}

func build(ctx context.Context, url, version string, concepts int) (*codesystem.Index, error) {
	b := codesystem.NewBuilder(&r4.CodeSystem{
		Header:   r4.Header{ResourceType: "CodeSystem", ID: filepath.Base(url), URL: url, Version: version, Status: "active"},
		Content:  "complete",
		ValueSet: url + "/all",
	})
	for i := range concepts {
		_, err := b.Add(&codesystem.Concept{Code: fmt.Sprintf("c%d", i), Display: fmt.Sprintf("concept %d of %s", i, version), Parent: i - 1})
		if err != nil {
			return nil, err
		}
	}
	return b.Build(ctx)
}

func valueSet(url string) (*r4.Header, []byte) {
	body := `{"resourceType":"ValueSet","url":"` + url + `","status":"active","compose":{"include":[{"system":"u"}]}}`
	return &r4.Header{ResourceType: "ValueSet", URL: url, Status: "active"}, []byte(body)
}

func open(tb testing.TB, path string, opts Options) *Dir {
	tb.Helper()
	d, err := Open(tb.Context(), path, opts)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = d.Close() })
	return d
}

// load commits a pack with what add adds.
func load(tb testing.TB, d *Dir, add func(w *Writer)) {
	tb.Helper()
	w, err := d.Writer(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	defer w.Abort()
	add(w)
	if err := w.Commit(); err != nil {
		tb.Fatal(err)
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// names lists entries as type url|version.
func names(d *Dir) []string {
	var list []string
	for _, e := range d.Entries() {
		list = append(list, fmt.Sprintf("%s %s|%s", e.Header.ResourceType, e.Header.URL, e.Header.Version))
	}
	return list
}

func packs(tb testing.TB, d *Dir) []string {
	tb.Helper()
	entries, err := os.ReadDir(d.Path(packFolder))
	must(tb, err)
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func equal(tb testing.TB, what string, got, want any) {
	tb.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		tb.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// answers checks that the only entry of a url is a code system with its concepts.
func answers(tb testing.TB, d *Dir, url, version string, concepts int) {
	tb.Helper()
	for _, e := range d.Entries() {
		if e.Header.URL != url || e.Header.Version != version {
			continue
		}
		x, err := e.CodeSystem()
		if err != nil {
			tb.Fatalf("%s: %v", url, err)
		}
		if x.Len() != concepts || e.Concepts != concepts {
			tb.Fatalf("%s has %d concepts, its entry says %d, want %d", url, x.Len(), e.Concepts, concepts)
		}
		o, ok := x.Find(fmt.Sprintf("c%d", concepts-1))
		if !ok || x.Display(o) != fmt.Sprintf("concept %d of %s", concepts-1, version) || len(x.Ancestors(o)) != concepts-1 {
			tb.Fatalf("%s: the last concept is not what it was", url)
		}
		return
	}
	tb.Fatalf("there is no %s|%s in %v", url, version, names(d))
}

func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "data")
	d := open(t, path, Options{Create: true})
	load(t, d, func(w *Writer) {
		must(t, w.AddCodeSystem(compile(t, "http://x/a", "1", 3), "a.json"))
		must(t, w.AddCodeSystem(compile(t, "http://x/big", "1", 3000), "big.json"))
		header, body := valueSet("http://x/vs")
		must(t, w.AddDocument(header, body, "vs.json"))
		must(t, w.AddDocument(&r4.Header{ResourceType: "ConceptMap", URL: "http://x/cm"}, []byte(`{"resourceType":"ConceptMap","url":"http://x/cm","status":"draft"}`), "cm.json"))
		if w.Len() != 4 {
			t.Errorf("Len is %d", w.Len())
		}
	})
	want := []string{"CodeSystem http://x/a|1", "CodeSystem http://x/big|1", "ValueSet http://x/vs|", "ConceptMap http://x/cm|"}
	for _, d := range []*Dir{d, open(t, path, Options{})} {
		equal(t, "entries", names(d), want)
		answers(t, d, "http://x/a", "1", 3)
		answers(t, d, "http://x/big", "1", 3000)
		entries := d.Entries()
		if e := entries[0]; e.Content != "complete" || e.Origin != "a.json" || e.AllCodes != "http://x/a/all" || e.Document != nil || e.Stored {
			t.Errorf("entry of the code system: %+v", e)
		}
		vs, err := entries[2].ValueSet()
		must(t, err)
		_, body := valueSet("http://x/vs")
		document, err := entries[2].Document()
		must(t, err)
		equal(t, "document", string(document), string(body))
		if vs.URL != "http://x/vs" || len(vs.Compose.Include) != 1 {
			t.Errorf("value set: %+v", vs)
		}
		cm, err := entries[3].ConceptMap()
		must(t, err)
		equal(t, "concept map", cm.URL, "http://x/cm")
		must(t, d.Verify(t.Context()))
	}
}

// Every field of a header survives, including those added to the struct later.
func TestHeaderRoundTrip(t *testing.T) {
	n := 0
	var fill func(v reflect.Value)
	fill = func(v reflect.Value) {
		n++
		switch v.Kind() {
		case reflect.String:
			v.SetString(fmt.Sprintf("text %d é", n))
		case reflect.Bool:
			v.SetBool(n%2 == 0)
		case reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem())
		case reflect.Slice:
			if v.Type().Elem().Kind() == reflect.Uint8 {
				v.SetBytes(fmt.Appendf(nil, `[%d]`, n))
				return
			}
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			fill(v.Index(0))
			fill(v.Index(1))
		case reflect.Struct:
			for i := range v.NumField() {
				fill(v.Field(i))
			}
		default:
			t.Fatalf("a header has a %v, which the table of contents cannot hold", v.Type())
		}
	}
	full := record{content: "complete", supplements: "s", allCodes: "v", concepts: 1 << 31, origin: "o", offset: 8192, length: 2*checksBlock + 1, checks: []uint32{1, 2, 1<<32 - 1}}
	fill(reflect.ValueOf(&full.header).Elem())
	empty := record{offset: firstBlob}
	no := false
	few := record{header: r4.Header{Experimental: &no, Meta: &r4.Meta{}}, offset: firstBlob}
	want := []record{full, empty, few}
	got, err := decodeTOC(encodeTOC(want), 3, 1<<40)
	must(t, err)
	for i := range got {
		if len(got[i].checks) == 0 {
			got[i].checks = nil
		}
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(record{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSupersede(t *testing.T) {
	path := t.TempDir()
	d := open(t, path, Options{})
	load(t, d, func(w *Writer) {
		must(t, w.AddCodeSystem(compile(t, "http://x/a", "1", 3), "first"))
		must(t, w.AddCodeSystem(compile(t, "http://x/b", "1", 3), "first"))
	})
	old := d.Entries()
	load(t, d, func(w *Writer) { must(t, w.AddCodeSystem(compile(t, "http://x/a", "1", 5), "second")) })
	equal(t, "half superseded", names(d), []string{"CodeSystem http://x/b|1", "CodeSystem http://x/a|1"})
	answers(t, d, "http://x/a", "1", 5)
	equal(t, "both packs are needed", packs(t, d), []string{"0000000001.json", "0000000001.pack", "0000000001.seal", "0000000002.json", "0000000002.pack", "0000000002.seal"})

	load(t, d, func(w *Writer) { must(t, w.AddCodeSystem(compile(t, "http://x/a", "2", 7), "third")) })
	equal(t, "another version stands beside", names(d), []string{"CodeSystem http://x/b|1", "CodeSystem http://x/a|1", "CodeSystem http://x/a|2"})

	load(t, d, func(w *Writer) {
		must(t, w.AddCodeSystem(compile(t, "http://x/b", "1", 4), "fourth"))
		must(t, w.AddCodeSystem(compile(t, "http://x/a", "2", 8), "fourth"))
		must(t, w.AddCodeSystem(compile(t, "http://x/a", "2", 9), "fourth, again"))
	})
	equal(t, "wholly superseded packs are gone", packs(t, d), []string{"0000000002.json", "0000000002.pack", "0000000002.seal", "0000000004.json", "0000000004.pack", "0000000004.seal"})
	answers(t, d, "http://x/a", "1", 5)
	answers(t, d, "http://x/a", "2", 9)
	answers(t, open(t, path, Options{}), "http://x/b", "1", 4)

	// Others notice a pack that came instead of another, and do not ask for one in a folder that is gone.
	if other := open(t, path, Options{}); other.Stale() || os.Rename(filepath.Join(path, packFolder, "0000000002.pack"), filepath.Join(path, packFolder, "0000000009.pack")) != nil || !other.Stale() || os.RemoveAll(path) != nil || other.Stale() {
		t.Error("whether it is stale")
	}

	// Entries in use keep working after their file was removed.
	for _, e := range old {
		if x, err := e.CodeSystem(); err != nil || x.Len() != 3 {
			t.Errorf("%s from a removed pack: %v", e.Header.URL, err)
		}
	}
}

// Resources without a url are identified by id.
func TestNoURL(t *testing.T) {
	d := open(t, t.TempDir(), Options{})
	load(t, d, func(w *Writer) {
		for _, id := range []string{"a", "b", "a"} {
			must(t, w.AddDocument(&r4.Header{ResourceType: "ValueSet", ID: id}, []byte(`{"resourceType":"ValueSet","id":"`+id+`"}`), ""))
		}
	})
	if got := len(d.Entries()); got != 2 {
		t.Errorf("%d entries, want 2", got)
	}
}

func TestOpenMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none")
	if _, err := Open(t.Context(), path, Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of no folder: %v, want %v", err, fs.ErrNotExist)
	}
	must(t, os.WriteFile(path, nil, 0o644))
	for _, create := range []bool{false, true} {
		if _, err := Open(t.Context(), path, Options{Create: create}); err == nil {
			t.Errorf("Open of a file, Create %v: no error", create)
		}
	}
	empty := open(t, t.TempDir(), Options{})
	if len(empty.Entries()) != 0 {
		t.Error("an empty folder has entries")
	}
}

func TestWriterLock(t *testing.T) {
	path := t.TempDir()
	first, second := open(t, path, Options{}), open(t, path, Options{})
	w, err := first.Writer(t.Context())
	must(t, err)
	for _, d := range []*Dir{first, second} {
		if _, err := d.Writer(t.Context()); !errors.Is(err, ErrLocked) {
			t.Errorf("a second writer: %v, want %v", err, ErrLocked)
		}
	}
	w.Abort()
	w.Abort()
	for _, err := range []error{w.Commit(), w.AddSource(".", nil), w.AddCodeSystem(compile(t, "u", "", 1), ""), w.AddDocument(&r4.Header{ResourceType: "ValueSet"}, nil, "")} {
		if !errors.Is(err, ErrWriterDone) {
			t.Errorf("after Abort: %v, want %v", err, ErrWriterDone)
		}
	}
	equal(t, "nothing is left", packs(t, first), []string(nil))
	load(t, second, func(w *Writer) { must(t, w.AddCodeSystem(compile(t, "http://x/a", "1", 3), "")) })
	load(t, first, func(w *Writer) { must(t, w.AddCodeSystem(compile(t, "http://x/b", "1", 3), "")) })
	equal(t, "entries of both writers", names(first), []string{"CodeSystem http://x/a|1", "CodeSystem http://x/b|1"})
	changed, err := second.Reload(t.Context())
	if !changed || err != nil {
		t.Errorf("Reload: changed %v, %v", changed, err)
	}
	equal(t, "after Reload", names(second), names(first))
	if changed, err = second.Reload(t.Context()); changed || err != nil {
		t.Errorf("Reload again: changed %v, %v", changed, err)
	}
}

func TestWriterLeavesNothing(t *testing.T) {
	d := open(t, t.TempDir(), Options{})
	load(t, d, func(*Writer) {})
	equal(t, "an empty pack", packs(t, d), []string(nil))
	w, err := d.Writer(t.Context())
	must(t, err)
	if err := w.AddDocument(&r4.Header{ResourceType: "CodeSystem"}, nil, ""); err == nil {
		t.Error("a code system was taken as a document")
	}
	w.Abort()
	// A killed writer leaves temporary files.
	must(t, os.MkdirAll(d.Path(packFolder), 0o755))
	for _, name := range []string{"0000000009.pack.tmp", "0000000009.json.tmp"} {
		must(t, os.WriteFile(filepath.Join(d.Path(packFolder), name), []byte("half"), 0o644))
	}
	if again := open(t, d.Path(""), Options{}); len(again.Entries()) != 0 {
		t.Error("temporary files were read")
	}
	load(t, d, func(w *Writer) { must(t, w.AddCodeSystem(compile(t, "http://x/a", "1", 3), "")) })
	equal(t, "files", packs(t, d), []string{"0000000001.json", "0000000001.pack", "0000000001.seal"})
}

func TestCancelled(t *testing.T) {
	path := t.TempDir()
	d := open(t, path, Options{})
	load(t, d, func(w *Writer) { must(t, w.AddCodeSystem(compile(t, "http://x/a", "1", 3), "")) })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(ctx, path, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Open: %v", err)
	}
	if _, err := d.Writer(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Writer: %v", err)
	}
	if err := d.Verify(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Verify: %v", err)
	}
}

func TestSourceOf(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "a.json")
	must(t, os.WriteFile(file, []byte("12345"), 0o644))
	must(t, os.Mkdir(filepath.Join(folder, "sub"), 0o755))
	must(t, os.WriteFile(filepath.Join(folder, "sub", "b.json"), []byte("123"), 0o644))
	one, err := SourceOf(file)
	must(t, err)
	all, err := SourceOf(folder)
	must(t, err)
	if one.Path != file || one.Files != 1 || one.Size != 5 || one.ModTime.IsZero() {
		t.Errorf("file: %+v", one)
	}
	if all.Files != 2 || all.Size != 8 || all.ModTime.Before(one.ModTime) {
		t.Errorf("folder: %+v", all)
	}
	must(t, all.unchanged())
	must(t, os.WriteFile(filepath.Join(folder, "c.json"), nil, 0o644))
	if err := all.unchanged(); err == nil || !strings.Contains(err.Error(), "has changed") {
		t.Errorf("after a change: %v", err)
	}
	if _, err := SourceOf(filepath.Join(folder, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	link := filepath.Join(folder, "link.json")
	if err := os.Symlink(file, link); err == nil {
		if s, err := SourceOf(link); err != nil || s.Size != 5 || s.Files != 1 {
			t.Errorf("link: %+v, %v", s, err)
		}
	}
}

// The engine accepts the entries unchanged.
func TestPublish(t *testing.T) {
	d := open(t, t.TempDir(), Options{})
	load(t, d, func(w *Writer) {
		must(t, w.AddCodeSystem(compile(t, "http://x/a", "1", 3), "a.json"))
		header, body := valueSet("http://x/vs")
		must(t, w.AddDocument(header, body, "vs.json"))
	})
	eng := engine.New()
	must(t, eng.Publish(d.Entries()...))
	systems := eng.Entries("CodeSystem")
	if len(systems) != 1 || systems[0].Header.URL != "http://x/a" {
		t.Errorf("published: %v", systems)
	}
}

func FuzzOpenPack(f *testing.F) {
	path := f.TempDir()
	d := open(f, path, Options{})
	load(f, d, func(w *Writer) {
		header, body := valueSet("http://x/vs")
		header.Meta = &r4.Meta{Profile: []string{"p"}, Tag: []r4.Coding{{Code: "c"}}}
		must(f, w.AddDocument(header, body, "vs.json"))
	})
	whole, err := os.ReadFile(filepath.Join(path, packFolder, "0000000001.pack"))
	must(f, err)
	h, err := decodeHeader(whole, int64(len(whole)))
	must(f, err)
	f.Add(whole[firstBlob:], uint16(h.tocOffset-firstBlob), byte(1))
	f.Add(whole[firstBlob:], uint16(0), byte(3))
	f.Add(whole[:headerSize], uint16(0), byte(0))
	f.Add([]byte{}, uint16(0), byte(0))
	// With entries, data is blobs and, from split on, the table of contents of a pack with
	// correct lengths and checksums, so that the fuzzer gets past them. Otherwise data is the
	// file.
	f.Fuzz(func(t *testing.T, data []byte, split uint16, entries byte) {
		if entries > 0 {
			data = packOf(data, int(split), entries)
		}
		file := bytes.NewReader(data)
		_, records, err := readTOC(file, file.Size())
		if err != nil {
			if !unusable(err) {
				t.Fatalf("error %v is none of the three", err)
			}
			return
		}
		for i := range records {
			r := &records[i]
			if r.offset < firstBlob || r.offset+int64(r.length) > file.Size() {
				t.Fatalf("blob %d lies outside the file", i)
			}
			if err := verify(file, r.offset, r.length, r.checks); err != nil && !unusable(err) {
				t.Fatalf("error %v is none of the three", err)
			}
		}
		if again := encodeTOC(records); entries > 0 && len(records) > 0 {
			if _, err := decodeTOC(again, uint32(len(records)), file.Size()); err != nil {
				t.Fatalf("what was read cannot be read again: %v", err)
			}
		}
	})
}

func packOf(data []byte, split int, entries byte) []byte {
	split = min(split, len(data))
	h := header{
		entries:    uint32(entries),
		tocOffset:  uint64(firstBlob + split),
		tocLength:  uint64(len(data) - split),
		fileLength: uint64(firstBlob + len(data)),
		tocCRC:     crc(data[split:]),
	}
	pack := make([]byte, firstBlob, firstBlob+len(data))
	copy(pack, h.encode())
	return append(pack, data...)
}

// TestContent checks that the checksum of what a folder has depends on the newest resources only, not on
// the packs that they are in.
func TestContent(t *testing.T) {
	folder := func(packs ...[]string) (string, uint64) {
		d, err := Open(t.Context(), t.TempDir(), Options{Create: true})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		for _, bodies := range packs {
			w, err := d.Writer(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, body := range bodies {
				if err := w.AddDocument(&r4.Header{ResourceType: "ValueSet", URL: "http://" + body[:1], Version: "1"}, []byte(body), body); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Commit(); err != nil {
				t.Fatal(err)
			}
		}
		return d.Content()
	}
	one, height := folder([]string{"a1", "b1"})
	several, higher := folder([]string{"a0", "b1"}, []string{"a1"})
	if other, _ := folder([]string{"a1", "b2"}); one != several || one == other || height != 1 || higher != 2 {
		t.Errorf("%s %d, %s %d, %s", one, height, several, higher, other)
	}
}
