package datadir

import (
	"errors"
	"fmt"

	"github.com/roget-health/roget/codesystem"
)

// Errors of a data folder. Unusable packs are reported with the sentinels of package codesystem:
// ErrForeign, ErrSnapshotVersion, ErrDamaged.
var (
	// ErrLocked is returned by Dir.Writer while another writer is active, in this or another
	// process.
	ErrLocked = errors.New("locked by another process that is writing to it; try again when it has finished")
	// ErrWriterDone is returned by a Writer that is used after Commit or Abort.
	ErrWriterDone = errors.New("the writer has been committed or aborted")
)

// PackError is an unusable pack with the reason.
type PackError struct {
	Path string
	Err  error
}

// Error names the pack, the reason and the remedy.
func (e *PackError) Error() string {
	if !unusable(e.Err) {
		return fmt.Sprintf("%s: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("%s: %v (load its sources again, or remove the file)", e.Path, e.Err)
}

// Unwrap returns the reason.
func (e *PackError) Unwrap() error { return e.Err }

func corrupted(format string, args ...any) error {
	return fmt.Errorf("%w: %s", codesystem.ErrDamaged, fmt.Sprintf(format, args...))
}

// unusable reports whether a pack has to be recompiled.
func unusable(err error) bool {
	return errors.Is(err, codesystem.ErrDamaged) ||
		errors.Is(err, codesystem.ErrForeign) ||
		errors.Is(err, codesystem.ErrSnapshotVersion)
}
