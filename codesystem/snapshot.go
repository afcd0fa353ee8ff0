package codesystem

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"sort"
	"unsafe"
)

// A snapshot is the whole index as bytes, little endian:
//
//	 0  magic          8 bytes
//	 8  layoutVersion  uint32
//	12  checksum       uint32, of everything after it (see checksum.go)
//	16  total length   uint64
//	24  sections       uint32, and 4 zero bytes
//	32  for each section: id uint32, 4 zero bytes, offset uint64, length uint64
//	    the sections, ascending by id, each at the next multiple of 8, zeros between

// assemble joins sections into a snapshot.
func assemble(sections []section) ([]byte, error) {
	sort.Slice(sections, func(i, j int) bool { a, b := &sections[i], &sections[j]; return int(a.id) < int(b.id) })
	size := snapshotHeaderSize + tocEntrySize*len(sections)
	for i, s := range sections {
		if s.id == 0 || s.id > maxSection || (i > 0 && sections[i-1].id == s.id) {
			return nil, fmt.Errorf("section %d out of place", s.id)
		}
		size = aligned(size) + len(s.data)
	}
	size = aligned(size)
	data := alignedBytes(size)
	copy(data, magic)
	binary.LittleEndian.PutUint32(data[8:], layoutVersion)
	binary.LittleEndian.PutUint64(data[16:], uint64(size))
	binary.LittleEndian.PutUint32(data[24:], uint32(len(sections)))
	at := aligned(snapshotHeaderSize + tocEntrySize*len(sections))
	for i := range sections {
		s := &sections[i]
		entry := data[snapshotHeaderSize+tocEntrySize*i:]
		binary.LittleEndian.PutUint32(entry, s.id)
		binary.LittleEndian.PutUint64(entry[8:], uint64(at))
		binary.LittleEndian.PutUint64(entry[16:], uint64(len(s.data)))
		at = aligned(at + copy(data[at:], s.data))
		s.data = nil
	}
	seal(data)
	return data, nil
}

func aligned(n int) int { return (n + alignment - 1) &^ (alignment - 1) }

// alignedBytes returns a slice that begins at a multiple of 8.
func alignedBytes(size int) []byte {
	words := make([]uint64, (size+7)/8)
	if size == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), size)
}

// seal writes the checksum.
func seal(data []byte) {
	binary.LittleEndian.PutUint32(data[12:], checksum(data[16:]))
}

// checkStart verifies the magic, layout version and length in the first bytes. size is the number
// of bytes available.
func checkStart(start []byte, size uint64) error {
	if len(start) < len(magic) || string(start[:len(magic)]) != magic {
		return ErrForeign
	}
	if len(start) < snapshotHeaderSize {
		return fmt.Errorf("%w: %d bytes", ErrDamaged, size)
	}
	if v := binary.LittleEndian.Uint32(start[8:]); v != layoutVersion {
		return fmt.Errorf("%w: it has %d, this program reads %d", ErrSnapshotVersion, v, layoutVersion)
	}
	if total := binary.LittleEndian.Uint64(start[16:]); total != size {
		return fmt.Errorf("%w: %d bytes, should be %d", ErrDamaged, size, total)
	}
	return nil
}

// FromBytes opens a snapshot over data, which must not change while the Index lives. Data that
// does not begin at a multiple of 8 is copied. With verify false the checksum is not computed,
// because the caller has called Verify. Everything else is checked in any case, so that no method
// of the Index can go out of range, whatever the bytes; that takes time in proportion to their
// number. Errors: ErrForeign, ErrSnapshotVersion, ErrDamaged.
func FromBytes(data []byte, verify bool) (*Index, error) {
	return fromBytes(data, verify, false)
}

// FromTrusted opens a snapshot over data that FromBytes has opened before without an error, with
// the same layout version, and that the caller knows to be unchanged since. It checks neither
// checksum nor structure, only what costs the same whatever the size: a snapshot of a million
// concepts opens in milliseconds, and unused pages are never touched. If the bytes are not a sound
// snapshot, the methods of the Index are undefined and may panic: use FromBytes for data of
// unknown history. Otherwise it is like FromBytes. Errors: ErrForeign, ErrSnapshotVersion,
// ErrDamaged.
func FromTrusted(data []byte) (*Index, error) {
	return fromBytes(data, false, true)
}

func fromBytes(data []byte, verify, trusted bool) (*Index, error) {
	if !littleEndian() {
		return nil, errBigEndian
	}
	if err := checkStart(data, uint64(len(data))); err != nil {
		return nil, err
	}
	if uintptr(unsafe.Pointer(&data[0]))%alignment != 0 {
		moved := alignedBytes(len(data))
		copy(moved, data)
		data = moved
	}
	if verify && binary.LittleEndian.Uint32(data[12:]) != checksum(data[16:]) {
		return nil, fmt.Errorf("%w: checksum", ErrDamaged)
	}
	toc, err := readContents(data)
	if err != nil {
		return nil, err
	}
	in := opener{get: func(id uint32) []byte { return toc[id] }, trusted: trusted}
	x := &Index{data: data}
	if err := x.openConcepts(in); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(in.get(secStats), &x.stats); err != nil {
		return nil, fmt.Errorf("%w: statistics: %w", ErrDamaged, err)
	}
	if x.props, err = openProperties(in, x.n); err != nil {
		return nil, err
	}
	x.props.readRoles(x)
	if x.refsets, err = x.openRefsets(in); err != nil {
		return nil, err
	}
	if x.text, err = openText(in, x.n); err != nil {
		return nil, err
	}
	return x, nil
}

// readContents reads the table of contents: sections ascending, aligned, one after the other. An
// absent section is nil, an empty one is not.
func readContents(data []byte) (toc [maxSection + 1][]byte, err error) {
	count := uint64(binary.LittleEndian.Uint32(data[24:]))
	if count > maxSection || snapshotHeaderSize+tocEntrySize*count > uint64(len(data)) {
		return toc, fmt.Errorf("%w: %d sections", ErrDamaged, count)
	}
	end := snapshotHeaderSize + tocEntrySize*count
	last := uint32(0)
	for i := range count {
		entry := data[snapshotHeaderSize+tocEntrySize*i:]
		id := binary.LittleEndian.Uint32(entry)
		offset, length := binary.LittleEndian.Uint64(entry[8:]), binary.LittleEndian.Uint64(entry[16:])
		size := uint64(len(data))
		if id <= last || id > maxSection || offset%alignment != 0 || offset < end || offset > size || length > size-offset {
			return toc, fmt.Errorf("%w: section %d at %d, %d bytes", ErrDamaged, id, offset, length)
		}
		toc[id] = data[offset : offset+length : offset+length]
		last, end = id, offset+length
	}
	return toc, nil
}

// WriteTo writes the snapshot. Open and FromBytes read it.
func (x *Index) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(w, bytes.NewReader(x.data))
}

// Bytes returns the snapshot as it is in memory. It must not be modified.
func (x *Index) Bytes() []byte { return x.data }
