package uiadapter

import "time"

// SetTimeForCounts sets the time that counting all types may take.
func (h *Handler) SetTimeForCounts(d time.Duration) { h.timeForCounts = d }
