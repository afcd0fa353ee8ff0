package datadir

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"

	"github.com/roget-health/roget/codesystem"
)

// pack is an open pack file. The table of contents is in memory; blobs are mapped when
// they are first used. A pack without a seal is verified then.
type pack struct {
	path    string
	file    *os.File
	info    fs.FileInfo
	header  uint32 // its checksum
	records []record

	once sync.Once
	byID map[identity]int // made by identities

	mu      sync.Mutex
	mapping []byte // of the whole file; nil until used, or where there is no mapping
	trust   sync.Once
	sealed  atomic.Pointer[fingerprint] // what the file was when every byte of it was verified, see seal; nil: it was not
	checked []sync.Mutex
	good    []bool // guarded by checked
}

// openPack reads the table of contents of a pack.
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
	p.header, p.records, err = readTOC(p.file, p.info.Size())
	if err != nil {
		return err
	}
	if now, err := fingerprintOf(p.file); err == nil && sealHolds(p.path, p.header, now) {
		p.sealed.Store(&now)
	}
	p.checked = make([]sync.Mutex, len(p.records))
	p.good = make([]bool, len(p.records))
	return nil
}

// identities returns the place of every record by what it identifies.
func (p *pack) identities() map[identity]int {
	p.once.Do(func() {
		p.byID = make(map[identity]int, len(p.records))
		for i := range p.records {
			p.byID[p.records[i].identity()] = i
		}
	})
	return p.byID
}

// readTOC reads header and table of contents of a pack of size bytes, and gives the
// checksum of the header too. It trusts nothing: what it returns lies inside the file.
func readTOC(file io.ReaderAt, size int64) (header uint32, records []record, err error) {
	head := make([]byte, min(size, headerSize))
	if _, err := file.ReadAt(head, 0); err != nil && err != io.EOF {
		return 0, nil, fmt.Errorf("read: %w", err)
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
		return 0, nil, damaged("checksum of the table of contents")
	}
	records, err = decodeTOC(toc, h.entries, int64(h.tocOffset))
	return crc(head), records, err
}

// trusted reports whether every byte of the pack was verified and that the file has not been
// changed since.
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

// check verifies the blob of a record, once; that of a pack which is trusted, or can be
// after this, not at all.
func (p *pack) check(i int) (trusted bool, err error) {
	p.trust.Do(p.earnTrust)
	if p.trusted() {
		return true, nil
	}
	p.checked[i].Lock()
	defer p.checked[i].Unlock()
	if p.good[i] {
		return false, nil
	}
	r := &p.records[i]
	if err := verify(p.file, r.offset, r.length, r.checks); err != nil {
		return false, err
	}
	p.good[i] = true
	return false, nil
}

// bytes reads the blob of a record into memory of its own.
func (p *pack) bytes(i int) ([]byte, error) {
	if _, err := p.check(i); err != nil {
		return nil, err
	}
	return p.read(i)
}

// read is bytes of what was verified before.
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

// raw returns the blob of a record that was verified before, without copying where the
// system can map files (mapped tells). The bytes stay valid for the life of the process
// and must not be changed.
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

// inspect opens a snapshot whose checksums were verified, looking at the structure of all
// of it.
func inspect(data []byte, mapped bool) (*codesystem.Index, error) {
	x, err := codesystem.FromBytes(data, false)
	if mapped && len(data) >= ownPages {
		// From now on only what is used counts as memory of this process.
		release(data[:len(data)/pageSize*pageSize])
	}
	return x, err
}

// close releases the file. The mapping stays: indexes refer to it.
func (p *pack) close() error { return p.file.Close() }
