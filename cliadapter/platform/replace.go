package platform

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// replaceFile writes a file and replaces the previous one when everything is written. If writing
// fails, the previous file stays. If path is a symbolic link, the file that it points to is
// replaced. Devices and pipes, such as /dev/stdout, are written to directly.
func replaceFile(path string, content func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil {
		switch {
		case info.IsDir():
			return fmt.Errorf("write %s: it is a folder; name a file in it", path)
		case !info.Mode().IsRegular():
			return writeInto(path, content)
		}
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		if reason, is := errors.AsType[*fs.PathError](err); is { // which names a file that nobody asked for
			err = reason.Err
		}
		return fmt.Errorf("write %s: %w", path, err)
	}
	w := bufio.NewWriterSize(file, 64<<10)
	err = content(w)
	if err == nil {
		err = w.Flush()
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}

// writeInto writes to an existing device or pipe.
func writeInto(path string, content func(io.Writer) error) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(content(file), file.Close())
}

// An observed writer reports the number of bytes written, after each 64 kB.
type observed struct {
	w    io.Writer
	tell func(bytes int64)

	written int64
}

// Write passes bytes on.
func (o *observed) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if before := o.written; (before+int64(n))>>16 > before>>16 {
		o.tell(before + int64(n))
	}
	o.written += int64(n)
	return n, err
}
