package backend

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/access/audit"
	"github.com/roget-health/roget/adapters/auditlog"
)

// members is a line as a reader that knows only JSON sees it.
type members map[string]any

func (m members) text(name string) string {
	s, _ := m[name].(string)
	return s
}

func (m members) list(name string) (list []string) {
	items, _ := m[name].([]any)
	for _, item := range items {
		list = append(list, item.(string))
	}
	return list
}

// names reports whether a line reads or changes a resource, in any version.
func (m members) names(ref string) bool {
	for _, list := range []string{"read", "created", "updated", "deleted"} {
		for _, one := range m.list(list) {
			if one == ref || strings.HasPrefix(one, ref+"/_history/") {
				return true
			}
		}
	}
	return false
}

// writeLog writes a log of five months with several files, some of them compressed, and returns its
// lines in order. Some lines are at the first and last moments of months, in UTC and elsewhere.
func writeLog(t *testing.T, folder string) (lines []members) {
	t.Helper()
	now := time.Date(2026, 8, 1, 0, 0, 0, 0, time.UTC)
	l, err := auditlog.Open(folder, auditlog.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	who := []audit.Record{
		{Subject: "meyer", Issuer: "https://login.example", Client: "app", Address: "10.0.0.1"},
		{Subject: "lab", Issuer: "tokens.toml", Address: "10.0.0.2"},
		{Subject: "=HYPERLINK(\"x\")", Address: "2001:db8::1"},
		{Address: "10.0.0.3"},
	}
	times := []time.Time{
		time.Date(2026, 9, 30, 23, 59, 59, 999_999_000, time.UTC), time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2026, 10, 31, 23, 59, 59, 999_999_999, time.UTC), time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2026, 11, 1, 8, 0, 0, 0, time.FixedZone("Tokyo", 9*3600)), // still October in UTC
	}
	for d := range 120 {
		times = append(times, time.Date(2026, 8, 1+d, d%24, 7*d%60, 0, 0, time.UTC))
	}
	slices.SortFunc(times, time.Time.Compare)
	for i, at := range times {
		now = at
		r := who[i%len(who)]
		r.Time, r.Request, r.Status = at, fmt.Sprintf("r%d", i), 200
		p := fmt.Sprintf("Patient/%d", i%7)
		switch i % 6 {
		case 0:
			r.Event, r.Read, r.Patients = "read", []string{p + "/_history/1"}, []string{p}
		case 1:
			r.Event, r.Read, r.Patients, r.Query = "search", []string{"Observation/7/_history/2", "Observation/70"}, []string{p, "Patient/10"}, "code=x\u2028y"
		case 2:
			r.Event, r.Updated, r.Patients = "update", []string{fmt.Sprintf("Observation/%d/_history/3", i%9)}, []string{p}
		case 3:
			r.Event, r.Status = "read", 403
		case 4:
			r.Event, r.Type, r.Path = "$everything", "Patient", "/"+p+"/$everything"
			r.Patients = []string{p}
		case 5:
			r.Event, r.Deleted, r.Status = "delete", []string{"Organization/g/_history/2"}, 204
		}
		if err := l.Append(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil || len(files) < 100 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			var m members
			if err := json.Unmarshal(line, &m); err != nil {
				t.Fatal(err)
			}
			lines = append(lines, m)
		}
		if i%3 == 0 && i+1 < len(files) {
			pack(t, file, text)
		}
	}
	return lines
}

// pack compresses a file as the log does.
func pack(t *testing.T, file string, text []byte) {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file+".gz", b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
}

