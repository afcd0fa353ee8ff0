//go:build !linux

package backend

import "time"

// monotonic returns false: only Linux has systemd.
func monotonic() (time.Duration, bool) { return 0, false }
