package fhir

import (
	"archive/tar"
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestPackage(t *testing.T) {
	entries := []entry{
		{"package/package.json", `{"name":"p","version":"1"}`},
		{"package/.index.json", `junk`},
		{"package/CodeSystem-a.json", csA},
		{"package/ValueSet-v.json", vsA},
		{"package/Patient-p.json", pat},
		{"package/example/CodeSystem-b.json", csB},
		{"package/other.txt", "junk"},
		{"openapi/x.json", "junk"},
		{"package/link.json", "-> /etc/passwd"},
		{"package/up.json", "-> ../../x.json"},
	}
	want := []string{"CodeSystem http://a|1 package/CodeSystem-a.json a1 a2 a3<a2", "ValueSet http://v| package/ValueSet-v.json"}
	for way, data := range map[string][]byte{"tgz": gzipped(tarred(entries...)), "tar": tarred(entries...)} {
		r, err := read(t, data, Options{})
		if err != nil {
			t.Fatalf("%s: %v", way, err)
		}
		wantLines(t, r, want...)
	}
}

func TestPlainArchive(t *testing.T) {
	r, err := read(t, tarred(entry{"x/CodeSystem-a.json", csA}, entry{"x/y/b.ndjson", csB}, entry{"z.txt", "junk"}, entry{"x/c.json.gz", "junk"}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	wantLines(t, r, "CodeSystem http://a|1 x/CodeSystem-a.json a1 a2 a3<a2", "CodeSystem http://b| x/y/b.ndjson b1")
}

func TestArchiveErrors(t *testing.T) {
	for _, test := range []struct {
		name string
		data []byte
		is   error
		says string
	}{
		{"parent", tarred(entry{"package/../../etc/x.json", csA}), ErrUnsafeName, "../../etc"},
		{"absolute", tarred(entry{"/etc/x.json", csA}), ErrUnsafeName, "/etc"},
		{"backslash", tarred(entry{`package\..\x.json`, csA}), ErrUnsafeName, `\\..\\`},
		{"drive", tarred(entry{`C:x.json`, csA}), ErrUnsafeName, "C:"},
		{"dots in the end", tarred(entry{"package/..", csA}), ErrUnsafeName, ".."},
		{"unsafe though not read", tarred(entry{"../x.txt", "x"}), ErrUnsafeName, "../x.txt"},
		{"bad entry", tarred(entry{"package/a.json", csA}, entry{"package/b.json", csB[:30]}), nil, "package/b.json: line 1"},
		{"binary entry", tarred(entry{"package/b.json", "\x00\x00"}), ErrFormat, "package/b.json"},
		{"packed entry", tarred(entry{"package/b.json", string(gzipped([]byte(csA)))}), ErrFormat, "another archive"},
		{"truncated", tarred(entry{"package/a.json", strings.Repeat(" ", 2000) + csA})[:1500], nil, "unexpected EOF"},
		{"huge header", hugeHeader(), nil, "archive"},
		{"damaged gzip", []byte(flip(gzipped(tarred(entry{"package/a.json", csA})), -5)), nil, "damaged"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := read(t, test.data, Options{})
			if err == nil || test.is != nil && !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want %v with %q", err, test.is, test.says)
			}
		})
	}
}

// hugeHeader returns an archive whose extended header claims a gigabyte.
func hugeHeader() []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	_ = w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "x", Size: 1 << 30})
	data := b.Bytes()
	data[156] = tar.TypeXHeader
	copy(data[148:156], "        ")
	sum := 0
	for _, c := range data[:512] {
		sum += int(c)
	}
	copy(data[148:156], []byte{byte('0' + sum>>15&7), byte('0' + sum>>12&7), byte('0' + sum>>9&7), byte('0' + sum>>6&7), byte('0' + sum>>3&7), byte('0' + sum&7), 0, ' '})
	return append(data[:512], bytes.Repeat([]byte("9"), 4<<20)...)
}

func TestTooManyEntries(t *testing.T) {
	var entries []entry
	for range 20 {
		entries = append(entries, entry{"package/x.txt", ""})
	}
	_, err := read(t, tarred(entries...), Options{Limits: Limits{MaxEntries: 10}})
	if !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v", err)
	}
}

// bomb returns gzip of a start and of MiBs of c behind it, in members of one MiB.
func bomb(start string, c byte, mibs int) []byte {
	return append(gzipped([]byte(start)), bytes.Repeat(gzipped(bytes.Repeat([]byte{c}, 1<<20)), mibs)...)
}

func TestGzipBomb(t *testing.T) {
	for name, data := range map[string][]byte{
		"white space": bomb(csA, ' ', 70),
		"a string":    bomb(`{"resourceType":"Basic","x":"`, 'x', 70),
		"a document":  bomb(`{"resourceType":"ValueSet","x":"`, 'x', 70),
	} {
		r, err := read(t, data, Options{})
		if !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), "200 times") || len(r.lines) > 0 {
			t.Errorf("%s: got %v, %v", name, err, r.lines)
		}
	}
	if _, err := read(t, bomb(csA, ' ', 66), Options{Limits: Limits{MaxRatio: 2000}}); err != nil {
		t.Errorf("with a higher limit: %v", err)
	}
	if _, err := read(t, bomb(csA, ' ', 8), Options{}); err != nil {
		t.Errorf("small enough to be let through: %v", err)
	}
}
