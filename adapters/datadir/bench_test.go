package datadir

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/r4"
)

// BenchmarkOpen opens a folder with as many code systems and value sets as the R4 definitions
// have, and headers of the same length.
func BenchmarkOpen(b *testing.B) {
	path := b.TempDir()
	d := open(b, path, Options{})
	load(b, d, func(w *Writer) {
		x := compile(b, "http://x/a", "1", 20)
		for i := range 1062 {
			r := record{header: x.Header().Header, concepts: 20}
			r.header.ResourceType, r.header.URL = typeCodeSystem, fmt.Sprintf("http://x/cs/%d", i)
			r.header.Description = strings.Repeat("description ", 20)
			must(b, w.add(r, x.Bytes()))
		}
		for i := range 1316 {
			header, body := valueSet(fmt.Sprintf("http://x/vs/%d", i))
			header.Description = strings.Repeat("description ", 20)
			header.Identifier = r4.IdentifierList{{System: "urn:ietf:rfc:3986", Value: "urn:oid:2.16"}}
			must(b, w.AddDocument(header, body, "package.tgz"))
		}
	})
	info, err := os.Stat(filepath.Join(path, packFolder, "0000000001.pack"))
	must(b, err)
	b.Run("folder", func(b *testing.B) {
		b.ReportAllocs()
		b.ReportMetric(float64(info.Size()), "bytes/pack")
		for b.Loop() {
			d, err := Open(b.Context(), path, Options{})
			must(b, err)
			if len(d.Entries()) != 2378 {
				b.Fatal("not all entries")
			}
			must(b, d.Close())
		}
	})
	b.Run("folder and every entry", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			d, err := Open(b.Context(), path, Options{})
			must(b, err)
			for _, e := range d.Entries() {
				if e.CodeSystem != nil {
					_, err = e.CodeSystem()
				} else {
					_, err = e.ValueSet()
				}
				must(b, err)
			}
			must(b, d.Close())
		}
	})
}

// BenchmarkVerify reads and checks a blob of 64 MiB in the page cache.
func BenchmarkVerify(b *testing.B) {
	data := make([]byte, 64<<20)
	for i := range data {
		data[i] = byte(i * i >> 8)
	}
	path := filepath.Join(b.TempDir(), "blob")
	must(b, os.WriteFile(path, data, 0o644))
	file, err := os.Open(path)
	must(b, err)
	defer file.Close()
	checks := checksOf(data)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		must(b, verify(file, 0, len(data), checks))
	}
}
