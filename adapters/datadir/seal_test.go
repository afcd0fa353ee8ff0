package datadir

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/codesystem"
)

// loaded creates a folder with one pack of two code systems.
func loaded(t *testing.T) (folder, pack string) {
	t.Helper()
	folder = t.TempDir()
	d := open(t, folder, Options{})
	load(t, d, func(w *Writer) {
		must(t, w.AddCodeSystem(compile(t, "http://x/a", "1", 40), "a.json"))
		must(t, w.AddCodeSystem(compile(t, "http://x/b", "1", 30), "b.json"))
	})
	must(t, d.Close())
	return folder, filepath.Join(folder, packFolder, "0000000001.pack")
}

// trusts reports whether the only pack of a folder is trusted after opening.
func trusts(t *testing.T, folder string) bool {
	t.Helper()
	d := open(t, folder, Options{})
	return d.packs[0].trusted()
}

// flip changes a byte of the snapshot of the first entry.
func flip(t *testing.T, pack string) {
	t.Helper()
	file, err := os.OpenFile(pack, os.O_RDWR, 0)
	must(t, err)
	defer file.Close()
	one := make([]byte, 1)
	_, err = file.ReadAt(one, firstBlob+1000)
	must(t, err)
	one[0] ^= 4
	_, err = file.WriteAt(one, firstBlob+1000)
	must(t, err)
}

// reseal adapts the seal to the present attributes of the file, as if the storage medium had
// corrupted it by itself, and then applies change to the seal.
func reseal(t *testing.T, pack string, change func(*seal)) {
	t.Helper()
	file, err := os.Open(pack)
	must(t, err)
	defer file.Close()
	data, err := os.ReadFile(sealPath(pack))
	must(t, err)
	var s seal
	must(t, json.Unmarshal(data, &s))
	s.File, err = fingerprintOf(file)
	must(t, err)
	change(&s)
	data, err = json.Marshal(s)
	must(t, err)
	must(t, os.WriteFile(sealPath(pack), data, 0o644))
}

func TestWrittenPackIsTrusted(t *testing.T) {
	folder, pack := loaded(t)
	if !trusts(t, folder) {
		t.Error("a pack that was written a moment ago is not trusted")
	}
	d := open(t, folder, Options{})
	answers(t, d, "http://x/a", "1", 40)
	answers(t, d, "http://x/b", "1", 30)
	info, err := os.Stat(sealPath(pack))
	must(t, err)
	if info.Mode().Perm() != 0o600 && os.PathSeparator == '/' {
		t.Errorf("the seal has mode %v, want that of all files of the data folder, 0600", info.Mode())
	}
}

// A file that was touched in any way is verified again, and trusted again if it is intact.
func TestSealOfAnotherFile(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, pack string){
		"no seal":               func(t *testing.T, pack string) { must(t, os.Remove(sealPath(pack))) },
		"empty seal":            func(t *testing.T, pack string) { must(t, os.WriteFile(sealPath(pack), nil, 0o644)) },
		"torn seal":             func(t *testing.T, pack string) { must(t, os.Truncate(sealPath(pack), 50)) },
		"zeroed seal":           func(t *testing.T, pack string) { must(t, os.WriteFile(sealPath(pack), make([]byte, 200), 0o644)) },
		"seal of other rules":   func(t *testing.T, pack string) { reseal(t, pack, func(s *seal) { s.Version++ }) },
		"seal of a pack before": func(t *testing.T, pack string) { reseal(t, pack, func(s *seal) { s.Header++ }) },
		"written through another name": func(t *testing.T, pack string) {
			must(t, os.Link(pack, pack+".link"))
			flip(t, pack+".link")
			flip(t, pack+".link")
			must(t, os.Remove(pack+".link"))
		},
		"touched":       func(t *testing.T, pack string) { must(t, os.Chtimes(pack, time.Now(), time.Now().Add(-time.Hour))) },
		"other rights":  func(t *testing.T, pack string) { must(t, os.Chmod(pack, 0o600)) },
		"copied":        func(t *testing.T, pack string) { replaceByCopy(t, pack) },
		"written alike": func(t *testing.T, pack string) { flip(t, pack); flip(t, pack) },
	} {
		t.Run(name, func(t *testing.T) {
			folder, pack := loaded(t)
			change(t, pack)
			if trusts(t, folder) {
				t.Fatal("trusted without having been verified")
			}
			d := open(t, folder, Options{})
			answers(t, d, "http://x/a", "1", 40)
			answers(t, d, "http://x/b", "1", 30)
			if !trusts(t, folder) {
				t.Error("verified, but not trusted")
			}
			for _, name := range packs(t, d) {
				if strings.HasSuffix(name, temporarySuffix) {
					t.Errorf("%s is left", name)
				}
			}
		})
	}
}

// replaceByCopy replaces a file with a copy that has the same times.
func replaceByCopy(t *testing.T, path string) {
	t.Helper()
	about, err := os.Stat(path)
	must(t, err)
	data, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path+".copy", data, 0o644))
	must(t, os.Chtimes(path+".copy", about.ModTime(), about.ModTime()))
	must(t, os.Rename(path+".copy", path))
}

// A change is detected even if size and modification time are the same.
func TestChangeWithOldTime(t *testing.T) {
	folder, pack := loaded(t)
	about, err := os.Stat(pack)
	must(t, err)
	flip(t, pack)
	must(t, os.Chtimes(pack, about.ModTime(), about.ModTime()))
	d := open(t, folder, Options{})
	if _, err := d.Entries()[0].CodeSystem(); !errors.Is(err, codesystem.ErrDamaged) {
		t.Errorf("error %v", err)
	}
	answers(t, d, "http://x/b", "1", 30) // the rest is usable
	if trusts(t, folder) {
		t.Error("a damaged pack is trusted")
	}
}