// TestAuditFilters compares what roget audit prints with a filter of the lines as JSON, for each flag.
func TestAuditFilters(t *testing.T) {
	local := time.Local
	t.Cleanup(func() { time.Local = local })
	time.Local = time.FixedZone("Tokyo", 9*3600) // of those who read; dates are in UTC
	folder := filepath.Join(t.TempDir(), "audit")
	lines := writeLog(t, folder)
	between := func(from, to string) func(members) bool { // texts of a fixed width compare like times
		return func(m members) bool {
			at := m.text("time")
			return (from == "" || at >= from) && (to == "" || at < to)
		}
	}
	of := func(patient string) func(members) bool {
		return func(m members) bool { return slices.Contains(m.list("patients"), patient) || m.names(patient) }
	}
	const october, november = "2026-10-01T00:00:00.000000Z", "2026-11-01T00:00:00.000000Z"
	for _, tt := range []struct {
		args []string
		want func(members) bool
	}{
		{nil, func(members) bool { return true }},
		{[]string{"--patient", "Patient/1"}, of("Patient/1")},
		{[]string{"--patient", "1"}, of("Patient/1")},
		{[]string{"--patient", "Patient/10"}, of("Patient/10")},
		{[]string{"--resource", "Observation/7"}, func(m members) bool { return m.names("Observation/7") }},
		{[]string{"--resource", "Observation/7/_history/2"}, func(m members) bool { return slices.Contains(m.list("read"), "Observation/7/_history/2") }},
		{[]string{"--resource", "Organization/g"}, func(m members) bool { return m.names("Organization/g") }},
		{[]string{"--who", "meyer"}, func(m members) bool { return m.text("subject") == "meyer" }},
		{[]string{"--who", "https://login.example|meyer"}, func(m members) bool { return m.text("subject") == "meyer" }},
		{[]string{"--who", "app"}, func(m members) bool { return m.text("client") == "app" }},
		{[]string{"--who", "2001:db8::1"}, func(m members) bool { return m.text("address") == "2001:db8::1" }},
		{[]string{"--who", "tokens.toml|meyer"}, func(members) bool { return false }},
		{[]string{"--action", "read"}, func(m members) bool { return m.text("event") == "read" }},
		{[]string{"--action", "read", "--action", "$everything"}, func(m members) bool { return m.text("event") == "read" || m.text("event") == "$everything" }},
		{[]string{"--action", "everything"}, func(m members) bool { return m.text("event") == "$everything" }}, // a shell takes $everything away
		{[]string{"--status", "403"}, func(m members) bool { return m["status"] == 403.0 }},
		{[]string{"--status", "2xx"}, func(m members) bool { return m["status"] == 200.0 || m["status"] == 204.0 }},
		{[]string{"--status", "5xx"}, func(members) bool { return false }},
		{[]string{"--since", "2026-10", "--until", "2026-10"}, between(october, november)},
		{[]string{"--since", "2026-10-01", "--until", "2026-10-31"}, between(october, november)},
		{[]string{"--since", "2026-10-01T09:00:00+09:00", "--until", "2026-11-01T09:00:00+09:00"}, between(october, november)},
		{[]string{"--since", "2026", "--until", "2026"}, func(members) bool { return true }},
		{[]string{"--since", "2026-11-01"}, between(november, "")},
		{[]string{"--until", "2026-09"}, between("", october)},
		{[]string{"--since", "36500d"}, func(members) bool { return true }},
		{[]string{"--until", "5200w"}, func(members) bool { return false }},
		{[]string{"--patient", "1", "--who", "lab", "--since", "2026-10", "--status", "2xx", "--action", "read"}, func(m members) bool {
			return of("Patient/1")(m) && m.text("subject") == "lab" && m.text("time") >= october && m.text("event") == "read" && m["status"] == 200.0
		}},
	} {
		var want []float64
		for _, m := range lines {
			if tt.want(m) {
				want = append(want, m["n"].(float64))
			}
		}
		for _, format := range []string{"ndjson", "json", "csv", "table"} {
			code, out, errs := cli(t, append([]string{"audit", folder, "-o", format}, tt.args...)...)
			if code != 0 || errs != "" {
				t.Fatalf("%v: exit code %d %s", tt.args, code, errs)
			}
			if format == "table" {
				if rows := max(strings.Count(out, "\n")-1, 0); rows != len(want) || rows == 0 && out != "no line fits\n" {
					t.Errorf("%v: %d rows, want %d", tt.args, rows, len(want))
				}
				continue
			}
			if got := numbers(t, format, out); !slices.Equal(got, want) {
				t.Errorf("%v as %s: %d lines, want %d\n%v\n%v", tt.args, format, len(got), len(want), got, want)
			}
		}
	}
}

// numbers returns the numbers of the lines in a format, read by libraries.
func numbers(t *testing.T, format, out string) (list []float64) {
	t.Helper()
	var all []members
	switch format {
	case "json":
		if err := json.Unmarshal([]byte(out), &all); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	case "ndjson":
		for line := range strings.Lines(out) {
			var m members
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			all = append(all, m)
		}
	case "csv":
		rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if err != nil || len(rows) == 0 || rows[0][0] != "n" {
			t.Fatalf("%v: %.200s", err, out)
		}
		for _, row := range rows[1:] {
			var n float64
			if _, err := fmt.Sscan(row[0], &n); err != nil {
				t.Fatal(err)
			}
			for _, cell := range row {
				if strings.HasPrefix(cell, "=") {
					t.Errorf("a spreadsheet would compute %s", cell)
				}
			}
			list = append(list, n)
		}
		return list
	}
	for _, m := range all {
		list = append(list, m["n"].(float64))
	}
	return list
}

