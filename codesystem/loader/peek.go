package loader

import (
	"bytes"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
)

// Peek returns the first bytes of a file, decompressed when it is gzip and without a byte order
// mark: fewer when it is shorter, none when it cannot be read.
func Peek(name string, size int) []byte {
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	var magic [2]byte
	_, _ = io.ReadFull(f, magic[:])
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil
	}
	in := io.Reader(f)
	if magic == [2]byte{0x1f, 0x8b} {
		if in, err = gzip.NewReader(f); err != nil {
			return nil
		}
	}
	head := make([]byte, size)
	n, _ := io.ReadFull(in, head)
	return bytes.TrimPrefix(head[:n], []byte("\xef\xbb\xbf"))
}
