package codesystem

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// The checksum is the CRC-32C of the CRC-32Cs of successive blocks of checkBlock bytes, so that
// several processors can compute it.
const checkBlock = 1 << 20

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// checksum returns the checksum of bytes in memory.
func checksum(data []byte) uint32 {
	sums := make([]byte, 4*((len(data)+checkBlock-1)/checkBlock))
	// Reading blocks in memory cannot fail.
	_ = inBlocks(len(data), func(table *crc32.Table, _ []byte, block, from, to int) error {
		binary.LittleEndian.PutUint32(sums[4*block:], crc32.Checksum(data[from:to], table))
		return nil
	})
	return crc32.Checksum(sums, castagnoli())
}

// Verify checks magic, layout version, length and checksum of the snapshot of size bytes at an
// offset of r. It reads instead of mapping, so that the pages do not count as memory of the
// process. Errors: ErrForeign, ErrSnapshotVersion, ErrDamaged, and those of r.
func Verify(r io.ReaderAt, offset, size int64) error {
	var start [snapshotHeaderSize]byte
	n, err := r.ReadAt(start[:min(snapshotHeaderSize, max(size, 0))], offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err := checkStart(start[:n], uint64(size)); err != nil {
		return err
	}
	body := int(size) - 16
	sums := make([]byte, 4*((body+checkBlock-1)/checkBlock))
	err = inBlocks(body, func(table *crc32.Table, buf []byte, block, from, to int) error {
		if _, err := r.ReadAt(buf[:to-from], offset+16+int64(from)); err != nil {
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		binary.LittleEndian.PutUint32(sums[4*block:], crc32.Checksum(buf[:to-from], table))
		return nil
	})
	if err != nil {
		return err
	}
	if binary.LittleEndian.Uint32(start[12:]) != crc32.Checksum(sums, castagnoli()) {
		return fmt.Errorf("%w: checksum", ErrDamaged)
	}
	return nil
}

// inBlocks calls do for every block of size bytes, on several goroutines with a buffer each.
func inBlocks(size int, do func(table *crc32.Table, buf []byte, block, from, to int) error) error {
	blocks := (size + checkBlock - 1) / checkBlock
	table := castagnoli()
	var next atomic.Int64
	var group errgroup.Group
	for range min(blocks, runtime.GOMAXPROCS(0)) {
		group.Go(func() error {
			buf := make([]byte, min(size, checkBlock))
			for {
				block := int(next.Add(1)) - 1
				if block >= blocks {
					return nil
				}
				from := block * checkBlock
				if err := do(table, buf, block, from, min(from+checkBlock, size)); err != nil {
					return err
				}
			}
		})
	}
	return group.Wait()
}
