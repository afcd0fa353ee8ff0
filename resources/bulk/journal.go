package bulk

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/roget-health/roget/codesystem/loader"
)

// A journal records the files that are stored, so that an interrupted import can be continued. A
// nil journal records nothing.
type journal struct {
	mu   sync.Mutex
	path string
	file *os.File
	done map[journalLine]bool
	err  error // the first error of writing
}

// A journalLine describes a file as it was when it was stored. The first line of a journal has only
// Into.
type journalLine struct {
	Into    string    `json:"into,omitempty"`
	Path    string    `json:"path,omitempty"`
	Entry   string    `json:"entry,omitempty"`
	Size    int64     `json:"size,omitempty"`
	ModTime time.Time `json:"modTime,omitzero"`
}

// openJournal reads a journal or creates it. A journal of another store is replaced.
func openJournal(path, into string) (*journal, error) {
	if path == "" {
		return nil, nil
	}
	j := &journal{path: path, done: map[journalLine]bool{}}
	data, err := os.ReadFile(path) //nolint:gosec // the operator names it
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("journal: %w", err)
	}
	same := j.parse(data, into)
	flags := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	if !same {
		flags |= os.O_TRUNC
	}
	if j.file, err = os.OpenFile(path, flags, 0o600); err != nil { //nolint:gosec // the operator names it
		return nil, fmt.Errorf("journal: %w", err)
	}
	if !same {
		j.write(journalLine{Into: into})
	}
	return j, j.err
}

// parse reads the lines of a journal of a store. It ignores a truncated last line.
func (j *journal) parse(data []byte, into string) (same bool) {
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var l journalLine
		if json.Unmarshal(lines.Bytes(), &l) != nil {
			continue
		}
		if !same {
			if l != (journalLine{Into: into}) {
				return false
			}
			same = true
			continue
		}
		j.done[l] = true
	}
	return same
}

func lineOf(o loader.Origin) (journalLine, bool) {
	path, err := o.Path, error(nil)
	if !IsURL(path) {
		path, err = filepath.Abs(path)
	}
	return journalLine{Path: path, Entry: o.Entry, Size: o.Size, ModTime: o.ModTime.UTC()}, err == nil
}

// has reports whether a file was stored and has not changed.
func (j *journal) has(o loader.Origin) bool {
	if j == nil {
		return false
	}
	l, ok := lineOf(o)
	return ok && j.done[l]
}

// add records a file that is stored.
func (j *journal) add(o loader.Origin) {
	if j == nil {
		return
	}
	if l, ok := lineOf(o); ok {
		j.write(l)
	}
}

func (j *journal) write(l journalLine) {
	text, err := json.Marshal(l)
	j.mu.Lock()
	defer j.mu.Unlock()
	if err == nil {
		_, err = j.file.Write(append(text, '\n'))
	}
	if j.err == nil && err != nil {
		j.err = fmt.Errorf("journal: %w", err)
	}
}

// close closes the journal, and removes it if everything is stored.
func (j *journal) close(all bool) error {
	if j == nil {
		return nil
	}
	err := errors.Join(j.err, j.file.Close())
	if all && err == nil {
		err = os.Remove(j.path)
	}
	return err
}
