package datadir

import (
	"encoding/binary"
	"encoding/json"

	"github.com/roget-health/roget/resources/r4"
)

// record is an entry of a table of contents: everything known about a resource without reading
// its blob, and the position of the blob.
type record struct {
	header      r4.Header
	content     string // CodeSystem.content
	supplements string // CodeSystem.supplements
	allCodes    string // CodeSystem.valueSet
	concepts    int    // CodeSystem: number of concepts
	origin      string
	offset      int64
	length      int
	checks      []uint32 // CRC32C of each checksBlock of the blob
}

// identity identifies a resource. A later entry with the same identity supersedes an earlier one.
type identity struct{ typ, url, version, id string }

func (r *record) identity() identity {
	h := &r.header
	if h.URL == "" {
		return identity{typ: h.ResourceType, version: h.Version, id: h.ID}
	}
	return identity{typ: h.ResourceType, url: h.URL, version: h.Version}
}

// tocWriter encodes a table of contents: numbers as uvarints, strings as length and bytes, lists
// as length and items.
type tocWriter struct{ buf []byte }

func (w *tocWriter) number(n uint64) { w.buf = binary.AppendUvarint(w.buf, n) }

func (w *tocWriter) text(s string) {
	w.number(uint64(len(s)))
	w.buf = append(w.buf, s...)
}

func (w *tocWriter) optionalBool(b *bool) {
	switch {
	case b == nil:
		w.number(0)
	case *b:
		w.number(2)
	default:
		w.number(1)
	}
}

func (w *tocWriter) record(r *record) {
	w.header(&r.header)
	w.text(r.content)
	w.text(r.supplements)
	w.text(r.allCodes)
	w.number(uint64(r.concepts))
	w.text(r.origin)
	w.number(uint64(r.offset))
	w.number(uint64(r.length))
	for _, c := range r.checks {
		w.buf = binary.LittleEndian.AppendUint32(w.buf, c)
	}
}

func (w *tocWriter) header(h *r4.Header) {
	for _, s := range headerTexts(h) {
		w.text(*s)
	}
	w.optionalBool(h.Experimental)
	w.number(uint64(len(h.Identifier)))
	for i := range h.Identifier {
		id := &h.Identifier[i]
		w.text(id.Use)
		w.text(id.System)
		w.text(id.Value)
	}
	w.text(string(h.Extension))
	w.meta(h.Meta)
}

func (w *tocWriter) meta(m *r4.Meta) {
	if m == nil {
		w.number(0)
		return
	}
	w.number(1)
	w.text(m.VersionID)
	w.text(m.LastUpdated)
	w.number(uint64(len(m.Profile)))
	for _, p := range m.Profile {
		w.text(p)
	}
	w.number(uint64(len(m.Tag)))
	for i := range m.Tag {
		t := &m.Tag[i]
		w.text(t.System)
		w.text(t.Version)
		w.text(t.Code)
		w.text(t.Display)
		w.optionalBool(t.UserSelected)
	}
}

// headerTexts returns the plain strings of a header in the order of the file.
func headerTexts(h *r4.Header) [12]*string {
	return [...]*string{
		&h.ResourceType, &h.ID, &h.Language, &h.URL, &h.Version, &h.Name,
		&h.Title, &h.Status, &h.Date, &h.Publisher, &h.Description, &h.Copyright,
	}
}

// tocReader decodes the output of tocWriter. Strings are substrings of data. The first error sets
// bad; after that, all values are empty.
type tocReader struct {
	data string
	pos  int
	bad  bool
}

func (r *tocReader) number() uint64 {
	var n uint64
	for shift := 0; shift < 64; shift += 7 {
		if r.pos >= len(r.data) {
			break
		}
		c := r.data[r.pos]
		r.pos++
		n |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return n
		}
	}
	r.fail()
	return 0
}

func (r *tocReader) fail() { r.bad, r.pos = true, len(r.data) }

