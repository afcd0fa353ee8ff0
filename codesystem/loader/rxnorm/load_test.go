package rxnorm_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/loadertest"
	"github.com/roget-health/roget/codesystem/loader/rxnorm"
	"github.com/roget-health/roget/resources/r4"
)

// rrf writes rows as a file: each given field at its place, by number, the others empty.
func rrf(fields int, rows ...map[int]string) string {
	var b strings.Builder
	for _, row := range rows {
		for i := range fields {
			b.WriteString(row[i] + "|")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func atom(cui, sab, tty, text, suppress string) map[int]string {
	return map[int]string{0: cui, 1: "ENG", 7: "A" + cui, 11: sab, 12: tty, 13: cui, 14: text, 16: suppress, 17: "4096"}
}

// related states what the second concept is to the first.
func related(first, rel, second, label string) map[int]string {
	return map[int]string{0: first, 2: "CUI", 3: rel, 4: second, 6: "CUI", 7: label, 10: "RXNORM", 14: ""}
}

// releaseFiles returns a release that is all made up: the ingredient luminol, which is not a
// drug, the tablets made of it, and what became of older ones.
func releaseFiles() map[string]string {
	return map[string]string{
		"rrf/RXNCONSO.RRF": rrf(18,
			atom("900001", "RXNORM", "IN", "luminol", "N"),
			atom("900001", "OTHER", "PT", "LUMINOL", "N"),
			atom("900002", "RXNORM", "SY", "luminol tablet of 5 mg", "N"),
			atom("900002", "RXNORM", "PSN", "luminol 5 MG Tablet", "N"),
			atom("900002", "RXNORM", "SCD", "luminol 5 MG Oral Tablet", "N"),
			atom("900003", "RXNORM", "SBD", "luminol 5 MG Oral Tablet [Glowfast]", "O"),
			atom("900004", "OTHER", "PT", "not of RxNorm", "N"),
			atom("900005", "RXNORM", "BN", "Glowfast", "N"),
			atom("900005", "RXNORM", "BN", "Glowfast old", "O"),
		),
		"rrf/RXNREL.RRF": rrf(16,
			related("900001", "RO", "900002", "has_ingredient"), related("900002", "RO", "900001", "ingredient_of"),
			related("900002", "RB", "900003", "tradename_of"), related("900001", "RO", "900002", "has_ingredient"),
			map[int]string{1: "A1", 3: "SY", 5: "A2", 10: "RXNORM"},
			map[int]string{0: "900001", 3: "RO", 4: "900002", 7: "secret", 10: "OTHER"},
		),
		"rrf/RXNSAT.RRF": rrf(13,
			map[int]string{0: "900002", 8: "RXN_STRENGTH", 9: "RXNORM", 10: "5 MG", 11: "N"},
			map[int]string{0: "900002", 8: "NDC", 9: "RXNORM", 10: "00000000001", 11: "N"},
			map[int]string{0: "900002", 8: "NDC", 9: "OTHER", 10: "00000000002", 11: "N"},
			map[int]string{0: "900002", 8: "TTY", 9: "RXNORM", 10: "x", 11: "N"},
		),
		"rrf/RXNSTY.RRF": rrf(6, map[int]string{0: "900002", 1: "T900", 2: "A9", 3: "Glowing Drug", 4: "AT1"}, map[int]string{0: "1", 1: "T1"}),
		"rrf/RXNATOMARCHIVE.RRF": rrf(16,
			map[int]string{2: "luminol 5 MG Pill", 12: "900900", 13: "RXNORM", 14: "SCD", 15: "900002"},
			map[int]string{2: "luminol pill", 12: "900900", 13: "RXNORM", 14: "SY", 15: "900900"},
			map[int]string{2: "still there", 12: "900001", 13: "RXNORM", 14: "IN"},
			map[int]string{2: "of another", 12: "900901", 13: "OTHER", 14: "IN"},
		),
		"rrf/RXNCUI.RRF": rrf(5, map[int]string{0: "900900", 1: "20260101", 4: "900005"}, map[int]string{0: "7", 4: "8"}),
		"rrf/RXNSAB.RRF": rrf(25, map[int]string{2: "RXNORM_26AB_260907F", 3: "RXNORM", 6: "26AB_260907F"}),

		"prescribe/rrf/deep/RXNCONSO.RRF": rrf(18, atom("1", "RXNORM", "IN", "that is not read", "N")),
	}
}

func write(t testing.TB, folder string, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), folder)
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// collected is a sink that keeps the index.
type collected struct{ index *codesystem.Index }

func (k *collected) CodeSystem(x *codesystem.Index, _ loader.Origin) error {
	k.index = x
	return nil
}

func (k *collected) Document(string, *r4.Header, []byte, loader.Origin) error { return nil }

func loaded(t testing.TB, path string) *codesystem.Index {
	t.Helper()
	var k collected
	if err := rxnorm.Load(context.Background(), path, loader.Options{}, &k); err != nil {
		t.Fatal(err)
	}
	return k.index
}

// described writes a concept as text.
func described(t *testing.T, x *codesystem.Index, code string) string {
	t.Helper()
	o, ok := x.Find(code)
	if !ok {
		t.Fatalf("no concept %s", code)
	}
	var b strings.Builder
	b.WriteString(x.Display(o))
	for d := range x.Designations(o) {
		b.WriteString("; " + d.Use.Code + " " + d.Value)
	}
	for p := range x.Properties(o) {
		text := p.Value.Text
		if c := p.Value.Coding; c != nil {
			text = c.Code + " " + c.Display
		}
		b.WriteString("; " + p.Code + "=" + text)
	}
	return b.String()
}

func TestLoad(t *testing.T) {
	x := loaded(t, write(t, "RxNorm", releaseFiles()))
	if h := x.Header(); h.URL != rxnorm.System || h.Version != "09072026" || h.Date != "2026-09-07" || h.ValueSet != rxnorm.System+"/vs" {
		t.Errorf("header %+v", h.Header)
	}
	if x.Len() != 5 {
		t.Errorf("%d concepts", x.Len())
	}
	for code, want := range map[string]string{
		"900001": "luminol; TTY=IN; SAB=RXNORM; SAB=OTHER; RO=900002; ingredient_of=900002",
		"900002": "luminol 5 MG Oral Tablet; PSN luminol 5 MG Tablet; SY luminol tablet of 5 mg; TTY=SCD; TTY=PSN; TTY=SY; SAB=RXNORM; STY=T900 Glowing Drug; RXN_STRENGTH=5 MG; NDC=00000000001; ATN_TTY=x; RO=900001; has_ingredient=900001",
		"900003": "luminol 5 MG Oral Tablet [Glowfast]; TTY=SBD; inactive=true; SUPPRESS=O; SAB=RXNORM; RB=900002; tradename_of=900002",
		"900005": "Glowfast; BN Glowfast old; TTY=BN; SAB=RXNORM",
		"900900": "luminol 5 MG Pill; SY luminol pill; TTY=SCD; TTY=SY; inactive=true; MERGED_TO_RXCUI=900002; MERGED_TO_RXCUI=900005",
	} {
		if got := described(t, x, code); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", code, got, want)
		}
	}
	for _, f := range []r4.Filter{
		{Property: "TTY", Op: "in", Value: "SCD,SBD"},
		{Property: "STY", Op: "=", Value: "T900"},
		{Property: "has_ingredient", Op: "=", Value: "900001"},
	} {
		set, err := x.Filter(context.Background(), f)
		if o, _ := x.Find("900002"); err != nil || !set.Contains(o) {
			t.Errorf("%+v: %v, %v", f, set, err)
		}
	}
}

// TestZip: the day of the release is that in the name of the archive.
func TestZip(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	files := releaseFiles()
	delete(files, "rrf/RXNSAB.RRF")
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(files[name]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	dir := write(t, "", map[string]string{"RxNorm_full_10052026.zip": b.String()})
	path := filepath.Join(dir, "RxNorm_full_10052026.zip")
	if !rxnorm.Detect(path) {
		t.Error("not detected")
	}
	if x := loaded(t, path); x.Header().Version != "10052026" || x.Len() != 5 {
		t.Errorf("version %s, %d concepts", x.Header().Version, x.Len())
	}
}

func TestNames(t *testing.T) {
	conso := ""
	for _, text := range []string{"a", "b", "c", "c"} {
		conso += rrf(18, atom("1", "RXNORM", "SY", text, "N"))
	}
	if got := described(t, loaded(t, write(t, "r", map[string]string{"RXNCONSO.RRF": conso})), "1"); got != "a; SY b; SY c; TTY=SY; SAB=RXNORM" {
		t.Error(got)
	}
}

func TestDetect(t *testing.T) {
	if !rxnorm.Detect(write(t, "r", releaseFiles())) {
		t.Error("a release is not detected")
	}
	for name, files := range map[string]map[string]string{
		"nothing":      {"x.txt": "x"},
		"other fields": {"RXNCONSO.RRF": "a|b|\n"},
		"empty":        {"RXNCONSO.RRF": ""},
	} {
		if rxnorm.Detect(write(t, "r", files)) {
			t.Errorf("%s is detected", name)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name, file, text, say string
		want                  error
	}{
		{"nothing", "rrf/RXNCONSO.RRF", "", "RXNCONSO.RRF is missing", loader.ErrNothing},
		{"other source", "rrf/RXNCONSO.RRF", rrf(18, atom("1", "OTHER", "IN", "x", "N")), "it has no names from the source RXNORM", loader.ErrNothing},
		{"few fields", "rrf/RXNCONSO.RRF", rrf(18, atom("1", "RXNORM", "IN", "x", "N")) + "1|2|\n", "RXNCONSO.RRF: line 2: ", loader.ErrFormat},
		{"many fields", "rrf/RXNSTY.RRF", "1|2|3|4|5|6|7|\n", "RXNSTY.RRF: line 1: ", loader.ErrFormat},
		{"no code", "rrf/RXNCONSO.RRF", rrf(18, atom("", "RXNORM", "IN", "x", "N")), "RXNCONSO.RRF: line 1: ", loader.ErrFormat},
		{"no UTF-8", "rrf/RXNSTY.RRF", "1|\xff|3|4|5|6|\n", "RXNSTY.RRF: line 1: ", loader.ErrFormat},
		{"long line", "rrf/RXNSAT.RRF", rrf(13, map[int]string{10: "x"}) + strings.Repeat("x", 2<<20), "RXNSAT.RRF: line 2: ", loader.ErrTooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := releaseFiles()
			delete(files, "prescribe/rrf/deep/RXNCONSO.RRF")
			delete(files, "rrf/RXNATOMARCHIVE.RRF")
			files[c.file] = c.text
			if c.text == "" {
				delete(files, c.file)
			}
			err := rxnorm.Load(context.Background(), write(t, "r", files), loader.Options{}, &collected{})
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.say) {
				t.Errorf("got %v, want %v with %q", err, c.want, c.say)
			}
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := rxnorm.Load(ctx, write(t, "r", releaseFiles()), loader.Options{}, &collected{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// FuzzRelease: whatever one file of a release holds, Load neither panics nor hangs, and an
// index that it makes is sound.
func FuzzRelease(f *testing.F) { loadertest.FuzzRelease(f, releaseFiles(), rxnorm.LoadFiles) }
