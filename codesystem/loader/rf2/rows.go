package rf2

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/roget-health/roget/codesystem/loader"
)

// ErrDamaged is returned for a file that violates the rules of its format. The message contains
// the file and the line, what was found and what was expected.
var ErrDamaged = errors.New("damaged release file")

const (
	leastBuffer = 4 << 10
	maxBuffer   = 256 << 10 // unless a line is longer
	// maxLine bounds one row: a term has at most 32,768 bytes.
	maxLine = 1 << 20
)

// rows reads the rows of a release file: lines of fields, of which the first contains the names of
// the columns. A byte order mark, both kinds of line ends, empty fields beyond the last column and
// empty lines at the end are accepted.
//
// The first error stays in err and ends the reading; from then on the methods that read fields
// return zero values. Fields are valid until the next row.
type rows struct {
	in     io.Reader
	origin loader.Origin

	buf        []byte
	start, end int  // the bytes read but not yet returned
	ended      bool // the input has ended

	line    int
	empty   int      // first of the empty lines just before
	columns []string // their names, as in the file
	fields  [][]byte
	err     error
}

// openRows reads the line with the names of the columns. The first of them must be those in want,
// without regard to case, and further ones must follow. size is the approximate number of bytes.
func openRows(in io.Reader, origin loader.Origin, size int64, want []string, further int) *rows {
	r := &rows{in: in, origin: origin, buf: make([]byte, min(max(size+1, leastBuffer), maxBuffer))}
	line, ok := r.readLine()
	if !ok {
		r.fail("it is empty, but the first line must have the names of the columns")
		return r
	}
	line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	names := strings.Split(strings.TrimRight(string(line), "\t"), "\t")
	fits := len(names) == len(want)+further
	for i := 0; fits && i < len(want); i++ {
		fits = strings.EqualFold(names[i], want[i])
	}
	if !fits {
		more := ""
		if further > 0 {
			more = fmt.Sprintf(" and %d more", further)
		}
		r.fail("the columns are %.300q, expected %q%s", names, want, more)
	}
	r.columns = names
	r.fields = make([][]byte, len(names))
	return r
}

// next advances to the next row. It returns false at the end and after an error.
func (r *rows) next() bool {
	if r.err != nil {
		return false
	}
	line, ok := r.readLine()
	for ok && len(line) == 0 {
		if r.empty == 0 {
			r.empty = r.line
		}
		line, ok = r.readLine()
	}
	if !ok {
		return false
	}
	if r.empty > 0 {
		r.line = r.empty
		r.fail("an empty line, expected %d columns", len(r.columns))
		return false
	}
	r.split(line)
	return r.err == nil
}

// split splits a line into the fields of the columns.
func (r *rows) split(line []byte) {
	last := len(r.fields) - 1
	for i := range last {
		at := bytes.IndexByte(line, '\t')
		if at < 0 {
			r.fail("the line has %d columns, expected %d: %.100q", i+1, len(r.fields), line)
			return
		}
		r.fields[i], line = line[:at], line[at+1:]
	}
	if at := bytes.IndexByte(line, '\t'); at >= 0 {
		if rest := bytes.TrimLeft(line[at:], "\t"); len(rest) > 0 {
			r.fail("the line has %d columns, expected %d; beyond them there is %.100q",
				len(r.fields)+bytes.Count(line, []byte("\t")), len(r.fields), rest)
			return
		}
		line = line[:at]
	}
	r.fields[last] = line
}

// readLine returns the next line without its end.
func (r *rows) readLine() (line []byte, ok bool) {
	for searched := 0; ; {
		if at := bytes.IndexByte(r.buf[r.start+searched:r.end], '\n'); at >= 0 {
			line = r.buf[r.start : r.start+searched+at]
			r.start += searched + at + 1
			break
		}
		if r.ended {
			line, r.start = r.buf[r.start:r.end], r.end
			if len(line) == 0 || r.err != nil {
				return nil, false
			}
			break
		}
		searched = r.end - r.start
		r.fill()
		if r.err != nil {
			return nil, false
		}
	}
	r.line++
	return bytes.TrimSuffix(line, []byte("\r")), true
}

// fill reads more input after the bytes that are not yet returned.
func (r *rows) fill() {
	if r.start > 0 {
		copy(r.buf, r.buf[r.start:r.end])
		r.start, r.end = 0, r.end-r.start
	}
	if r.end == len(r.buf) {
		if r.end >= maxLine {
			r.line++
			r.fail("a line of more than %d bytes", maxLine)
			return
		}
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
	}
	n, err := r.in.Read(r.buf[r.end:])
	r.end += n
	switch {
	case errors.Is(err, io.EOF):
		r.ended = true
	case err != nil:
		r.err = fmt.Errorf("%s: line %d: %w", r.origin, r.line+1, err)
	}
}

// fail records an error in the current line, unless there is an error already.
func (r *rows) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%s: line %d: %w: %s", r.origin, max(r.line, 1), ErrDamaged, fmt.Sprintf(format, args...))
	}
}

// wrong records that a field has an invalid value.
func (r *rows) wrong(column int, want string) {
	r.fail("%s is %.60q, expected %s", r.columns[column], r.fields[column], want)
}
