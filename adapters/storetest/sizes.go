package storetest

import (
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/index"
)

// sizes checks that a reader knows the size of a document of one byte without the document.
func (s *suite) sizes(r index.Reader, seq index.Seq) {
	s.t.Helper()
	for parts, body := range map[index.Parts]string{
		index.WithSize: "", index.WithSmallBody: "2", index.WithBody | index.WithSize: "2",
		index.WithValues | index.WithSmallBody: "2",
	} {
		got := s.load(r, []index.Seq{seq, 1}, parts)
		if got[0].Size != 1 || parts != index.WithSize && string(got[0].Body) != body || got[1].Size != 0 {
			s.t.Errorf("parts %b: size %d, document %q, size %d of no version", parts, got[0].Size, got[0].Body, got[1].Size)
		}
		if want := parts&index.WithValues != 0; want != (got[0].Values != nil) {
			s.t.Errorf("parts %b: values %q", parts, got[0].Values)
		}
	}
}

// largeDocuments checks that large documents are returned wherever a version is read.
func largeDocuments(t *testing.T, s *suite) {
	for _, size := range []int{index.SmallBody, index.SmallBody + 1, 3 << 20} {
		long := strings.Repeat("x", size)
		s.write(entered("large", long, "x"))
		key := code("large")
		v, err := s.store.Read(s.ctx(), key)
		if err != nil || string(v.Body) != long {
			t.Fatalf("Read of %d bytes: %d bytes, %v", size, len(v.Body), err)
		}
		s.view(func(r index.Reader) {
			for _, parts := range []index.Parts{index.WithSize, index.WithSmallBody} {
				found, err := r.Find(s.ctx(), []index.Key{key}, parts)
				if err != nil || len(found) != 1 || found[0].Size != size {
					t.Fatalf("Find of %d bytes: %v, %v", size, found, err)
				}
				if err := index.Fill(s.ctx(), r, found); err != nil {
					t.Fatal(err)
				}
				if parts == index.WithSmallBody && string(found[0].Body) != long {
					t.Errorf("Fill of %d bytes: %d bytes", size, len(found[0].Body))
				}
				all, err := r.Versions(s.ctx(), index.VersionsRequest{Type: key.Type, ID: key.ID, Limit: 1, Parts: parts})
				if err != nil || len(all) != 1 || all[0].Size != size {
					t.Fatalf("Versions of %d bytes: %v, %v", size, all, err)
				}
			}
		})
	}
}
