package datadir

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/roget-health/roget/codesystem"
)

// A pack has the following layout. All numbers are little-endian.
//
//	0     header, 64 bytes
//	4096  blobs, each aligned (see alignment)
//	…     table of contents (see toc.go), to the end of the file
//
// Header:
//
//	0   magic "ROGETPCK"
//	8   uint32  layout version
//	12  uint32  number of entries
//	16  uint64  offset of the table of contents
//	24  uint64  length of the table of contents
//	32  uint64  length of the file
//	40  uint32  CRC32C of the table of contents
//	44  16 bytes of zero
//	60  uint32  CRC32C of bytes 0 to 59
const (
	magic       = "ROGETPCK"
	packLayout  = 1
	headerSize  = 64
	firstBlob   = 4096
	pageSize    = 16 << 10      // the largest common page size
	pageAligned = 16 * pageSize // blobs of at least this size start on a page
	cacheLine   = 64
	checksBlock = 1 << 20 // one CRC32C per MiB of a blob
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func crc(data []byte) uint32 { return crc32.Checksum(data, castagnoli) }

// alignment returns the alignment of a blob. Large blobs are aligned to pages, so that a mapping
// shares no page with its neighbours. Small ones are aligned to a cache line, so that a thousand
// of them waste little space.
func alignment(size int) int64 {
	if size >= pageAligned {
		return pageSize
	}
	return cacheLine
}

func alignUp(offset, to int64) int64 { return (offset + to - 1) / to * to }

// header is the decoded header of a pack.
type header struct {
	entries              uint32
	tocOffset, tocLength uint64
	fileLength           uint64
	tocCRC               uint32
}

func (h *header) encode() []byte {
	b := make([]byte, headerSize)
	copy(b, magic)
	binary.LittleEndian.PutUint32(b[8:], packLayout)
	binary.LittleEndian.PutUint32(b[12:], h.entries)
	binary.LittleEndian.PutUint64(b[16:], h.tocOffset)
	binary.LittleEndian.PutUint64(b[24:], h.tocLength)
	binary.LittleEndian.PutUint64(b[32:], h.fileLength)
	binary.LittleEndian.PutUint32(b[40:], h.tocCRC)
	binary.LittleEndian.PutUint32(b[60:], crc(b[:60]))
	return b
}

// decodeHeader decodes the header of a pack that is size bytes long.
func decodeHeader(b []byte, size int64) (h header, err error) {
	if len(b) < headerSize || string(b[:8]) != magic {
		return h, fmt.Errorf("%w: not a pack", codesystem.ErrForeign)
	}
	if v := binary.LittleEndian.Uint32(b[8:]); v != packLayout {
		return h, fmt.Errorf("%w: the pack has layout version %d, this program reads %d", codesystem.ErrSnapshotVersion, v, packLayout)
	}
	if binary.LittleEndian.Uint32(b[60:]) != crc(b[:60]) {
		return h, corrupted("checksum mismatch in the pack header")
	}
	h.entries = binary.LittleEndian.Uint32(b[12:])
	h.tocOffset = binary.LittleEndian.Uint64(b[16:])
	h.tocLength = binary.LittleEndian.Uint64(b[24:])
	h.fileLength = binary.LittleEndian.Uint64(b[32:])
	h.tocCRC = binary.LittleEndian.Uint32(b[40:])
	if h.fileLength != uint64(size) {
		return h, corrupted("the file has %d bytes instead of the %d in its header", size, h.fileLength)
	}
	if h.tocOffset < firstBlob || h.tocOffset > h.fileLength || h.tocLength != h.fileLength-h.tocOffset {
		return h, corrupted("the table of contents is outside the file")
	}
	return h, nil
}
