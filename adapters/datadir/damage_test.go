package datadir

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/codesystem"
)

// damages are kinds of corruption with the errors they cause. Corrupted contents are only
// detected when an entry is used.
var damages = []struct {
	name   string
	change func(pack []byte) []byte
	err    error
	late   bool
}{
	{"empty", func([]byte) []byte { return nil }, codesystem.ErrForeign, false},
	{"another kind of file", func([]byte) []byte { return []byte(strings.Repeat("SQLite format 3\x00", 300)) }, codesystem.ErrForeign, false},
	{"other layout", func(p []byte) []byte { p[8]++; return p }, codesystem.ErrSnapshotVersion, false},
	{"bit in the header", func(p []byte) []byte { p[17] ^= 4; return p }, codesystem.ErrDamaged, false},
	{"cut to the header", func(p []byte) []byte { return p[:headerSize] }, codesystem.ErrDamaged, false},
	{"cut in the middle", func(p []byte) []byte { return p[:len(p)/2] }, codesystem.ErrDamaged, false},
	{"one byte short", func(p []byte) []byte { return p[:len(p)-1] }, codesystem.ErrDamaged, false},
	{"one byte more", func(p []byte) []byte { return append(p, 0) }, codesystem.ErrDamaged, false},
	{"bit in the table", func(p []byte) []byte { p[len(p)-3] ^= 1; return p }, codesystem.ErrDamaged, false},
	{"bit in the contents", func(p []byte) []byte { p[firstBlob+200] ^= 1; return p }, codesystem.ErrDamaged, true},
	{"zeros in the contents", func(p []byte) []byte { clear(p[firstBlob : firstBlob+100]); return p }, codesystem.ErrDamaged, true},
}

// damagedFolder creates a folder whose pack was compiled from source and then corrupted.
func damagedFolder(t *testing.T, source string, change func([]byte) []byte) (folder, pack string) {
	t.Helper()
	folder = t.TempDir()
	d := open(t, folder, Options{})
	load(t, d, func(w *Writer) {
		if source != "" {
			must(t, w.AddSource(source, nil))
		}
		must(t, w.AddCodeSystem(compile(t, "http://x/a", "1", 40), "a.json"))
	})
	must(t, d.Close())
	pack = filepath.Join(folder, packFolder, "0000000001.pack")
	data, err := os.ReadFile(pack)
	must(t, err)
	must(t, os.WriteFile(pack, change(data), 0o644))
	return folder, pack
}

func sourceFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.json")
	must(t, os.WriteFile(path, []byte(`{}`), 0o644))
	return path
}

// useFolder opens a folder and its only code system.
func useFolder(t *testing.T, folder string, opts Options) error {
	t.Helper()
	d, err := Open(t.Context(), folder, opts)
	if err != nil {
		return err
	}
	defer d.Close()
	entries := d.Entries()
	if len(entries) != 1 {
		t.Fatalf("%d entries", len(entries))
	}
	x, err := entries[0].CodeSystem()
	if err == nil && x.Len() != 40 {
		t.Errorf("%d concepts", x.Len())
	}
	return err
}

func TestDamageIsRefused(t *testing.T) {
	source := sourceFile(t)
	for _, row := range damages {
		t.Run(row.name, func(t *testing.T) {
			folder, pack := damagedFolder(t, source, row.change)
			err := useFolder(t, folder, Options{})
			var refused *PackError
			if !errors.Is(err, row.err) || !errors.As(err, &refused) || refused.Path != pack || !strings.Contains(err.Error(), pack) {
				t.Errorf("error %v, want %v naming %s", err, row.err, pack)
			}
			d := open(t, folder, Options{Tolerate: true})
			if row.late {
				if err := d.Verify(t.Context()); !errors.Is(err, row.err) {
					t.Errorf("Verify: %v", err)
				}
				return
			}
			failed := d.Damaged()
			if len(d.Entries()) != 0 || len(failed) != 1 || !errors.Is(failed[0], row.err) {
				t.Errorf("tolerated: %d entries, %v", len(d.Entries()), failed)
			}
		})
	}
}

func TestDamageIsRepaired(t *testing.T) {
	source := sourceFile(t)
	for _, row := range damages {
		t.Run(row.name, func(t *testing.T) {
			folder, pack := damagedFolder(t, source, row.change)
			var log strings.Builder
			calls := 0
			opts := Options{
				Logger: slog.New(slog.NewTextHandler(&log, nil)),
				Rebuild: func(_ context.Context, w *Writer, sources []Source) error {
					calls++
					if len(sources) != 1 || sources[0].Path != source {
						t.Errorf("sources: %v", sources)
					}
					return w.AddCodeSystem(compile(t, "http://x/a", "1", 40), "a.json")
				},
			}
			must(t, useFolder(t, folder, opts))
			if calls != 1 || !strings.Contains(log.String(), pack) {
				t.Errorf("compiled again %d times; log: %s", calls, log.String())
			}
			// It stays repaired, and its source stays recorded.
			must(t, useFolder(t, folder, Options{}))
			side, err := readSidecar(pack)
			if err != nil || len(side.Sources) != 1 {
				t.Errorf("sidecar: %v, %v", side, err)
			}
		})
	}
}

