package auditlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/roget-health/roget/access/audit"
	"github.com/roget-health/roget/internal/durable"
)

// rotate begins a new file. If that fails and there is a file, the log goes on in that one.
func (l *Log) rotate(now time.Time) error {
	before, previous := l.chain.Sum(), l.chain.Sum()
	path := filepath.Join(l.folder, fileName(l.n+1, now))
	header := audit.Record{Time: now, Event: audit.EventFile}
	line := l.chain.AppendLine(nil, l.n+1, header.Append(nil), &previous)
	file, err := l.create(path, line)
	if err != nil {
		l.chain.Continue(before)
		if l.file == nil {
			return err
		}
		l.opts.Logger.Warn("a new file of the audit log cannot be made", "err", err)
		return nil
	}
	if l.file != nil {
		if l.opts.Sync != SyncOff {
			err = l.file.Sync()
		}
		if err = errors.Join(err, l.file.Close()); err != nil {
			l.opts.Logger.Error("a file of the audit log may not be on the disk", "file", l.file.Name(), "err", err)
		}
	}
	l.file, l.size, l.n, l.day = file, int64(len(line)), l.n+1, now.UTC().Format(dayLayout)
	return nil
}

// create makes a file with a first line.
func (l *Log) create(path string, line []byte) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	if _, err = file.Write(line); err == nil && l.opts.Sync == SyncAlways {
		if err = file.Sync(); err == nil {
			err = durable.SyncFolder(l.folder)
		}
	}
	if err != nil {
		_ = file.Close()
		return nil, errors.Join(err, os.Remove(path))
	}
	return file, nil
}

// resume finds the end of the log, cuts off what a crash left of a line, and opens the last file. It
// returns what it repaired.
func (l *Log) resume() (notes []string, err error) {
	for {
		files, err := list(l.folder)
		if err != nil || len(files) == 0 {
			return notes, err
		}
		last := files[len(files)-1]
		if last.packed {
			return notes, l.after(last)
		}
		text, size, torn, err := tail(last.path)
		if err != nil {
			return notes, err
		}
		if torn > 0 {
			if err := os.Truncate(last.path, size); err != nil {
				return notes, err
			}
			notes = append(notes, fmt.Sprintf("%s: %d bytes of an unfinished line were removed", filepath.Base(last.path), torn))
		}
		if size == 0 { // the crash was within its first line
			if err := os.Remove(last.path); err != nil {
				return notes, err
			}
			continue
		}
		line, err := audit.ParseLine(text)
		if err != nil {
			notes = append(notes, filepath.Base(last.path)+": the last line is damaged, and the log goes on in another file")
			return notes, l.after(last)
		}
		l.n = line.N
		sum, err := audit.ParseSum(line.Sum)
		if err != nil {
			return notes, err
		}
		l.chain.Continue(sum)
		if l.file, err = os.OpenFile(last.path, os.O_WRONLY|os.O_APPEND, 0); err != nil {
			return notes, err
		}
		l.size, l.day = size, last.day.Format(dayLayout)
		return notes, nil
	}
}

// after continues in a new file after a file that cannot be appended to.
func (l *Log) after(f logFile) error {
	l.n = f.first - 1
	return readFile(context.Background(), f.path, func(_ string, text []byte) error {
		l.n++
		if line, err := audit.ParseLine(text); err == nil {
			if sum, err := audit.ParseSum(line.Sum); err == nil {
				l.n = max(l.n, line.N)
				l.chain.Continue(sum)
			}
		}
		return nil
	})
}

// tail returns the last whole line of a file without its line feed, the size up to its end, and the
// number of bytes after that.
func tail(path string) (line []byte, size, torn int64, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, 0, err
	}
	defer file.Close()
	whole, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, 0, 0, err
	}
	from := max(0, whole-2*audit.MaxLine)
	end := make([]byte, whole-from)
	if _, err := file.ReadAt(end, from); err != nil {
		return nil, 0, 0, err
	}
	feed := bytes.LastIndexByte(end, '\n')
	if feed < 0 && from > 0 {
		return nil, 0, 0, fmt.Errorf("%s: its last %d bytes have no line feed, so it is no audit log; move it elsewhere", path, len(end))
	}
	torn = int64(len(end) - feed - 1)
	end = end[:feed+1]
	line = bytes.TrimSuffix(end, []byte("\n"))
	return line[bytes.LastIndexByte(line, '\n')+1:], whole - torn, torn, nil
}

// compress replaces a file by its compressed form.
func compress(path string) (err error) {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(path+packed+temporary, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = out.Close()
			_ = os.Remove(out.Name())
		}
	}()
	w := gzip.NewWriter(out)
	if _, err = io.Copy(w, in); err != nil {
		return err
	}
	if err = w.Close(); err != nil {
		return err
	}
	if err = out.Sync(); err != nil {
		return err
	}
	if err = out.Close(); err != nil {
		return err
	}
	if err = os.Rename(out.Name(), path+packed); err != nil {
		return err
	}
	if err = durable.SyncFolder(filepath.Dir(path)); err != nil {
		return err
	}
	return os.Remove(path)
}
