package definitions

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
)

// archive reads documents from a gzip file of many members. It caches the member read last, because
// callers often read neighbouring documents.
type archive struct {
	packed string
	last   atomic.Pointer[member]
}

// member is an unpacked member that begins at an offset of the gzip file.
type member struct {
	start int
	text  []byte
}

// location is where a document is: the offset at which its member begins, and its offset and length in
// the unpacked member.
type location struct{ member, offset, length int }

// read returns a copy of the document at a place.
func (a *archive) read(p location) ([]byte, error) {
	m := a.last.Load()
	if m == nil || m.start != p.member {
		var err error
		if m, err = a.unpack(p.member); err != nil {
			return nil, fmt.Errorf("definitions: member at %d: %w", p.member, err)
		}
		a.last.Store(m)
	}
	if p.offset+p.length > len(m.text) {
		return nil, fmt.Errorf("definitions: member at %d has no bytes %d to %d", p.member, p.offset, p.offset+p.length)
	}
	return slices.Clone(m.text[p.offset : p.offset+p.length]), nil
}

func (a *archive) unpack(start int) (*member, error) {
	r, err := gzip.NewReader(strings.NewReader(a.packed[start:]))
	if err != nil {
		return nil, err
	}
	r.Multistream(false)
	var text bytes.Buffer
	if _, err := text.ReadFrom(r); err != nil {
		return nil, err
	}
	return &member{start: start, text: text.Bytes()}, nil
}
