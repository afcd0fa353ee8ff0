package auditlog_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/roget-health/roget/access/audit"
	"github.com/roget-health/roget/adapters/auditlog"
)

func open(t *testing.T, folder string, o auditlog.Options) *auditlog.Log {
	t.Helper()
	l, err := auditlog.Open(folder, o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func record(n int) audit.Record {
	return audit.Record{Time: time.Now(), Event: "read", Request: fmt.Sprintf("r%d", n), Status: 200, Read: []string{fmt.Sprintf("Patient/%d/_history/1", n)}, Patients: []string{fmt.Sprintf("Patient/%d", n)}}
}

func appendOne(t *testing.T, l *auditlog.Log, n int) {
	t.Helper()
	if err := l.Append(t.Context(), record(n)); err != nil {
		t.Fatal(err)
	}
}

// requests reads the requests of a log with encoding/json alone.
func requests(t *testing.T, folder string) (list []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(paths)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for d := json.NewDecoder(bytes.NewReader(data)); ; {
			var line struct{ Request string }
			if err := d.Decode(&line); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			if line.Request != "" {
				list = append(list, line.Request)
			}
		}
	}
	return list
}

func verify(t *testing.T, folder string, key []byte) *auditlog.Report {
	t.Helper()
	r, err := auditlog.Verify(t.Context(), []string{folder}, nil, key, "")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestConcurrent checks that all lines of many writers are there, in files that verify.
func TestConcurrent(t *testing.T) {
	for _, sync := range []auditlog.Sync{auditlog.SyncAlways, auditlog.SyncInterval} {
		folder := filepath.Join(t.TempDir(), "new", "log")
		l := open(t, folder, auditlog.Options{Sync: sync, FileSize: 20_000, Key: bytes.Repeat([]byte("k"), 32)})
		writeMany(t, l, 8, 50)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		got := requests(t, folder)
		slices.Sort(got)
		if n := len(slices.Compact(got)); n != 400 {
			t.Errorf("%s: %d requests, want 400", sync, n)
		}
		files, _ := filepath.Glob(filepath.Join(folder, "*.jsonl"))
		if len(files) < 3 {
			t.Errorf("%s: %d files", sync, len(files))
		}
		for _, path := range files {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v %v", path, info.Mode(), err)
			}
		}
		if r := verify(t, folder, bytes.Repeat([]byte("k"), 32)); len(r.Problems) > 0 {
			t.Errorf("%s: %v", sync, r.Problems)
		}
		if r := verify(t, folder, nil); len(r.Problems)+r.More < 400 {
			t.Errorf("%s: without the key there are %d problems", sync, len(r.Problems)+r.More)
		}
		if err := l.Append(t.Context(), record(1)); !errors.Is(err, auditlog.ErrClosed) {
			t.Errorf("Append after Close: %v", err)
		}
	}
}

func writeMany(t *testing.T, l *auditlog.Log, writers, each int) {
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range each {
				if err := l.Append(context.Background(), record(w*each+i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}

// TestAlteration checks that every kind of alteration is found.
func TestAlteration(t *testing.T) {
	folder := t.TempDir()
	l := open(t, folder, auditlog.Options{FileSize: 3000})
	for n := range 40 {
		appendOne(t, l, n)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	noted := verify(t, folder, nil)
	if len(noted.Problems) > 0 || noted.Lines < 42 {
		t.Fatalf("%+v", noted)
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	slices.Sort(files)
	middle, err := os.ReadFile(files[1])
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(middle), "\n")
	for name, changed := range map[string]string{
		"a changed line":     strings.Replace(string(middle), `"status":200`, `"status":404`, 1),
		"a removed line":     strings.Join(slices.Delete(slices.Clone(lines), 2, 3), ""),
		"swapped lines":      lines[0] + lines[2] + lines[1] + strings.Join(lines[3:], ""),
		"a repeated line":    lines[0] + lines[1] + lines[1] + strings.Join(lines[2:], ""),
		"no first line":      strings.Join(lines[1:], ""),
		"no last line":       strings.Join(lines[:len(lines)-2], ""),
		"an added line":      lines[0] + `{"n":1,"time":"2026-01-01T00:00:00Z","event":"read","sum":"` + strings.Repeat("A", 43) + `"}` + "\n" + strings.Join(lines[1:], ""),
		"a line that is not": lines[0] + "nonsense\n" + strings.Join(lines[1:], ""),
		"an empty file":      "",
	} {
		if changed == string(middle) {
			t.Fatalf("%s: nothing changed", name)
		}
		if err := os.WriteFile(files[1], []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		if r := verify(t, folder, nil); len(r.Problems) == 0 {
			t.Errorf("%s was not found", name)
		}
	}
	if err := os.WriteFile(files[1], middle, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := verify(t, folder, nil); len(r.Problems) > 0 {
		t.Errorf("%v", r.Problems)
	}
	if err := os.Remove(files[len(files)-1]); err != nil { // the end was cut off
		t.Fatal(err)
	}
	r, err := auditlog.Verify(t.Context(), []string{folder}, nil, nil, noted.Sum)
	if err != nil || r.Found || len(r.Problems) > 0 {
		t.Errorf("%v %+v", err, r)
	}
	if err := os.Remove(files[0]); err != nil { // as Keep does
		t.Fatal(err)
	}
	if r := verify(t, folder, nil); len(r.Problems) > 0 {
		t.Errorf("a log whose oldest file is gone: %v", r.Problems)
	}
}

// TestTorn cuts a log off at every byte of its last two lines, and checks that opening repairs it and
// keeps all whole lines.
func TestTorn(t *testing.T) {
	source := t.TempDir()
	l := open(t, source, auditlog.Options{})
	appendOne(t, l, 1)
	appendOne(t, l, 2)
	files, _ := filepath.Glob(filepath.Join(source, "*.jsonl"))
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(files[0])
	for cut := 0; cut <= len(whole); cut += 7 {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, name), whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		want := []string{}
		for _, n := range []string{"r1", "r2"} {
			if i := bytes.Index(whole[:cut], []byte(`"request":"`+n+`"`)); i >= 0 && bytes.IndexByte(whole[i:cut], '\n') >= 0 {
				want = append(want, n)
			}
		}
		l := open(t, folder, auditlog.Options{})
		appendOne(t, l, 3)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if got := requests(t, folder); !slices.Equal(got, append(want, "r3")) {
			t.Errorf("cut at %d: %v, want %v and r3", cut, got, want)
		}
		if r := verify(t, folder, nil); len(r.Problems) > 0 {
			t.Errorf("cut at %d: %v", cut, r.Problems)
		}
	}
}

// TestDamagedEnd checks that a log whose last line is damaged is kept, continued in another file, and
// reported.
func TestDamagedEnd(t *testing.T) {
	folder := t.TempDir()
	l := open(t, folder, auditlog.Options{})
	appendOne(t, l, 1)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	copy(data[len(data)-10:], "garbage##")
	if err := os.WriteFile(files[0], data, 0o600); err != nil {
		t.Fatal(err)
	}
	l = open(t, folder, auditlog.Options{})
	appendOne(t, l, 2)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if r := verify(t, folder, nil); len(r.Problems) == 0 || r.Files != 2 {
		t.Errorf("%+v", r)
	}
	if kept, err := os.ReadFile(files[0]); err != nil || !bytes.Equal(kept, data) {
		t.Errorf("the damaged file was changed: %v", err)
	}
}

// TestLocked checks that two logs cannot write to one folder.
func TestLocked(t *testing.T) {
	folder := t.TempDir()
	l := open(t, folder, auditlog.Options{})
	if _, err := auditlog.Open(folder, auditlog.Options{}); !errors.Is(err, auditlog.ErrLocked) {
		t.Errorf("a second Open: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := open(t, folder, auditlog.Options{}).Close(); err != nil {
		t.Error(err)
	}
}

// TestKeepAndCompress checks that old files go, that others are compressed, and that both can be read.
func TestKeepAndCompress(t *testing.T) {
	folder := t.TempDir()
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for day := range 5 {
		l := open(t, folder, auditlog.Options{Now: func() time.Time { return now.AddDate(0, 0, day) }})
		appendOne(t, l, day)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	l := open(t, folder, auditlog.Options{Now: func() time.Time { return now.AddDate(0, 0, 5) }, Keep: 48 * time.Hour, Compress: true})
	if err := l.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	var lines []string
	err := auditlog.Read(t.Context(), []string{folder}, nil, func(_ string, text []byte) error {
		line, err := audit.ParseLine(text)
		if err == nil && line.Request+line.Note != "" {
			lines = append(lines, line.Request+line.Note)
		}
		return err
	})
	// The files of the first two days ended more than two days ago.
	if got := strings.Join(lines, " "); err != nil || !strings.HasPrefix(got, "r2 r3 r4 audit-") || strings.Count(got, "audit-") != 2 {
		t.Errorf("%v %q", err, got)
	}
	packed, _ := filepath.Glob(filepath.Join(folder, "*.gz"))
	if len(packed) != 3 {
		t.Errorf("compressed: %v", packed)
	}
	if r := verify(t, folder, nil); len(r.Problems) > 0 {
		t.Errorf("%v", r.Problems)
	}
}

// TestFailure checks that nothing is acknowledged while the folder cannot be written, and that the log
// goes on afterwards. The folder is replaced by a file, because root may write everywhere.
func TestFailure(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "log")
	l := open(t, folder, auditlog.Options{FileSize: 1})
	appendOne(t, l, 1)
	l.BreakFile()
	away := folder + ".away"
	if err := os.Rename(folder, away); err != nil {
		t.Fatal(err)
	}
	if err := l.Append(t.Context(), record(2)); err == nil {
		t.Error("a line was acknowledged that is nowhere")
	}
	if l.Check(t.Context()) == nil {
		t.Error("Check reports nothing")
	}
	if s := l.Stats(); s.Written != 2 || s.Failed != 2 || s.Time <= 0 {
		t.Errorf("%+v, want 2 lines written (start and one) and 2 failed", s)
	}
	if err := os.Rename(away, folder); err != nil {
		t.Fatal(err)
	}
	if err := l.Check(t.Context()); err != nil {
		t.Errorf("Check: %v", err)
	}
	appendOne(t, l, 3)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if got := requests(t, folder); !slices.Equal(got, []string{"r1", "r3"}) {
		t.Errorf("%v", got)
	}
	if r := verify(t, folder, nil); len(r.Problems) > 0 {
		t.Errorf("%v", r.Problems)
	}
}

// TestRefusals checks that a flood of refused requests is counted instead of logged.
func TestRefusals(t *testing.T) {
	folder := t.TempDir()
	l := open(t, folder, auditlog.Options{})
	refused := record(0)
	refused.Status, refused.Read, refused.Patients = 401, nil, nil
	for n := range 5000 {
		refused.Address = fmt.Sprintf("192.0.2.%d", n%2)
		if err := l.AppendRefused(t.Context(), refused); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 5000 { // everybody once
		refused.Address = fmt.Sprintf("2001:db8::%x", n)
		if err := l.AppendRefused(t.Context(), refused); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	lines, counted := 0, 0
	err := auditlog.Read(t.Context(), []string{folder}, nil, func(_ string, text []byte) error {
		line, err := audit.ParseLine(text)
		if line.Status == 401 {
			lines++
		}
		counted += line.Count
		return err
	})
	if err != nil || lines+counted != 10_000 || lines > 2000 || lines < 40 {
		t.Errorf("%v: %d lines, %d counted", err, lines, counted)
	}
}

// FuzzRead reads any bytes as a file of an audit log, plain and compressed, at once and byte by byte.
// Complete lines come unchanged and in order, and no bytes make the check of the log panic.
func FuzzRead(f *testing.F) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write([]byte("{\"n\":1}\n{}\n"))
	_ = w.Close()
	long := strings.Repeat("x", 70<<10)
	for _, seed := range []string{"", "\n", "{}\n", "a\nb", "a\n\n\nb\n", "\r\n", packed.String(), packed.String()[:20], "\x1f\x8b", long + "\n" + long, long + "\n" + long + "\n{}\n"} {
		f.Add([]byte(seed))
	}
	name := filepath.Join(f.TempDir(), "audit-000000000001-2026-01-02.jsonl")
	f.Fuzz(func(t *testing.T, data []byte) {
		read := func(in io.Reader) (lines []string, err error) {
			err = auditlog.Read(t.Context(), []string{auditlog.Stdin}, in, func(_ string, line []byte) error {
				lines = append(lines, string(line))
				return nil
			})
			return lines, err
		}
		plain := data
		if bytes.HasPrefix(data, []byte("\x1f\x8b")) {
			z, err := gzip.NewReader(bytes.NewReader(data))
			if err != nil {
				if _, err := read(bytes.NewReader(data)); err == nil {
					t.Error("no error of what cannot be unpacked")
				}
				return
			}
			if plain, err = io.ReadAll(io.LimitReader(z, 1<<20)); err != nil || len(plain) == 1<<20 {
				return // what it unpacks to before an error depends on the implementation
			}
		}
		want := strings.Split(string(plain), "\n")
		want = want[:len(want)-1]
		have, err := read(bytes.NewReader(data))
		slow, slowErr := read(iotest.OneByteReader(bytes.NewReader(data)))
		if err != nil || slowErr != nil || !slices.Equal(have, want) || !slices.Equal(slow, want) {
			t.Errorf("%q: %q, %v, byte by byte %q, %v, want %q", data, have, err, slow, slowErr, want)
		}
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		report, err := auditlog.Verify(t.Context(), []string{name}, nil, nil, "")
		if err == nil && len(want) > 0 && len(report.Problems) == 0 && !strings.Contains(want[0], "{") {
			t.Errorf("%q has no problem: %+v", data, report)
		}
	})
}

func TestUsable(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	locked := filepath.Join(folder, "locked")
	if err := os.Mkdir(locked, 0o500); err != nil {
		t.Fatal(err)
	}
	for path, usable := range map[string]bool{
		folder: true, filepath.Join(folder, "new", "log"): true, file: false, filepath.Join(file, "log"): false,
		filepath.Join(locked, "log"): os.Geteuid() == 0, // nothing is locked for root
	} {
		if err := auditlog.Usable(path); (err == nil) != usable {
			t.Errorf("%s: %v", path, err)
		}
	}
	l := open(t, folder, auditlog.Options{})
	if err := auditlog.Usable(folder); err != nil {
		t.Errorf("in use: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}
