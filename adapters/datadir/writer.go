package datadir

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// Writer writes one pack. It holds the lock of the folder until Commit or Abort. Not
// safe for concurrent use. Abort after Commit does nothing: defer it.
type Writer struct {
	dir     *Dir
	path    string // of the pack it will be
	unlock  func()
	file    *os.File // the temporary file; nil when the writer is done
	offset  int64    // end of the blob written last
	records []record
	byID    map[identity]int
	sources []Source

	published bool // file has its name
}

// Writer starts a pack. It gives ErrLocked while another writer is at work. Leftovers of
// writers that were killed are removed.
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

// newWriter starts a pack at path; the caller holds the lock, which becomes the writer's.
func (d *Dir) newWriter(path string, unlock func()) (*Writer, error) {
	file, err := createTemporary(path)
	if err != nil {
		return nil, err
	}
	return &Writer{
		dir: d, path: path, unlock: unlock, file: file,
		offset: firstBlob, byID: make(map[identity]int),
	}, nil
}

// AddSource records a file or folder that the entries of this pack were compiled from,
// so that the pack can be compiled again when it is damaged, with what else was said about
// how to read it (JSON; may be nil) and the files beside it that are read with it.
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

// AddCodeSystem writes the snapshot of an index. origin is for people: the file it came from.
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

// AddDocument writes a ValueSet or ConceptMap document; header.ResourceType says which.
// origin is for people: the file it came from.
func (w *Writer) AddDocument(header *r4.Header, body []byte, origin string) error {
	switch header.ResourceType {
	case typeValueSet, typeConceptMap:
	default:
		return fmt.Errorf("a pack holds no documents of type %q", header.ResourceType)
	}
	return w.add(record{header: *header, origin: origin}, body)
}

// add writes a blob and remembers its record. The last of several with one identity counts.
func (w *Writer) add(r record, blob []byte) error {
	if w.file == nil {
		return ErrWriterDone
	}
	r.offset = alignUp(w.offset, alignment(len(blob)))
	r.length = len(blob)
	r.checks = checksOf(blob)
	if _, err := w.file.WriteAt(blob, r.offset); err != nil {
		return fmt.Errorf("write %s: %w", w.path, err)
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

// Len is the number of entries added.
func (w *Writer) Len() int { return len(w.records) }

// Commit makes the pack durable and visible in one step: Dir.Entries has it afterwards,
// and packs that it supersedes wholly are removed. Nothing added: nothing happens. After
// an error the folder is as it was before, unless the error says otherwise.
func (w *Writer) Commit() error {
	if w.file == nil {
		return ErrWriterDone
	}
	defer w.Abort()
	if len(w.records) == 0 {
		return nil
	}
	if err := writeSidecar(w.path, sidecar{Sources: w.sources}); err != nil {
		return err
	}
	if err := w.publish(); err != nil {
		return err
	}
	w.dir.repaired(w.sources)
	// Other packs that cannot be used are not compiled again now: this writer has the lock.
	leave := func(_ context.Context, _ string, _ fs.FileInfo, cause error) (*pack, error) { return nil, cause }
	if _, err := w.dir.look(context.Background(), leave); err != nil {
		return fmt.Errorf("the pack was written, but: %w", err)
	}
	w.dir.removeSuperseded()
	return nil
}

// publish finishes the file and gives it its name. The lock is still held.
func (w *Writer) publish() error {
	header, err := w.finish()
	if err != nil {
		return fmt.Errorf("write %s: %w", w.path, err)
	}
	written, err := w.file.Stat()
	if err != nil {
		return fmt.Errorf("write %s: %w", w.path, err)
	}
	breakSeal(w.path) // of the pack that this one replaces
	if err := publishFile(w.file, w.path); err != nil {
		return err
	}
	w.published = true
	w.seal(header, written)
	return nil
}

// seal records that the pack is as it was written: the file that written tells of, under
// its name now. That it cannot is no failure: the pack is verified when it is first used.
func (w *Writer) seal(header uint32, written fs.FileInfo) {
	file, err := os.Open(w.path)
	if err != nil {
		return
	}
	defer file.Close()
	s, err := beginSeal(file, w.path, header)
	if err != nil {
		return
	}
	defer s.abort()
	if now, err := file.Stat(); err == nil && sameFile(now, written) {
		_ = s.finish() // likewise
	}
}

// finish writes table of contents and header, and gives the checksum of the latter.
func (w *Writer) finish() (uint32, error) {
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

// Abort returns up a pack that was not committed.
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
