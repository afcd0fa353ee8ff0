package httpadapter

import (
	"log/slog"
	"net/http"
)

// healthy responds with 200 while the process is alive (/healthz).
func (c *call) healthy() { c.write(http.StatusOK, valueJSON, []byte(`{"status":"ok"}`)) }

// ready reports readiness (/readyz). The reason why the server is not ready is only logged.
func (c *call) ready() {
	if check := c.h.Ready; check != nil {
		if err := check(c.r.Context()); err != nil {
			c.h.Logger.LogAttrs(c.r.Context(), slog.LevelWarn, "not ready", slog.Any("err", err))
			c.write(http.StatusServiceUnavailable, valueJSON, []byte(`{"status":"not ready"}`))
			return
		}
	}
	c.write(http.StatusOK, valueJSON, []byte(`{"status":"ready"}`))
}
