// Package filelock has locks between processes that end with the process that holds
// them. The files stay: a lock file that is removed may be locked twice.
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

// longestWait is the longest pause between two looks at a lock that another one holds.
const longestWait = 50 * time.Millisecond

// Lock waits for the lock at a path, whose folder it makes, and gives what frees it. Two
// locks of one process exclude each other, too.
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

// Key returns the path of the lock of a key beside a file: a hidden one, named by the file
// and a digest of the key.
func Key(file, key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(filepath.Dir(file), fmt.Sprintf(".%s-%s.lock", filepath.Base(file), hex.EncodeToString(sum[:8])))
}
