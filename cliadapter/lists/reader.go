package lists

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// MaxRecord is the length in bytes from which a record counts as broken.
const MaxRecord = 1 << 20

// Reasons why a record is broken.
var (
	// ErrQuote is returned for a quoted cell that goes on after its closing quote.
	ErrQuote = errors.New("text after the closing quote of a cell; a quote within a quoted cell is written twice")
	// ErrUnclosed is returned for a quoted cell that has no closing quote.
	ErrUnclosed = errors.New("a cell begins with a quote that is never closed")
	// ErrTooLong is returned for a record that is longer than allowed.
	ErrTooLong = errors.New("the line is too long")
)

// A Record is a record of a table, or a line. Its texts are valid until the next one is read.
type Record struct {
	// Line is the number of the line on which it begins, from 1.
	Line int
	// Text is the record as it is written, without its line ending.
	Text []byte
	// End is the line ending: "\n", "\r\n", or what there is at the end of the text.
	End string
	// Err is why the record is broken. It is then the text of one line.
	Err error
	// Rest is true for text that belongs to the broken record before it, whose line is too long.
	Rest bool
}

// Blank reports whether there is nothing in the record.
func (r *Record) Blank() bool { return len(r.Text) == 0 && r.Err == nil }

// A Reader splits a text into records: into lines, or into records of a table, in which quoted
// cells may have line breaks. Quotes within a cell that does not begin with one are text, as in
// the files that many programs write. The texts and endings of all records together are the text
// that was read, byte for byte.
type Reader struct {
	in        io.Reader
	delimiter byte // 0 if a record is a line
	max       int

	buf        []byte
	start, end int // buf[start:end] is unread
	line       int // of buf[start]
	eof        bool
	err        error
	scan       cursor // in the record that begins at start
	rest       bool   // the line before was too long, and its rest comes
}

// NewReader returns a Reader of a text without byte order mark.
func NewReader(in io.Reader, o Options) *Reader {
	limit := o.MaxRecord
	if limit <= 0 {
		limit = MaxRecord
	}
	return &Reader{in: in, delimiter: o.delimiter(), max: limit, line: 1}
}

// A state is where in a record the cursor is.
type state uint8

const (
	cellStart  state = iota
	inPlain          // in a cell that is not quoted
	inQuotes         // in a quoted cell
	afterQuote       // after a quote in a quoted cell: the cell ends, or the next quote is the second of two
	afterCR          // after a carriage return behind a quoted cell
	broken           // the record is broken and ends with its first line
)

// A cursor is the place in a record up to which it was scanned.
type cursor struct {
	at    int
	state state
}

// Next reads the next record. It returns false at the end and after an error of the source.
func (r *Reader) Next(rec *Record) bool {
	for {
		text := r.buf[r.start:r.end]
		if r.rest && r.nextRest(rec, text) {
			return true
		}
		n := -1
		if !r.rest {
			n = r.advance(text)
		}
		switch {
		case n >= 0:
			r.take(rec, n)
			return true
		case r.eof && len(text) == 0:
			return false
		case r.eof && r.err != nil:
			return false // a part of a record
		case r.eof:
			r.last(rec, text)
			return true
		case len(text) >= r.max:
			r.tooLong(rec, text)
			return true
		}
		r.fill()
	}
}

// nextRest returns the rest of a line that is too long, in parts.
func (r *Reader) nextRest(rec *Record, text []byte) bool {
	n := bytes.IndexByte(text, '\n')
	switch {
	case n >= 0:
		r.take(rec, n)
		r.rest = false
	case len(text) > 0 && (len(text) >= r.max || r.eof):
		*rec = Record{Line: r.line, Text: text}
		r.start = r.end
	default:
		return false
	}
	rec.Rest, rec.Err = true, nil
	return true
}