func TestRepairIsImpossible(t *testing.T) {
	cannot := errors.New("the compiler has no wish to")
	for _, row := range []struct {
		name    string
		before  func(t *testing.T, source, pack string)
		rebuild error
		says    string
	}{
		{"source changed", func(t *testing.T, source, _ string) { must(t, os.WriteFile(source, []byte(`{"a":1}`), 0o644)) }, nil, "has changed since it was loaded"},
		{"source gone", func(t *testing.T, source, _ string) { must(t, os.Remove(source)) }, nil, "a.json: does not exist"},
		{"no sidecar", func(t *testing.T, _, pack string) { must(t, os.Remove(sidecarPath(pack))) }, nil, "sources are not recorded"},
		{"bad sidecar", func(t *testing.T, _, pack string) { must(t, os.WriteFile(sidecarPath(pack), []byte("{"), 0o644)) }, nil, "unexpected end"},
		{"compiling fails", func(*testing.T, string, string) {}, cannot, "no wish to"},
	} {
		for _, damage := range damages {
			t.Run(row.name+"/"+damage.name, func(t *testing.T) {
				t.Parallel()
				source := sourceFile(t)
				folder, pack := damagedFolder(t, source, damage.change)
				row.before(t, source, pack)
				damaged, err := os.ReadFile(pack)
				must(t, err)
				err = useFolder(t, folder, Options{Rebuild: func(_ context.Context, w *Writer, _ []Source) error {
					if row.rebuild == nil {
						t.Error("compiled again")
					}
					must(t, w.AddCodeSystem(compile(t, "http://x/other", "1", 4), ""))
					return row.rebuild
				}})
				if !errors.Is(err, damage.err) || !strings.Contains(err.Error(), row.says) || errors.Is(err, fs.ErrNotExist) {
					t.Errorf("error %v, want %v that says %q", err, damage.err, row.says)
				}
				after, err := os.ReadFile(pack)
				must(t, err)
				if string(after) != string(damaged) {
					t.Error("the pack was changed")
				}
			})
		}
	}
}

// Sources that no longer contain the resource of a corrupted pack cause an error, not another
// result.
func TestRepairLacksEntry(t *testing.T) {
	folder, _ := damagedFolder(t, sourceFile(t), damages[len(damages)-1].change)
	err := useFolder(t, folder, Options{Rebuild: func(_ context.Context, w *Writer, _ []Source) error {
		return w.AddCodeSystem(compile(t, "http://x/other", "1", 4), "")
	}})
	if !errors.Is(err, codesystem.ErrDamaged) || !strings.Contains(err.Error(), "http://x/a") {
		t.Errorf("error %v", err)
	}
}

// Loading the sources again replaces a corrupted pack.
func TestLoadAgainRepairs(t *testing.T) {
	source := sourceFile(t)
	for _, damage := range damages {
		t.Run(damage.name, func(t *testing.T) {
			folder, _ := damagedFolder(t, source, damage.change)
			d := open(t, folder, Options{Tolerate: true})
			load(t, d, func(w *Writer) {
				must(t, w.AddSource(source, nil))
				must(t, w.AddCodeSystem(compile(t, "http://x/a", "1", 40), "a.json"))
			})
			if failed := d.Damaged(); len(failed) != 0 {
				t.Errorf("still damaged: %v", failed)
			}
			must(t, useFolder(t, folder, Options{}))
		})
	}
}

// A corrupted pack does not prevent loading others.
func TestLoadBesideDamage(t *testing.T) {
	folder, pack := damagedFolder(t, sourceFile(t), damages[0].change)
	calls := 0
	d := open(t, folder, Options{Tolerate: true, Rebuild: func(context.Context, *Writer, []Source) error {
		calls++
		return errors.New("cannot")
	}})
	load(t, d, func(w *Writer) { must(t, w.AddCodeSystem(compile(t, "http://x/b", "1", 3), "b.json")) })
	equal(t, "entries", names(d), []string{"CodeSystem http://x/b|1"})
	var refused *PackError
	if failed := d.Damaged(); calls != 1 || len(failed) != 1 || !errors.As(failed[0], &refused) || refused.Path != pack {
		t.Errorf("compiled again %d times; %v", calls, failed)
	}
}

// Only who loads its sources again replaces a corrupted pack, and it may have none.
func TestLoadBesideDamageWithoutSource(t *testing.T) {
	folder, _ := damagedFolder(t, "", damages[0].change)
	d := open(t, folder, Options{Tolerate: true})
	load(t, d, func(w *Writer) { must(t, w.AddCodeSystem(compile(t, "http://x/b", "1", 3), "b.json")) })
	if failed := d.Damaged(); len(failed) != 1 {
		t.Error(failed)
	}
}

