package httpadapter

import "time"

// Hurry sets the pace of clients, instead of 10 seconds and 4 KiB/s. It is called before the first
// request.
func Hurry(h *Handler, grace time.Duration, rate int) { h.pace.grace, h.pace.rate = grace, rate }