// advance scans on and returns where the line ending of the record is, or -1 if more text is
// needed.
func (r *Reader) advance(text []byte) int {
	c := &r.scan
	if c.at == 0 || r.delimiter == 0 {
		n := bytes.IndexByte(text[c.at:], '\n')
		switch {
		case r.delimiter == 0 && n < 0:
			c.at = len(text)
			return -1
		case r.delimiter == 0:
			return c.at + n
		case n >= 0 && bytes.IndexByte(text[:n], '"') < 0: // most records are this simple
			return n
		}
	}
	for ; c.at < len(text) && c.state != broken; c.at++ {
		b := text[c.at]
		switch c.state {
		case cellStart, inPlain:
			switch {
			case b == '\n':
				return c.at
			case b == r.delimiter:
				c.state = cellStart
			case b == '"' && c.state == cellStart:
				c.state = inQuotes
			default:
				c.state = inPlain
			}
		case inQuotes:
			n := bytes.IndexByte(text[c.at:], '"')
			if n < 0 {
				c.at = len(text)
				return -1
			}
			c.at += n
			c.state = afterQuote
		case afterQuote:
			switch b {
			case '"':
				c.state = inQuotes
			case r.delimiter:
				c.state = cellStart
			case '\r':
				c.state = afterCR
			case '\n':
				return c.at
			default:
				c.state = broken
			}
		case afterCR:
			if b == '\n' {
				return c.at
			}
			c.state = broken
		}
	}
	if c.state == broken {
		return bytes.IndexByte(text, '\n')
	}
	return -1
}

// take returns the text before a line feed as a record and goes on behind it.
func (r *Reader) take(rec *Record, n int) {
	text := r.buf[r.start : r.start+n]
	*rec = Record{Line: r.line, Text: text, End: "\n"}
	if n > 0 && text[n-1] == '\r' {
		rec.Text, rec.End = text[:n-1], "\r\n"
	}
	if r.scan.state == broken {
		rec.Err = ErrQuote
	}
	r.line += 1 + bytes.Count(text, []byte{'\n'})
	r.start += n + 1
	r.scan = cursor{}
}

// last returns what is left at the end of the text.
func (r *Reader) last(rec *Record, text []byte) {
	if r.scan.state == inQuotes {
		if n := bytes.IndexByte(text, '\n'); n >= 0 {
			r.take(rec, n)
			rec.Err = ErrUnclosed
			return
		}
	}
	*rec = Record{Line: r.line, Text: text}
	if text[len(text)-1] == '\r' {
		rec.Text, rec.End = text[:len(text)-1], "\r"
	}
	switch r.scan.state {
	case broken:
		rec.Err = ErrQuote
	case inQuotes:
		rec.Err = ErrUnclosed
	}
	r.start = r.end
	r.scan = cursor{}
}

// tooLong returns the beginning of a record that is too long. If a quoted cell makes it so long,
// its first line is the broken record.
func (r *Reader) tooLong(rec *Record, text []byte) {
	if n := bytes.IndexByte(text, '\n'); n >= 0 {
		r.take(rec, n)
		rec.Err = fmt.Errorf("%w, or closed only after %d bytes", ErrUnclosed, r.max)
		return
	}
	*rec = Record{Line: r.line, Text: text, Err: fmt.Errorf("%w: more than %d bytes", ErrTooLong, r.max)}
	r.start, r.rest = r.end, true
	r.scan = cursor{}
}

// fill reads more text.
func (r *Reader) fill() {
	const few = 4 << 10
	if r.start == r.end {
		r.start, r.end = 0, 0
	}
	if r.start > 0 && len(r.buf)-r.end < few {
		r.end = copy(r.buf, r.buf[r.start:r.end])
		r.start = 0
	}
	if len(r.buf)-r.end < few {
		r.buf = slices.Grow(r.buf[:r.end], max(readSize, r.end))
		r.buf = r.buf[:cap(r.buf)]
	}
	free := r.buf[r.end:]
	free = free[:min(len(free), max(r.max-(r.end-r.start), 1))]
	n, err := r.in.Read(free)
	r.end += n
	if err != nil {
		r.eof = true
		if !errors.Is(err, io.EOF) {
			r.err = err
		}
	}
}

// Ready reports whether Next returns without reading from the source.
func (r *Reader) Ready() bool {
	return r.eof || bytes.IndexByte(r.buf[r.start:r.end], '\n') >= 0
}

// Err returns the error of the source that ended the records, or nil.
func (r *Reader) Err() error { return r.err }
