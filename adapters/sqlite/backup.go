package sqlite

import (
	"context"
	"io/fs"
	"net/url"
)

// Backup writes one state of the store in the file at path, which other processes may be writing,
// to a new file at target, and compares all checksums in that file. The state includes every write
// that was acknowledged before. While it is written, the write-ahead log of the store cannot be
// emptied and grows. If a checksum does not match, the error wraps resources.ErrDamaged.
func Backup(ctx context.Context, path, target string) error {
	if err := copyTo(ctx, path, target); err != nil {
		return err
	}
	if err := checkSums(ctx, target); err != nil {
		return failed(path, err)
	}
	return nil
}

func copyTo(ctx context.Context, path, target string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	switch exists, err := Exists(path); {
	case err != nil:
		return err
	case !exists:
		return failed(path, fs.ErrNotExist)
	}
	address, err := fileAddress(path, "ro", url.Values{})
	if err != nil {
		return failed(path, err)
	}
	c, err := connect(address, "PRAGMA busy_timeout="+busyTimeout)
	if err != nil {
		return failed(path, err)
	}
	defer c.close()
	s, err := c.prepare("VACUUM INTO ?")
	if err != nil {
		return failed(path, err)
	}
	defer s.release()
	s.bindText(1, target)
	defer c.endWith(ctx)()
	if _, err := s.step(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return failed(path, err)
	}
	return nil
}