// count reads the length of a list whose items have at least size bytes each.
func (r *tocReader) count(size int) int {
	n := r.number()
	if n > uint64(len(r.data)-r.pos)/uint64(size) {
		r.fail()
		return 0
	}
	return int(n)
}

func (r *tocReader) text() string {
	n := r.count(1)
	s := r.data[r.pos : r.pos+n]
	r.pos += n
	return s
}

func (r *tocReader) optionalBool() *bool {
	switch r.number() {
	case 0:
		return nil
	case 1:
		return new(bool)
	case 2:
		b := true
		return &b
	}
	r.fail()
	return nil
}

// record reads one entry. Blobs must lie between firstBlob and end.
func (r *tocReader) record(rec *record, end int64) {
	r.header(&rec.header)
	rec.content = r.text()
	rec.supplements = r.text()
	rec.allCodes = r.text()
	concepts := r.number()
	rec.origin = r.text()
	offset, length := r.number(), r.number()
	if r.bad || concepts > 1<<32 || offset < firstBlob || offset > uint64(end) ||
		length > uint64(end)-offset || length > maxBlob || offset%cacheLine != 0 {
		r.fail()
		return
	}
	rec.concepts, rec.offset, rec.length = int(concepts), int64(offset), int(length)
	blocks := (rec.length + checksBlock - 1) / checksBlock
	if blocks > (len(r.data)-r.pos)/4 {
		r.fail()
		return
	}
	rec.checks = make([]uint32, blocks)
	for i := range rec.checks {
		rec.checks[i] = uint32(r.data[r.pos]) | uint32(r.data[r.pos+1])<<8 |
			uint32(r.data[r.pos+2])<<16 | uint32(r.data[r.pos+3])<<24
		r.pos += 4
	}
}

func (r *tocReader) header(h *r4.Header) {
	for _, s := range headerTexts(h) {
		*s = r.text()
	}
	h.Experimental = r.optionalBool()
	if n := r.count(3); n > 0 {
		h.Identifier = make(r4.IdentifierList, n)
		for i := range h.Identifier {
			h.Identifier[i] = r4.Identifier{Use: r.text(), System: r.text(), Value: r.text()}
		}
	}
	if s := r.text(); s != "" {
		h.Extension = json.RawMessage(s)
	}
	h.Meta = r.meta()
}

func (r *tocReader) meta() *r4.Meta {
	switch r.number() {
	case 0:
		return nil
	case 1:
	default:
		r.fail()
		return nil
	}
	m := &r4.Meta{VersionID: r.text(), LastUpdated: r.text()}
	if n := r.count(1); n > 0 {
		m.Profile = make([]string, n)
		for i := range m.Profile {
			m.Profile[i] = r.text()
		}
	}
	if n := r.count(5); n > 0 {
		m.Tag = make([]r4.Coding, n)
		for i := range m.Tag {
			m.Tag[i] = r4.Coding{System: r.text(), Version: r.text(), Code: r.text(), Display: r.text(), UserSelected: r.optionalBool()}
		}
	}
	return m
}

const maxBlob = uint64(int(^uint(0) >> 1)) // maximum length of a slice

// encodeTOC encodes a table of contents.
func encodeTOC(records []record) []byte {
	var w tocWriter
	for i := range records {
		w.record(&records[i])
	}
	return w.buf
}

// decodeTOC decodes a table of n entries whose blobs lie before end.
func decodeTOC(toc []byte, n uint32, end int64) ([]record, error) {
	const minRecord = 23 // size of an empty record in bytes
	if uint64(n) > uint64(len(toc))/minRecord {
		return nil, corrupted("the table of contents has %d bytes, too few for %d entries", len(toc), n)
	}
	r := tocReader{data: string(toc)}
	records := make([]record, n)
	for i := range records {
		r.record(&records[i], end)
		if r.bad {
			return nil, corrupted("invalid entry %d in the table of contents", i)
		}
	}
	if r.pos != len(r.data) {
		return nil, corrupted("%d bytes after the last entry of the table of contents", len(r.data)-r.pos)
	}
	return records, nil
}
