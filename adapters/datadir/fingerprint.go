package datadir

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// fingerprint is the attributes of a file that the file system provides without reading it. If
// they are equal, the file has neither been written to through the file system nor been replaced:
// programs can set the modification time of a file, but not its change time.
type fingerprint struct {
	Size       int64  `json:"size"`
	ModTime    int64  `json:"modTime"`    // nanoseconds since 1970
	ChangeTime int64  `json:"changeTime"` // of content or attributes, in the same unit
	Device     uint64 `json:"device"`
	Inode      uint64 `json:"inode"`
}

// The clock of a file system has a resolution: two changes within it result in the same time.
// fineResolution is more than the resolution of file systems that store fractions of seconds,
// coarseResolution more than that of the others.
const (
	fineResolution   = 20 * time.Millisecond
	coarseResolution = 2 * time.Second
)

// clockResolution returns the minimum distance of two changes with different times.
func (f fingerprint) clockResolution() time.Duration {
	if f.ChangeTime%int64(time.Second) == 0 {
		return coarseResolution
	}
	return fineResolution
}

// settled reports whether any change from now on will give the file another fingerprint. now is a
// time of the clock of its file system.
func (f fingerprint) settled(now time.Time) bool {
	return now.UnixNano()-f.ChangeTime > int64(f.clockResolution())
}

// checkChangeTime sets the times of a file and returns an error unless its file system stores a
// change time apart from the modification time, which programs can set. FAT does not, nor do some
// network protocols.
func checkChangeTime(file *os.File) error {
	past := time.Unix(1_000_000_000, 0)
	if err := os.Chtimes(file.Name(), past, past); err != nil {
		return err
	}
	f, err := fingerprintOf(file)
	if err == nil && f.ChangeTime == f.ModTime {
		err = fmt.Errorf("%w: the file system keeps no time of change", errors.ErrUnsupported)
	}
	return err
}

// fileClock writes to a file and returns the present time by the clock of its file system.
func fileClock(file *os.File) (time.Time, error) {
	if _, err := file.WriteAt([]byte{'\n'}, 0); err != nil {
		return time.Time{}, err
	}
	info, err := file.Stat()
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}
