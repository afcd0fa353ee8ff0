package authn

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxFile is the largest file of tokens or passwords, in bytes.
	maxFile = 8 << 20
	// checkEvery is the shortest time between two looks at a file.
	checkEvery = time.Second
)

// A watched is a parsed file that is read again when it changes.
type watched[T any] struct {
	path    string
	parse   func(path string, content []byte) (*T, error)
	log     *slog.Logger
	now     func() time.Time
	current atomic.Pointer[T]

	checked atomic.Int64 // when somebody last looked at the file, in Unix nanoseconds
	mu      sync.Mutex   // held while the file is read
	size    int64
	changed time.Time
}

// watch reads a file and returns its content.
func watch[T any](path string, log *slog.Logger, parse func(path string, content []byte) (*T, error)) (*watched[T], error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	w := &watched[T]{path: path, parse: parse, log: log, now: time.Now}
	if err := w.read(); err != nil {
		return nil, err
	}
	w.checked.Store(w.now().UnixNano())
	return w, nil
}

// get returns the content of the file, at most checkEvery old.
func (w *watched[T]) get() *T {
	now, last := w.now().UnixNano(), w.checked.Load()
	if now-last >= int64(checkEvery) && w.checked.CompareAndSwap(last, now) {
		if err := w.readIfChanged(); err != nil {
			w.log.Error("a file that has changed cannot be used; its last content stays in use", "file", w.path, "err", err)
		}
	}
	return w.current.Load()
}

func (w *watched[T]) readIfChanged() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	info, err := os.Stat(w.path)
	if err != nil {
		return err
	}
	if info.Size() == w.size && info.ModTime().Equal(w.changed) {
		return nil
	}
	return w.readLocked()
}

func (w *watched[T]) read() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.readLocked()
}

func (w *watched[T]) readLocked() error {
	content, info, err := ReadFile(w.path, maxFile)
	if err != nil {
		return err
	}
	w.size, w.changed = info.Size(), info.ModTime() // also of a bad file, which is reported once
	parsed, err := w.parse(w.path, content)
	if err != nil {
		return err
	}
	if w.current.Swap(parsed) != nil {
		w.log.Info("read again", "file", w.path)
	}
	return nil
}

// ReadFile returns the content and the state of a file of credentials or keys. It refuses what is not
// a regular file, such as a pipe, which a server would wait for, and what is longer than max bytes.
func ReadFile(path string, max int64) ([]byte, os.FileInfo, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		return nil, nil, err
	}
	file, err := os.Open(path) //nolint:gosec // the operator names it
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = file.Close() }()
	if info, err = file.Stat(); err != nil { // of what is read, if the file has been replaced since
		return nil, nil, err
	}
	content, err := io.ReadAll(io.LimitReader(file, max+1))
	if err == nil && int64(len(content)) > max {
		err = fmt.Errorf("%s is longer than %d bytes", path, max)
	}
	return content, info, err
}
