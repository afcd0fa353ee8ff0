package lists

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"

	"github.com/roget-health/roget/cliadapter/command"
)

// gzipEnding is the ending of names of files that are compressed.
const gzipEnding = ".gz"

// readSize is how much of a source is read at once.
const readSize = 128 << 10

// byteOrderMark begins some files in UTF-8.
const byteOrderMark = "\xef\xbb\xbf"

// ErrEncoding is returned for a source that is not UTF-8.
var ErrEncoding = errors.New("the text is UTF-16, not UTF-8; convert it first, as by iconv -f UTF-16 -t UTF-8")

// A Source is an open list: a file, or a stream that is not closed. It is decompressed if it
// begins as gzip does. Its byte order mark is passed over.
type Source struct {
	// Name is the name of the source in messages.
	Name string
	// Size is the number of bytes of the file, 0 if it is not known.
	Size int64

	path  string
	file  io.Closer // nil for a stream
	raw   counter
	text  io.Reader // nil before the first read
	mark  string
	begun error
}

// A counter counts what is read from r.
type counter struct {
	r io.Reader
	n atomic.Int64
}

// Read counts the bytes.
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// Open opens the file at a path, or uses stdin for "-". It reads nothing yet.
func Open(path string, stdin io.Reader) (*Source, error) {
	if path == "-" {
		if stdin == nil {
			return nil, errors.New("no standard input is available")
		}
		return &Source{Name: "standard input", path: path, raw: counter{r: stdin}}, nil
	}
	file, err := command.Open(path)
	if err != nil {
		return nil, err
	}
	s := &Source{Name: path, path: path, file: file, raw: counter{r: file}}
	info, err := file.Stat()
	switch {
	case err != nil:
		_ = file.Close()
		return nil, err
	case info.IsDir():
		_ = file.Close()
		return nil, &os.PathError{Op: "read", Path: path, Err: errors.New("it is a folder, not a list of codes")}
	case info.Mode().IsRegular():
		s.Size = info.Size()
	}
	return s, nil
}

// Read reads the text of the list. Its errors name the source.
func (s *Source) Read(p []byte) (int, error) {
	if s.text == nil && s.begun == nil {
		s.begun = s.begin()
	}
	if s.begun != nil {
		return 0, s.begun
	}
	n, err := s.text.Read(p)
	return n, s.named(err)
}

// named adds the name of the source to an error.
func (s *Source) named(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s: it ends in the middle of the compressed text: %w", s.Name, err)
	}
	return fmt.Errorf("%s: %w", s.Name, err)
}

// begin looks at the first bytes.
func (s *Source) begin() error {
	in := bufio.NewReaderSize(&s.raw, readSize)
	if begins(in, "\x1f\x8b") {
		unpacked, err := gzip.NewReader(in)
		if err != nil {
			return s.named(err)
		}
		in = bufio.NewReaderSize(unpacked, readSize)
	} else if strings.HasSuffix(strings.ToLower(s.path), gzipEnding) && !begins(in, "") {
		return s.named(fmt.Errorf("the name ends in %s, but it is not compressed; rename it (%w)", gzipEnding, gzip.ErrHeader))
	}
	switch {
	case begins(in, byteOrderMark):
		s.mark = byteOrderMark
		_, _ = in.Discard(len(byteOrderMark))
	case begins(in, "\xff\xfe"), begins(in, "\xfe\xff"):
		return s.named(ErrEncoding)
	}
	s.text = in
	return nil
}

// begins reports whether what is read begins with a text; with "", whether there is nothing to
// read. It does not wait for more bytes than are needed to tell.
func begins(in *bufio.Reader, text string) bool {
	for n := range len(text) {
		if head, _ := in.Peek(n + 1); !bytes.Equal(head, []byte(text[:n+1])) {
			return false
		}
	}
	if text != "" {
		return true
	}
	head, _ := in.Peek(1)
	return len(head) == 0
}

// Mark returns the byte order mark that the text had, or "". It is known after the first Read.
func (s *Source) Mark() string { return s.mark }

// Position returns how many bytes of the file were read. It may be called while others read.
func (s *Source) Position() int64 { return s.raw.n.Load() }

// Close closes the file.
func (s *Source) Close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}
