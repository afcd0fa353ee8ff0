package backend

import (
	"time"

	"golang.org/x/sys/unix"
)

// monotonic returns the time of the monotonic clock of the system.
func monotonic() (time.Duration, bool) {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return 0, false
	}
	return time.Duration(now.Nano()), true
}
