package auditlog_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/roget-health/roget/adapters/auditlog"
)

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
