package definitions

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/roget-health/roget/codesystem/packed"
)

// archive reads documents from a file of many members, each a frame of Zstandard (RFC 8878). It caches the member read last, because
// callers often read neighbouring documents, and the others until their memory is needed.
type archive struct {
	packed  string
	last    atomic.Pointer[member]
	members sync.Map // weak.Pointer[member] by start
}

// member is an unpacked member that begins at an offset of the file.
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
		if m, err = a.member(p.member); err != nil {
			return nil, fmt.Errorf("definitions: member at %d: %w", p.member, err)
		}
		a.last.Store(m)
	}
	if p.offset+p.length > len(m.text) {
		return nil, fmt.Errorf("definitions: member at %d has no bytes %d to %d", p.member, p.offset, p.offset+p.length)
	}
	return slices.Clone(m.text[p.offset : p.offset+p.length]), nil
}

// member returns the member at an offset.
func (a *archive) member(start int) (*member, error) {
	if known, found := a.members.Load(start); found {
		if m := known.(weak.Pointer[member]).Value(); m != nil {
			return m, nil
		}
	}
	m, err := a.unpack(start)
	if err == nil {
		a.members.Store(start, weak.Make(m))
	}
	return m, err
}

func (a *archive) unpack(start int) (*member, error) {
	text, err := packed.Lines(a.packed[start:])
	return &member{start: start, text: text}, err
}
