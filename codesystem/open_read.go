//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package codesystem

import (
	"fmt"
	"os"
)

// Open opens the snapshot in a file by reading it whole. Errors: those of the file
// system, ErrForeign, ErrSnapshotVersion, ErrDamaged.
func Open(path string) (*Index, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	x, err := FromBytes(data, true)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return x, nil
}
