package datadir

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/roget-health/roget/codesystem"
)

// pack is an open pack file. The table of contents is in memory; blobs are checked and
// mapped when they are first used.
type pack struct {
	path    string
	file    *os.File
	info    fs.FileInfo
	records []record

	once sync.Once
	byID map[identity]int // made by identities

	mu      sync.Mutex
	mapping []byte // of the whole file; nil until used, or where there is no mapping
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
	p.records, err = readTOC(p.file, p.info.Size())
	if err != nil {
		return err
	}
	p.checked = make([]sync.Mutex, len(p.records))
	p.good = make([]bool, len(p.records))
	return nil
}

// identities gives the place of every record by what it identifies.
func (p *pack) identities() map[identity]int {
	p.once.Do(func() {
		p.byID = make(map[identity]int, len(p.records))
		for i := range p.records {
			p.byID[p.records[i].identity()] = i
		}
	})
	return p.byID
}

// readTOC reads header and table of contents of a pack of size bytes. It trusts nothing:
// what it returns lies inside the file.
func readTOC(file io.ReaderAt, size int64) ([]record, error) {
	head := make([]byte, min(size, headerSize))
	if _, err := file.ReadAt(head, 0); err != nil && err != io.EOF {
		return nil, fmt.Errorf("read: %w", err)
	}
	h, err := decodeHeader(head, size)
	if err != nil {
		return nil, err
	}
	toc := make([]byte, h.tocLength)
	if _, err := file.ReadAt(toc, int64(h.tocOffset)); err != nil && (err != io.EOF || len(toc) > 0) {
		return nil, readError(err)
	}
	if crc(toc) != h.tocCRC {
		return nil, damaged("checksum of the table of contents")
	}
	return decodeTOC(toc, h.entries, int64(h.tocOffset))
}

// check verifies the blob of a record, once.
func (p *pack) check(i int) error {
	p.checked[i].Lock()
	defer p.checked[i].Unlock()
	if p.good[i] {
		return nil
	}
	r := &p.records[i]
	if err := verify(p.file, r.offset, r.length, r.checks); err != nil {
		return err
	}
	p.good[i] = true
	return nil
}

// bytes reads the blob of a record into memory of its own.
func (p *pack) bytes(i int) ([]byte, error) {
	if err := p.check(i); err != nil {
		return nil, err
	}
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

// view gives the blob of a record without copying where the system can map files
// (mapped tells). The bytes stay valid for the life of the process and must not be changed.
func (p *pack) view(i int) (data []byte, mapped bool, err error) {
	if err := p.check(i); err != nil {
		return nil, false, err
	}
	mapping, err := p.mapped()
	if err != nil {
		data, err = p.bytes(i)
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
	data, mapped, err := p.view(i)
	if err != nil {
		return nil, err
	}
	x, err := codesystem.FromBytes(data, false)
	if err == nil && mapped && len(data) >= ownPages {
		// Opening has looked at the structure of all of it. From now on only what is used
		// counts as memory of this process.
		release(data[:len(data)/pageSize*pageSize])
	}
	return x, err
}

// close releases the file. The mapping stays: indexes refer to it.
func (p *pack) close() error { return p.file.Close() }
