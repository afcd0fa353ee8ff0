package datadir

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// fingerprint is what a file system knows of a file without reading it. A file whose
// fingerprint is as it was has not been written to through the file system since, nor
// replaced by another file: the change time cannot be set by programs, as the time of
// modification can.
type fingerprint struct {
	Size       int64  `json:"size"`
	ModTime    int64  `json:"modTime"`    // nanoseconds since 1970
	ChangeTime int64  `json:"changeTime"` // of content or attributes, likewise
	Device     uint64 `json:"device"`
	Inode      uint64 `json:"inode"`
}

// The clock of a file system moves in steps: two changes within one step leave the same
// time. clockStep is longer than the steps of file systems that keep fractions of
// seconds, coarseStep than those that do not.
const (
	clockStep  = 20 * time.Millisecond
	coarseStep = 2 * time.Second
)

// step returns how long ago the last change has to be for the next one to have another time.
func (f fingerprint) step() time.Duration {
	if f.ChangeTime%int64(time.Second) == 0 {
		return coarseStep
	}
	return clockStep
}

// settled reports whether any change of the file from now on, a time of the clock of its file
// system, gives it another fingerprint.
func (f fingerprint) settled(now time.Time) bool {
	return now.UnixNano()-f.ChangeTime > int64(f.step())
}

// keepsChangeTime returns an error unless the file system of a file, whose times it sets,
// keeps a time of change apart from the time of modification, which programs can set:
// FAT does not, nor do some network protocols.
func keepsChangeTime(file *os.File) error {
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

// fileClock returns the present time by the clock of the file system of a file, which it
// writes to.
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
