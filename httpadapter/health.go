package httpadapter

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
)

// A Check is a condition under which the server is ready.
type Check struct {
	// Name identifies the check in responses and logs: "store".
	Name string
	// Problem describes its failure in general words: "the resource store does not respond".
	// Anyone may read them at /readyz.
	Problem string
	// Test returns an error while the condition does not hold. It must not block: whatever takes
	// long runs in the background. The error is only logged.
	Test func(ctx context.Context) error
	// Progress, if not nil, describes how far work in the background is, "" if there is none. The server
	// is ready meanwhile. Anyone may read it at /readyz.
	Progress func() string
}

// healthy responds with 200 while the process is alive (/healthz).
func (c *call) healthy() { c.write(http.StatusOK, valueJSON, []byte(`{"status":"ok"}`)) }

// failedCheck is a failed check in the response of /readyz.
type failedCheck struct {
	Check   string `json:"check"`
	Problem string `json:"problem"`
}

// runningCheck is a check with work in the background in the response of /readyz.
type runningCheck struct {
	Check    string `json:"check"`
	Progress string `json:"progress"`
}

// ready reports readiness (/readyz) and the names of the checks that fail. The errors are only
// logged, at the level debug while the same checks fail as before. With writes=true a server on a standby is not ready.
func (c *call) ready() {
	var failed []failedCheck
	var running []runningCheck
	var errs []slog.Attr
	names := ""
	if c.r.URL.Query().Get("writes") == "true" && c.h.Resources.ReadsOnly() {
		failed = append(failed, failedCheck{"standby", "the resource store is a standby, which is only read"})
	}
	for _, check := range c.h.Ready {
		if check.Progress != nil {
			if text := check.Progress(); text != "" {
				running = append(running, runningCheck{check.Name, text})
			}
		}
		if err := check.Test(c.r.Context()); err != nil {
			failed = append(failed, failedCheck{check.Name, check.Problem})
			errs = append(errs, slog.Any(check.Name, err))
			names += check.Name + " "
		}
	}
	level := slog.LevelDebug
	if was, _ := c.h.notReady.Swap(names).(string); was != names {
		level = slog.LevelWarn
	}
	if errs != nil {
		c.h.Logger.LogAttrs(c.r.Context(), level, "not ready", errs...)
	}
	word, status := "ready", http.StatusOK
	if failed != nil {
		word, status = "not ready", http.StatusServiceUnavailable
	}
	body, err := json.Marshal(struct {
		Status  string         `json:"status"`
		Failed  []failedCheck  `json:"failed,omitempty"`
		Running []runningCheck `json:"running,omitempty"`
	}{word, failed, running})
	if err != nil {
		c.fail(err)
		return
	}
	c.write(status, valueJSON, body)
}
