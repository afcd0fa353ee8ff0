package datadir

import (
	"errors"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/roget-health/roget/adapters/internal/explain"
)

// verify compares length bytes at offset with their checksums, one for each checksBlock bytes. It
// reads through the file instead of a mapping, so that the pages do not become resident in this
// process, and checks blocks in parallel.
func verify(file io.ReaderAt, offset int64, length int, checks []uint32) error {
	if len(checks) == 0 {
		return nil
	}
	var (
		next  atomic.Int64
		mu    sync.Mutex
		first error
		group sync.WaitGroup
	)
	work := func() {
		buf := make([]byte, min(length, checksBlock))
		for {
			i := int(next.Add(1)) - 1
			if i >= len(checks) {
				return
			}
			at := i * checksBlock
			err := verifyBlock(file, buf[:min(checksBlock, length-at)], offset+int64(at), checks[i])
			if err == nil {
				continue
			}
			mu.Lock()
			if first == nil {
				first = err
			}
			mu.Unlock()
			return
		}
	}
	for range min(runtime.GOMAXPROCS(0), len(checks)) - 1 {
		group.Go(work)
	}
	work()
	group.Wait()
	return first
}

// verifyBlock reads a block of bytes at offset and compares it with its checksum.
func verifyBlock(file io.ReaderAt, block []byte, offset int64, check uint32) error {
	if _, err := file.ReadAt(block, offset); err != nil {
		return readError(err)
	}
	if crc(block) != check {
		return corrupted("checksum mismatch in bytes %d to %d", offset, offset+int64(len(block)))
	}
	return nil
}

func readError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return corrupted("the file is truncated")
	}
	return explain.File(err)
}

// checksOf returns the checksums for verify.
func checksOf(data []byte) []uint32 {
	checks := make([]uint32, 0, (len(data)+checksBlock-1)/checksBlock)
	for len(data) > 0 {
		n := min(len(data), checksBlock)
		checks = append(checks, crc(data[:n]))
		data = data[n:]
	}
	return checks
}
