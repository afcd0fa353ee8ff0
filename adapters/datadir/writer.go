package datadir

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"

	"github.com/roget-health/roget/adapters/internal/explain"
	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// Writer writes one pack. It holds the lock of the folder until Commit or Abort. It is not safe
// for concurrent use. Abort after Commit does nothing, so defer it.
type Writer struct {
	dir     *Dir
	path    string // final path of the pack
	unlock  func()
	file    *os.File // the temporary file; nil after Commit or Abort
	offset  int64    // end of the last blob
	records []record
	byID    map[identity]int
	sources []Source

	published bool // the file has been renamed to path
}

// Writer begins a pack. It returns ErrLocked while another writer is active. It removes temporary
// files of killed writers.
func (d *Dir) Writer(ctx context.Context) (*Writer, error) {
	unlock, err := d.lock(ctx)
	if err != nil {
		return nil, err
	}
	w, err := d.newWriter(d.nextPath(), unlock)
	if err != nil {
		unlock()
		return nil, err
	}
	return w, nil
}

// newWriter begins a pack at path. The caller holds the lock, which the writer takes over.
func (d *Dir) newWriter(path string, unlock func()) (*Writer, error) {
	file, err := createTemporary(path)
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", path, explain.File(err))
	}
	return &Writer{
		dir: d, path: path, unlock: unlock, file: file,
		offset: firstBlob, byID: make(map[identity]int),
	}, nil
}

// AddSource records a file or folder that the entries of this pack were compiled from, so that a
// corrupted pack can be recompiled. settings are further settings for reading it (JSON, may be
// nil), beside the files that are read with it.
func (w *Writer) AddSource(path string, settings json.RawMessage, beside ...string) error {
	if w.file == nil {
		return ErrWriterDone
	}
	s, err := SourceOf(path, beside...)
	if err != nil {
		return err
	}
	s.Settings = settings
	w.sources = append(w.sources, s)
	return nil
}

// AddCodeSystem writes the snapshot of an index. origin is the file it came from, for display.
func (w *Writer) AddCodeSystem(x *codesystem.Index, origin string) error {
	h := x.Header()
	r := record{
		header:      h.Header,
		content:     h.Content,
		supplements: h.Supplements,
		allCodes:    h.ValueSet,
		concepts:    x.Len(),
		origin:      origin,
	}
	r.header.ResourceType = typeCodeSystem
	return w.add(r, x.Bytes())
}

// AddDocument writes a ValueSet or ConceptMap document, depending on header.ResourceType. origin
// is the file it came from, for display.
func (w *Writer) AddDocument(header *r4.Header, body []byte, origin string) error {
	switch header.ResourceType {
	case typeValueSet, typeConceptMap:
	default:
		return fmt.Errorf("a pack cannot contain documents of type %q", header.ResourceType)
	}
	return w.add(record{header: *header, origin: origin}, body)
}

// add writes a blob and records it. Of several with one identity the last counts.
func (w *Writer) add(r record, blob []byte) error {
	if w.file == nil {
		return ErrWriterDone
	}
	r.offset = alignUp(w.offset, alignment(len(blob)))
	r.length = len(blob)
	r.checks = checksOf(blob)
	if _, err := w.file.WriteAt(blob, r.offset); err != nil {
		return w.failed(err)
	}
	w.offset = r.offset + int64(r.length)
	if i, ok := w.byID[r.identity()]; ok {
		w.records[i] = r
		return nil
	}
	w.byID[r.identity()] = len(w.records)
	w.records = append(w.records, r)
	return nil
}

// failed names the pack in an error.
func (w *Writer) failed(err error) error {
	return fmt.Errorf("cannot write %s: %w", w.path, explain.File(err))
}

// Len returns the number of entries added.
func (w *Writer) Len() int { return len(w.records) }

// Commit makes the pack durable and visible in one step. Afterwards Dir.Entries contains it, and
// packs that it supersedes completely are removed. Without entries Commit does nothing. After an
// error the folder is unchanged, unless the error says otherwise.
func (w *Writer) Commit() error {
	if w.file == nil {
		return ErrWriterDone
	}
	defer w.Abort()
	if len(w.records) == 0 {
		return nil
	}
	if err := writeSidecar(w.path, sidecar{Sources: w.sources}); err != nil {
		return w.failed(err)
	}
	if err := w.publish(); err != nil {
		return err
	}
	w.dir.dropRepaired(w.sources)
	// Other unusable packs are not recompiled now, because this writer holds the lock.
	leave := func(_ context.Context, _ string, _ fs.FileInfo, cause error) (*pack, error) { return nil, cause }
	if _, err := w.dir.reload(context.Background(), leave); err != nil {
		return fmt.Errorf("%s was written, but the data folder cannot be read: %w", w.path, explain.File(err))
	}
	w.dir.removeSuperseded()
	return nil
}

// publish completes the file and renames it. The lock is still held.
func (w *Writer) publish() error {
	header, err := w.writeTOC()
	if err != nil {
		return w.failed(err)
	}
	written, err := w.file.Stat()
	if err != nil {
		return w.failed(err)
	}
	removeSeal(w.path) // of the replaced pack
	if err := publishFile(w.file, w.path); err != nil {
		return w.failed(err)
	}
	w.published = true
	sealWritten(w.path, header, written)
	return nil
}

// sealWritten records that the file, which written describes, is verified under its final name. A
// failure is harmless: the pack is verified on first use.
func sealWritten(path string, header uint32, written fs.FileInfo) {
	file, err := os.Open(path)
	if err != nil {
		return
	}
	defer file.Close()
	s, err := beginSeal(file, path, header)
	if err != nil {
		return
	}
	defer s.abort()
	if now, err := file.Stat(); err == nil && sameFile(now, written) {
		_ = s.commit() // a failure is harmless
	}
}

// writeTOC writes the table of contents and the header, and returns the checksum of the header.
func (w *Writer) writeTOC() (uint32, error) {
	toc := encodeTOC(w.records)
	at := alignUp(w.offset, cacheLine)
	if _, err := w.file.WriteAt(toc, at); err != nil {
		return 0, err
	}
	h := header{
		entries:    uint32(len(w.records)),
		tocOffset:  uint64(at),
		tocLength:  uint64(len(toc)),
		fileLength: uint64(at) + uint64(len(toc)),
		tocCRC:     crc(toc),
	}
	head := h.encode()
	_, err := w.file.WriteAt(head, 0)
	return crc(head), err
}

// Abort discards a pack that was not committed.
func (w *Writer) Abort() {
	if w.file == nil {
		return
	}
	if !w.published {
		_ = w.file.Close()
		_ = os.Remove(w.file.Name())
	}
	w.file = nil
	w.unlock()
}
