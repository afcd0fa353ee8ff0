package httpadapter

import (
	"io"
	"net/http"
	"slices"
	"time"
)

// deliver sends a part of the answer. The connection has a deadline for each streamPart of a large one.
func (c *call) deliver(p []byte) error {
	if _, part := c.w.(*entryResponse); part || len(p) < streamPart {
		_, err := io.Writer(c.w).Write(p)
		return err
	}
	if c.delivered.IsZero() {
		c.delivered = time.Now()
	}
	pace, control := c.h.pace, http.NewResponseController(c.w)
	until := func(within time.Duration) {
		_ = control.SetWriteDeadline(time.Now().Add(within)) // some writers have none
	}
	for chunk := range slices.Chunk(p, streamPart) {
		until(min(pace.within(len(chunk)), pace.whole-time.Since(c.delivered)))
		if _, err := c.w.Write(chunk); err != nil {
			return err
		}
	}
	until(c.h.Limits.Timeout + pace.grace) // for what the handler does next, and the end of the answer
	return nil
}
