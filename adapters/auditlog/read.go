package auditlog

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/klauspost/compress/gzip"

	"github.com/roget-health/roget/access/audit"
)

// Stdin names standard input among the sources of Read.
const Stdin = "-"

// Read calls fn with each line of files, folders of logs, and stdin (Stdin), in this order. The lines
// have no line feed, and are valid until fn returns; where is their file. A last line without line
// feed is being written, and is left out. Read stops at the first error of fn and returns it. A file of
// a folder that cannot be read does not hide the others: its error is returned at the end.
func Read(ctx context.Context, sources []string, stdin io.Reader, fn func(where string, line []byte) error) error {
	var unread error // of the first file that cannot be read
	for _, source := range sources {
		if source == Stdin {
			if err := readLines(ctx, "standard input", stdin, fn); err != nil {
				return err
			}
			continue
		}
		info, err := os.Stat(source)
		if err != nil {
			return err
		}
		if !info.IsDir() {
			if err := readFile(ctx, source, fn); err != nil {
				return err
			}
			continue
		}
		files, err := list(source)
		if err != nil {
			return err
		}
		if len(files) == 0 {
			return fmt.Errorf("%s has no file of an audit log (audit-….jsonl): %w", source, fs.ErrNotExist)
		}
		for _, f := range files {
			refused := false
			each := func(where string, line []byte) error {
				err := fn(where, line)
				refused = err != nil
				return err
			}
			err := readFile(ctx, f.path, each)
			if errors.Is(err, fs.ErrNotExist) && !refused && !f.packed { // compressed meanwhile
				err = readFile(ctx, f.path+packed, each)
			}
			switch {
			case err == nil:
			case refused || ctx.Err() != nil:
				return err
			case unread == nil:
				unread = err
			}
		}
	}
	return unread
}

func readFile(ctx context.Context, path string, fn func(where string, line []byte) error) error {
	// Opening a pipe without a writer would wait for ever.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file; to read a pipe, connect it to standard input and name %s", path, Stdin)
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	return readLines(ctx, path, file, fn)
}

// readLines reads lines that may be compressed.
func readLines(ctx context.Context, where string, in io.Reader, fn func(where string, line []byte) error) error {
	buffered := bufio.NewReaderSize(in, 64<<10)
	if magic, err := buffered.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		unpacked, err := gzip.NewReader(buffered)
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		defer func() { _ = unpacked.Close() }() // the sum is checked at the end of the file
		buffered = bufio.NewReaderSize(unpacked, 64<<10)
	}
	var long []byte // a line that is longer than the buffer
	for n := 1; ; n++ {
		if n&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line, err := buffered.ReadSlice('\n')
		for long = long[:0]; errors.Is(err, bufio.ErrBufferFull); line, err = buffered.ReadSlice('\n') {
			if long = append(long, line...); len(long) > audit.MaxLine {
				return fmt.Errorf("%s: line %d: %w: it has more than %d bytes", where, n, audit.ErrLine, audit.MaxLine)
			}
		}
		if len(long) > 0 {
			long = append(long, line...)
			line = long
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", where, err)
		}
		if err := fn(where, bytes.TrimSuffix(line, []byte("\n"))); err != nil {
			return err
		}
	}
}
