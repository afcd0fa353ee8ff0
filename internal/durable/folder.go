// Package durable keeps files through crashes, and apart from other processes.
package durable

import (
	"errors"
	"os"
	"runtime"
)

// SyncFolder makes the names in a folder durable. Windows has no such call and does not need it.
func SyncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
