package rf2

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/roget-health/roget/codesystem/loader"
)

// ErrDamaged is returned for a file that breaks the rules of its format. The message
// names the file and the line, what was found and what was expected.
var ErrDamaged = errors.New("damaged release file")

const (
	leastBuffer = 4 << 10
	mostBuffer  = 256 << 10 // unless a line is longer
	// maxLine bounds one row: a term has at most 32,768 bytes.
	maxLine = 1 << 20
)

// rows reads the rows of a release file: lines of fields, the first of which names the
// columns. A byte order mark, both kinds of line ends, empty fields beyond the last column
// and empty lines at the end are put up with.
//
// The first error stays in err and ends the reading; the methods that read fields give a
// zero value from then on. Fields are valid until the next row.
type rows struct {
	in     io.Reader
	origin loader.Origin

	buf      []byte
	from, to int  // what is read and not yet given
	ended    bool // the input is

	line    int
	empty   int      // line of the first empty one of those just before
	columns []string // their names, as in the file
	fields  [][]byte
	err     error
}

// openRows reads the line with the names of the columns. The first of them must be those
// of want, without regard to case, and there must be further more. size is about how many
// bytes there are.
func openRows(in io.Reader, origin loader.Origin, size int64, want []string, further int) *rows {
	r := &rows{in: in, origin: origin, buf: make([]byte, min(max(size+1, leastBuffer), mostBuffer))}
	line, ok := r.readLine()
	if !ok {
		r.fail("it is empty, expected a line with the names of columns")
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
		r.fail("columns are %.300q, expected %q%s", names, want, more)
	}
	r.columns = names
	r.fields = make([][]byte, len(names))
	return r
}

// next goes to the next row; false at the end and after an error.
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

// split cuts a line into the fields of the columns.
func (r *rows) split(line []byte) {
	last := len(r.fields) - 1
	for i := range last {
		at := bytes.IndexByte(line, '\t')
		if at < 0 {
			r.fail("%d columns, expected %d: %.100q", i+1, len(r.fields), line)
			return
		}
		r.fields[i], line = line[:at], line[at+1:]
	}
	if at := bytes.IndexByte(line, '\t'); at >= 0 {
		if rest := bytes.TrimLeft(line[at:], "\t"); len(rest) > 0 {
			r.fail("%d columns, expected %d; beyond them there is %.100q",
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
		if at := bytes.IndexByte(r.buf[r.from+searched:r.to], '\n'); at >= 0 {
			line = r.buf[r.from : r.from+searched+at]
			r.from += searched + at + 1
			break
		}
		if r.ended {
			line, r.from = r.buf[r.from:r.to], r.to
			if len(line) == 0 || r.err != nil {
				return nil, false
			}
			break
		}
		searched = r.to - r.from
		r.fill()
		if r.err != nil {
			return nil, false
		}
	}
	r.line++
	return bytes.TrimSuffix(line, []byte("\r")), true
}

// fill reads more of the input behind what is not yet given.
func (r *rows) fill() {
	if r.from > 0 {
		copy(r.buf, r.buf[r.from:r.to])
		r.from, r.to = 0, r.to-r.from
	}
	if r.to == len(r.buf) {
		if r.to >= maxLine {
			r.line++
			r.fail("a line of more than %d bytes", maxLine)
			return
		}
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
	}
	n, err := r.in.Read(r.buf[r.to:])
	r.to += n
	switch {
	case errors.Is(err, io.EOF):
		r.ended = true
	case err != nil:
		r.err = fmt.Errorf("%s: line %d: %w", r.origin, r.line+1, err)
	}
}

// fail records what is wrong with the line read last, if nothing was wrong before.
func (r *rows) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%s: line %d: %w: %s", r.origin, max(r.line, 1), ErrDamaged, fmt.Sprintf(format, args...))
	}
}

// wrong records that a field is not what it must be.
func (r *rows) wrong(column int, want string) {
	r.fail("%s is %.60q, expected %s", r.columns[column], r.fields[column], want)
}
