package lists

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// zipped compresses a text.
func zipped(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestSource(t *testing.T) {
	tests := []struct{ name, bytes, want, mark string }{
		{"plain.csv", "a,b\n", "a,b\n", ""},
		{"empty.csv", "", "", ""},
		{"marked.csv", byteOrderMark + "a\n", "a\n", byteOrderMark},
		{"mark.csv", byteOrderMark, "", byteOrderMark},
		{"half.csv", "\xef\xbbx", "\xef\xbbx", ""},
		{"packed.csv.gz", zipped(t, byteOrderMark+"a\n"), "a\n", byteOrderMark},
		{"parts.gz", zipped(t, "a\n") + zipped(t, "b\n"), "a\nb\n", ""},
		{"packed without its ending", zipped(t, "a\n"), "a\n", ""},
	}
	for _, tt := range tests {
		path := filepath.Join(t.TempDir(), tt.name)
		if err := os.WriteFile(path, []byte(tt.bytes), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, stdin := range []bool{false, true} {
			name, in := path, io.Reader(nil)
			if stdin {
				name, in = "-", strings.NewReader(tt.bytes)
			}
			s, err := Open(name, in)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(s)
			if err != nil || string(got) != tt.want || s.Mark() != tt.mark {
				t.Errorf("%s: %q, mark %q, %v", tt.name, got, s.Mark(), err)
			}
			if s.Position() != int64(len(tt.bytes)) || !stdin && s.Size != int64(len(tt.bytes)) {
				t.Errorf("%s: read %d of %d bytes", tt.name, s.Position(), s.Size)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestSourceErrors(t *testing.T) {
	packed := zipped(t, strings.Repeat("abcdefgh\n", 10000))
	tests := []struct{ name, bytes, want string }{
		{"wide.csv", "\xff\xfea\x00", "UTF-16"},
		{"wide.csv", "\xfe\xff\x00a", "UTF-16"},
		{"packed.csv.gz", "a,b\n", "it is not compressed; rename it"},
		{"cut.csv.gz", packed[:len(packed)/2], "in the middle of the compressed text"},
	}
	for _, tt := range tests {
		path := filepath.Join(t.TempDir(), tt.name)
		if err := os.WriteFile(path, []byte(tt.bytes), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = io.ReadAll(s); err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), tt.name) {
			t.Errorf("%s: %v", tt.name, err)
		}
		_ = s.Close()
	}
	if _, err := Open(t.TempDir(), nil); err == nil || !strings.Contains(err.Error(), "it is a folder") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := Open("-", nil); err == nil {
		t.Error("there is no standard input")
	}
}
