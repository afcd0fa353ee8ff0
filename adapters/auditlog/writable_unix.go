//go:build darwin || linux

package auditlog

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// writable returns an error if this process cannot make files in a folder.
func writable(folder string) error {
	if err := unix.Access(folder, unix.W_OK|unix.X_OK); err != nil {
		return fmt.Errorf("%s: %w", folder, err)
	}
	return nil
}
