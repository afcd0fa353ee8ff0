package datadir

import (
	"errors"
	"fmt"

	"github.com/roget-health/roget/codesystem"
)

// Errors of a data folder. A pack that cannot be used is reported with the sentinels of
// package codesystem: ErrForeign, ErrSnapshotVersion, ErrDamaged.
var (
	// ErrLocked is returned by Dir.Writer while another writer, in this or another process, is at work.
	ErrLocked = errors.New("data folder is being written by another process")
	// ErrWriterDone is returned by a Writer used after Commit or Abort.
	ErrWriterDone = errors.New("writer was committed or aborted already")
)

// PackError is a pack that cannot be used, and why.
type PackError struct {
	Path string
	Err  error
}

// Error names the pack, what is wrong with it, and the remedy.
func (e *PackError) Error() string {
	return fmt.Sprintf("%s: %v (load its sources again, or remove the file)", e.Path, e.Err)
}

// Unwrap returns the reason.
func (e *PackError) Unwrap() error { return e.Err }

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", codesystem.ErrDamaged, fmt.Sprintf(format, args...))
}

// unusable reports that a pack has to be compiled again.
func unusable(err error) bool {
	return errors.Is(err, codesystem.ErrDamaged) ||
		errors.Is(err, codesystem.ErrForeign) ||
		errors.Is(err, codesystem.ErrSnapshotVersion)
}