// A pack that changes after opening loses its trust, also for entries used later.
func TestChangeWhileOpen(t *testing.T) {
	folder, pack := loaded(t)
	d := open(t, folder, Options{})
	entries := d.Entries()
	if _, err := entries[1].CodeSystem(); err != nil {
		t.Fatal(err)
	}
	flip(t, pack)
	if _, err := entries[0].CodeSystem(); !errors.Is(err, codesystem.ErrDamaged) {
		t.Errorf("error %v", err)
	}
	answers(t, d, "http://x/b", "1", 30) // the rest is usable
	if d.packs[0].trusted() || trusts(t, folder) {
		t.Error("a damaged pack is trusted")
	}
}

// A pack that changes during verification is not sealed, however soon verification begins after
// the last change.
func TestChangeWhileVerified(t *testing.T) {
	folder, pack := loaded(t)
	d := open(t, folder, Options{})
	p := d.packs[0]
	for range 5 {
		flip(t, pack)
		flip(t, pack)
		s, err := beginSeal(p.file, p.path, p.headerCRC)
		must(t, err)
		must(t, p.verifyAll(t.Context()))
		flip(t, pack)
		flip(t, pack)
		if err := s.commit(); !errors.Is(err, errChangedRecently) {
			t.Fatalf("error %v", err)
		}
		if trusts(t, folder) {
			t.Fatal("trusted, but it was changed after it was verified")
		}
	}
}

// A writer seals only the file that it has written.
func TestAnotherFileInPlace(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, pack string){
		"nothing":  func(*testing.T, string) {},
		"written":  func(t *testing.T, pack string) { flip(t, pack) },
		"replaced": func(t *testing.T, pack string) { replaceByCopy(t, pack) },
	} {
		folder, pack := loaded(t)
		must(t, os.Remove(sealPath(pack)))
		written, err := os.Stat(pack)
		must(t, err)
		time.Sleep(fineResolution) // let the clock of the file system advance
		change(t, pack)
		sealWritten(pack, open(t, folder, Options{}).packs[0].headerCRC, written)
		if got := trusts(t, folder); got != (name == "nothing") {
			t.Errorf("%s: trusted is %v", name, got)
		}
	}
}

// If no seal can be written, packs are verified every time and remain usable.
func TestNoPlaceForSeal(t *testing.T) {
	folder, pack := loaded(t)
	must(t, os.Remove(sealPath(pack)))
	must(t, os.MkdirAll(filepath.Join(sealPath(pack), "in the way"), 0o755))
	for range 2 {
		d := open(t, folder, Options{})
		answers(t, d, "http://x/a", "1", 40)
		if d.packs[0].trusted() {
			t.Error("trusted without a seal")
		}
	}
	flip(t, pack)
	if _, err := open(t, folder, Options{}).Entries()[0].CodeSystem(); !errors.Is(err, codesystem.ErrDamaged) {
		t.Errorf("error %v", err)
	}
}

// Corruption by the storage medium is not detected by opening, but by Verify and Scrub.
func TestSilentDamage(t *testing.T) {
	for name, look := range map[string]func(*Dir, context.Context) error{
		"Verify": (*Dir).Verify,
		"Scrub":  func(d *Dir, ctx context.Context) error { return d.Scrub(ctx, 1<<30) },
	} {
		t.Run(name, func(t *testing.T) {
			folder, pack := loaded(t)
			d := open(t, folder, Options{})
			must(t, look(d, t.Context()))
			flip(t, pack)
			reseal(t, pack, func(*seal) {})
			if !trusts(t, folder) {
				t.Fatal("the seal does not hold: the test tests nothing")
			}
			d = open(t, folder, Options{})
			err := look(d, t.Context())
			var refused *PackError
			if !errors.Is(err, codesystem.ErrDamaged) || !errors.As(err, &refused) || refused.Path != pack {
				t.Errorf("error %v", err)
			}
			if trusts(t, folder) {
				t.Error("a damaged pack is trusted")
			}
			if _, err := open(t, folder, Options{}).Entries()[0].CodeSystem(); !errors.Is(err, codesystem.ErrDamaged) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// Verify makes unsealed packs trusted.
func TestVerifySeals(t *testing.T) {
	folder, pack := loaded(t)
	must(t, os.Remove(sealPath(pack)))
	must(t, open(t, folder, Options{}).Verify(t.Context()))
	if !trusts(t, folder) {
		t.Error("not trusted")
	}
}

// Scrub limits its rate and stops when the context ends.
func TestScrubIsCancelled(t *testing.T) {
	folder, _ := loaded(t)
	d := open(t, folder, Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := d.Scrub(ctx, 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if !trusts(t, folder) {
		t.Error("a patrol that was ended has broken the seal")
	}
}

func TestSettled(t *testing.T) {
	fine, coarse := int64(1_700_000_000_123_456_789), int64(1_700_000_000_000_000_000)
	for _, row := range []struct {
		name    string
		changed int64
		later   time.Duration
		want    bool
	}{
		{"at once", fine, 0, false},
		{"within a step", fine, 15 * time.Millisecond, false},
		{"after a step", fine, 25 * time.Millisecond, true},
		{"whole seconds, soon", coarse, time.Second, false},
		{"whole seconds, later", coarse, 3 * time.Second, true},
		{"clock set back", fine, -time.Hour, false},
	} {
		if got := (fingerprint{ChangeTime: row.changed}).settled(time.Unix(0, row.changed).Add(row.later)); got != row.want {
			t.Errorf("%s: %v", row.name, got)
		}
	}
}
