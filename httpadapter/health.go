package httpadapter

import (
	"log/slog"
	"net/http"
)

// healthy reports whether the process answers (/healthz).
func (c *call) healthy() { c.json(http.StatusOK, valueJSON, []byte(`{"status":"ok"}`)) }

// ready reports whether the server can do its work (/readyz). Why not goes to the log.
func (c *call) ready() {
	if check := c.h.Ready; check != nil {
		if err := check(c.r.Context()); err != nil {
			c.h.Logger.LogAttrs(c.r.Context(), slog.LevelWarn, "not ready", slog.Any("err", err))
			c.json(http.StatusServiceUnavailable, valueJSON, []byte(`{"status":"not ready"}`))
			return
		}
	}
	c.json(http.StatusOK, valueJSON, []byte(`{"status":"ready"}`))
}
