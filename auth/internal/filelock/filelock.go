// Package filelock provides locks between processes. A lock ends with the process that holds it. The
// lock files are never removed: two processes could hold a lock whose file was removed.
package filelock

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// longestWait is the longest pause between two attempts to take a lock.
const longestWait = 50 * time.Millisecond

// Lock waits for the lock at a path and returns the function that releases it. It creates the folder.
// The lock also excludes other goroutines of the process.
func Lock(ctx context.Context, path string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	for pause := time.Millisecond; ; pause = min(2*pause, longestWait) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		unlock, err := try(path)
		if unlock != nil || err != nil {
			return unlock, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// Key returns the path of a hidden lock file beside a file. Its name consists of the file's name and
// a checksum of the key.
func Key(file, key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(filepath.Dir(file), fmt.Sprintf(".%s-%s.lock", filepath.Base(file), hex.EncodeToString(sum[:8])))
}
