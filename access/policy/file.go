package policy

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/roget-health/roget/access"
)

const (
	// maxFile is the largest policy in bytes.
	maxFile = 4 << 20
	// lookEvery is the time between two looks at a file.
	lookEvery = 2 * time.Second
)

// A File is a policy in a file, which may change while it is in use. A change that has errors leaves
// the last good policy in use. It is safe for concurrent use.
type File struct {
	path    string
	check   Check
	log     *slog.Logger
	current atomic.Pointer[Policy]

	mu      sync.Mutex // held while the file is read
	size    int64
	changed time.Time
}

// Open reads a policy. log receives what happens when the file changes; nil disables it.
func Open(path string, check Check, log *slog.Logger) (*File, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	f := &File{path: path, check: check, log: log}
	return f, f.Reload()
}

// Authorize returns what a principal may do; see Policy.Authorize.
func (f *File) Authorize(ctx context.Context, who *access.Principal) (*access.Grant, error) {
	return f.current.Load().Authorize(ctx, who)
}

// Policy returns the policy that is in use.
func (f *File) Policy() *Policy { return f.current.Load() }

// Reload reads the file again.
func (f *File) Reload() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	// Opening a pipe without a writer would wait for ever.
	if info, err := os.Stat(f.path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", f.path)
	}
	file, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	f.size, f.changed = info.Size(), info.ModTime() // also of a bad file, which is reported once
	content, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	switch {
	case err != nil:
		return err
	case len(content) > maxFile:
		return fmt.Errorf("%s is longer than %d bytes", f.path, maxFile)
	}
	p, err := Parse(f.path, string(content), f.check)
	if err == nil {
		f.current.Store(p)
	}
	return err
}

// Watch reads the file again when it changes, until ctx ends.
func (f *File) Watch(ctx context.Context) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	failed := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		info, err := os.Stat(f.path)
		if err == nil {
			f.mu.Lock()
			same := info.Size() == f.size && info.ModTime().Equal(f.changed)
			f.mu.Unlock()
			if same {
				continue
			}
			err = f.Reload()
		}
		switch {
		case err == nil:
			failed = false
			f.log.Info("the policy was read again", "file", f.path, "rules", len(f.Policy().Rules))
		case !failed || info != nil:
			failed = true
			f.log.Error("the policy has changed and cannot be used; the last one stays in use", "file", f.path, "err", err)
		}
	}
}