// Two processes that detect the same corruption repair it once.
func TestRepairedByAnother(t *testing.T) {
	source := sourceFile(t)
	folder, _ := damagedFolder(t, source, damages[len(damages)-1].change)
	calls := 0
	opts := Options{Rebuild: func(_ context.Context, w *Writer, _ []Source) error {
		calls++
		return w.AddCodeSystem(compile(t, "http://x/a", "1", 40), "a.json")
	}}
	first, second := open(t, folder, opts), open(t, folder, opts)
	answers(t, first, "http://x/a", "1", 40)
	answers(t, second, "http://x/a", "1", 40)
	answers(t, first, "http://x/a", "1", 40)
	if calls != 1 {
		t.Errorf("compiled again %d times", calls)
	}
}

// A process that needs a repair waits for another one that is repairing.
func TestRepairWaits(t *testing.T) {
	folder, _ := damagedFolder(t, sourceFile(t), damages[len(damages)-1].change)
	calls := 0
	opts := Options{Rebuild: func(_ context.Context, w *Writer, _ []Source) error {
		calls++
		return w.AddCodeSystem(compile(t, "http://x/a", "1", 40), "a.json")
	}}
	other := open(t, folder, opts)
	w, err := other.Writer(t.Context())
	must(t, err)
	release := time.AfterFunc(100*time.Millisecond, w.Abort)
	defer release.Stop()
	must(t, useFolder(t, folder, opts))
	if calls != 1 {
		t.Errorf("compiled again %d times", calls)
	}
}

// A table of contents lies between the first blob and the end of the file.
func TestPlaceOfContents(t *testing.T) {
	for at, good := range map[uint64]bool{firstBlob - 1: false, firstBlob: true, 8192: true, 8193: false} {
		h := header{tocOffset: at, tocLength: 8192 - at, fileLength: 8192}
		if _, err := decodeHeader(h.encode(), 8192); (err == nil) != good {
			t.Errorf("at %d: %v", at, err)
		}
	}
}

// A link that leads nowhere is an error, not the end of the program.
func TestPackOfNothing(t *testing.T) {
	folder, pack := loaded(t)
	must(t, os.Symlink("gone", filepath.Join(filepath.Dir(pack), "0000000002.pack")))
	if _, err := Open(t.Context(), folder, Options{Tolerate: true}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// Counts and offsets in a table of contents are checked before use.
func TestTableOfContentsLies(t *testing.T) {
	good := encodeTOC([]record{{offset: firstBlob, length: 10, checks: []uint32{1}}})
	for name, toc := range map[string][]byte{
		"blob before the first":  encodeTOC([]record{{offset: 64}}),
		"blob behind the end":    encodeTOC([]record{{offset: 8192 + 64}}),
		"blob over the end":      encodeTOC([]record{{offset: firstBlob, length: 4097, checks: []uint32{1}}}),
		"blob not aligned":       encodeTOC([]record{{offset: firstBlob + 8, length: 10, checks: []uint32{1}}}),
		"checksums missing":      encodeTOC([]record{{offset: firstBlob, length: 10}}),
		"more after the entries": append(good, 0),
		"number without an end":  append([]byte{0xff}, make([]byte, 40)...),
		"too many concepts":      encodeTOC([]record{{concepts: 1<<32 + 1, offset: firstBlob}}),
		"kind of meta":           slices.Concat(good[:15], []byte{2}, good[16:]),
		"long string":            binary.AppendUvarint(nil, 1<<62),
		"nothing":                nil,
	} {
		if got, err := decodeTOC(toc, 1, 8192); !errors.Is(err, codesystem.ErrDamaged) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for n := range good {
		if _, err := decodeTOC(good[:n], 1, 8192); !errors.Is(err, codesystem.ErrDamaged) {
			t.Errorf("cut to %d bytes: %v", n, err)
		}
	}
	if _, err := decodeTOC(good, 1<<31, 8192); !errors.Is(err, codesystem.ErrDamaged) {
		t.Errorf("many entries: %v", err)
	}
	for _, r := range []record{{offset: firstBlob, length: 10, checks: []uint32{1}}, {concepts: 1 << 32, offset: 8192}} {
		if _, err := decodeTOC(encodeTOC([]record{r}), 1, 8192); err != nil {
			t.Errorf("%v: %v", r, err)
		}
	}
}

func TestPackErrorText(t *testing.T) {
	err := &PackError{Path: "p.pack", Err: fmt.Errorf("%w: checksum", codesystem.ErrDamaged)}
	equal(t, "text", err.Error(), "p.pack: damaged snapshot: checksum (load its sources again, or remove the file)")
}
