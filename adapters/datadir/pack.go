package datadir

import (
	"io"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"

	"github.com/roget-health/roget/adapters/internal/explain"
	"github.com/roget-health/roget/codesystem"
)

// pack is an open pack file. The table of contents is in memory. Blobs are mapped on first use,
// and a pack without a seal is verified then.
type pack struct {
	path      string
	file      *os.File
	info      fs.FileInfo
	headerCRC uint32 // its checksum
	records   []record

	once sync.Once
	byID map[identity]int // set by identities

	mu         sync.Mutex
	mapping    []byte // of the whole file; nil before use and on systems without mappings
	sealOnce   sync.Once
	sealed     atomic.Pointer[fingerprint] // fingerprint of the file when every byte was verified (see seal); nil: not verified
	checkLocks []sync.Mutex
	verified   []bool // by record, guarded by checkLocks
}

// openPack opens a pack and reads its table of contents.
func openPack(path string) (*pack, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	p := &pack{path: path, file: file}
	if err := p.readTOC(); err != nil {
		file.Close()
		return nil, err
	}
	return p, nil
}

func (p *pack) readTOC() error {
	var err error
	if p.info, err = p.file.Stat(); err != nil {
		return err
	}
	p.headerCRC, p.records, err = readTOC(p.file, p.info.Size())
	if err != nil {
		return err
	}
	if now, err := fingerprintOf(p.file); err == nil && sealHolds(p.path, p.headerCRC, now) {
		p.sealed.Store(&now)
	}
	p.checkLocks = make([]sync.Mutex, len(p.records))
	p.verified = make([]bool, len(p.records))
	return nil
}

// identities returns the index of each record by identity.
func (p *pack) identities() map[identity]int {
	p.once.Do(func() {
		p.byID = make(map[identity]int, len(p.records))
		for i := range p.records {
			p.byID[p.records[i].identity()] = i
		}
	})
	return p.byID
}

// readTOC reads the header and table of contents of a pack of size bytes. It also returns the
// checksum of the header. It trusts nothing: all offsets it returns lie within the file.
func readTOC(file io.ReaderAt, size int64) (header uint32, records []record, err error) {
	head := make([]byte, min(size, headerSize))
	if _, err := file.ReadAt(head, 0); err != nil && err != io.EOF {
		return 0, nil, explain.File(err)
	}
	h, err := decodeHeader(head, size)
	if err != nil {
		return 0, nil, err
	}
	toc := make([]byte, h.tocLength)
	if _, err := file.ReadAt(toc, int64(h.tocOffset)); err != nil && (err != io.EOF || len(toc) > 0) {
		return 0, nil, readError(err)
	}
	if crc(toc) != h.tocCRC {
		return 0, nil, corrupted("checksum mismatch in the table of contents")
	}
	records, err = decodeTOC(toc, h.entries, int64(h.tocOffset))
	return crc(head), records, err
}

// trusted reports whether every byte of the pack has been verified and the file has not changed
// since.
func (p *pack) trusted() bool {
	was := p.sealed.Load()
	if was == nil {
		return false
	}
	if now, err := fingerprintOf(p.file); err == nil && now == *was {
		return true
	}
	p.sealed.CompareAndSwap(was, nil)
	return false
}

// check verifies the blob of a record once. A trusted pack, or one that can be sealed now, needs
// no check.
func (p *pack) check(i int) (trusted bool, err error) {
	p.sealOnce.Do(p.sealIfSound)
	if p.trusted() {
		return true, nil
	}
	p.checkLocks[i].Lock()
	defer p.checkLocks[i].Unlock()
	if p.verified[i] {
		return false, nil
	}
	r := &p.records[i]
	if err := verify(p.file, r.offset, r.length, r.checks); err != nil {
		return false, err
	}
	p.verified[i] = true
	return false, nil
}

// bytes returns a copy of the blob of a record.
func (p *pack) bytes(i int) ([]byte, error) {
	if _, err := p.check(i); err != nil {
		return nil, err
	}
	return p.read(i)
}

// read is bytes for a verified record.
func (p *pack) read(i int) ([]byte, error) {
	r := &p.records[i]
	data := make([]byte, r.length)
	if r.length == 0 {
		return data, nil
	}
	if _, err := p.file.ReadAt(data, r.offset); err != nil {
		return nil, readError(err)
	}
	return data, nil
}

// raw returns the blob of a verified record. mapped reports whether it refers to a mapping
// instead of a copy. The bytes stay valid for the life of the process and must not be modified.
func (p *pack) raw(i int) (data []byte, mapped bool, err error) {
	mapping, err := p.mapped()
	if err != nil {
		data, err = p.read(i)
		return data, false, err
	}
	r := &p.records[i]
	end := r.offset + int64(r.length)
	return mapping[r.offset:end:end], true, nil
}

func (p *pack) mapped() ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mapping == nil {
		m, err := mapFile(p.file, p.info.Size())
		if err != nil {
			return nil, err
		}
		p.mapping = m
	}
	return p.mapping, nil
}

// index opens the snapshot of a CodeSystem record.
func (p *pack) index(i int) (*codesystem.Index, error) {
	trusted, err := p.check(i)
	if err != nil {
		return nil, err
	}
	data, mapped, err := p.raw(i)
	if err != nil {
		return nil, err
	}
	if trusted {
		return codesystem.FromTrusted(data)
	}
	return inspect(data, mapped)
}

// inspect opens a snapshot with verified checksums and checks its whole structure.
func inspect(data []byte, mapped bool) (*codesystem.Index, error) {
	x, err := codesystem.FromBytes(data, false)
	if mapped && len(data) >= pageAligned {
		// From now on only pages in use count as memory of this process.
		release(data[:len(data)/pageSize*pageSize])
	}
	return x, err
}

// close closes the file. The mapping stays, because indexes refer to it.
func (p *pack) close() error { return p.file.Close() }