// TestAuditDamage: an unfinished last line is left out. A damaged line or file hides no other lines, is
// reported, and the exit code is 3.
func TestAuditDamage(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "audit")
	lines := writeLog(t, folder)
	newest := func(pattern string) string {
		files, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		return files[len(files)-1]
	}
	count := func(args ...string) (code, n int, errs string) {
		code, out, errs := cli(t, append([]string{"audit", folder, "-o", "ndjson"}, args...)...)
		return code, strings.Count(out, "\n"), errs
	}
	last := newest("*.jsonl")
	file, err := os.OpenFile(last, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(`{"n":9999,"time":"2026-11-28T`); err != nil {
		t.Fatal(err)
	}
	file.Close()
	if code, n, errs := count(); code != 0 || n != len(lines) || errs != "" {
		t.Errorf("unfinished line: exit code %d, %d lines of %d: %s", code, n, len(lines), errs)
	}
	first := filepath.Join(folder, filepath.Base(firstOf(t, folder, "*.jsonl")))
	text, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(first, bytes.Replace(text, []byte(`,"sum":`), []byte(`,"sun":`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, n, errs := count(); code != 3 || n != len(lines)-1 || !strings.Contains(errs, first) {
		t.Errorf("damaged line: exit code %d, %d lines of %d: %s", code, n, len(lines), errs)
	}
	packed := firstOf(t, folder, "*.gz")
	text, err = os.ReadFile(packed)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(packed, text[:len(text)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if code, n, errs := count("--since", "2026-11"); code != 3 || n < 25 || !strings.Contains(errs, packed) {
		t.Errorf("damaged file: exit code %d, %d lines: %s", code, n, errs)
	}
	if code, _, _ := cli(t, "audit", "verify", folder); code != 3 {
		t.Errorf("verify: exit code %d", code)
	}
}

func firstOf(t *testing.T, folder, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	return files[0]
}

// TestAuditMistakes checks the exit codes and messages of command lines that cannot be right.
func TestAuditMistakes(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "audit")
	if l, err := auditlog.Open(folder, auditlog.Options{}); err != nil || l.Close() != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		code int
		text string
	}{
		{[]string{}, 2, "folder of the audit log"},
		{[]string{folder, "--patient", "Observation/1"}, 2, "--patient"},
		{[]string{folder, "--resource", "Observation"}, 2, "TYPE/ID"},
		{[]string{folder, "--status", "20"}, 2, "403"},
		{[]string{folder, "--status", "xxx"}, 2, "403"},
		{[]string{folder, "--status", "abc"}, 2, "403"},
		{[]string{folder, "--status", "9xx"}, 2, "403"},
		{[]string{folder, "--since", "2026-13"}, 2, "2026-13"},
		{[]string{folder, "--since", "last month"}, 2, "last month"},
		{[]string{folder, "--since", "2026-10-01T08:00:00"}, 2, "2026-10-31T08:00:00Z"},
		{[]string{folder, "--since", "2026-11", "--until", "2026-10"}, 2, "--until"},
		{[]string{folder, "--since", "-5h"}, 2, "-5h"},
		{[]string{folder, "-o", "xml"}, 2, "xml"},
		{[]string{folder + ".none"}, 3, ".none"},
		{[]string{t.TempDir()}, 3, "audit-"},
		{[]string{"verify", folder, "--expect", "short"}, 2, "43"},
		{[]string{"verify", folder, "--audit-key", folder + "/none"}, 2, "none"},
	} {
		code, out, errs := cli(t, append([]string{"audit"}, tt.args...)...)
		if code != tt.code || !strings.Contains(errs, tt.text) || out != "" {
			t.Errorf("%q: exit code %d, want %d: %s%s", tt.args, code, tt.code, out, errs)
		}
	}
}

// TestAuditCancelled checks that reading a long log ends with its context.
func TestAuditCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	line := append(bytes.Repeat([]byte("x"), 100), '\n')
	n := 0
	err := Backend{}.AuditLines(ctx, []string{auditlog.Stdin}, bytes.NewReader(bytes.Repeat(line, 20_000)), func(string, []byte) error { n++; return nil })
	if err == nil || n > 10_000 {
		t.Errorf("%d lines, %v", n, err)
	}
}
