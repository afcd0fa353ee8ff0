package httpadapter

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/engine/operation"
)

// withinRate counts a request. If its client has sent too many, it responds and returns false.
func (h *Handler) withinRate(w http.ResponseWriter, r *http.Request) bool {
	if h.requests == nil || isHealth(r) {
		return true
	}
	wait, ok := h.requests.take(rateKeyOf(r), 1, 1)
	if !ok {
		h.throttled(w, r, wait, "this client sends more requests than the server accepts; wait as long as Retry-After says")
	}
	return ok
}

// entriesWithinRate counts the entries of a batch or transaction, the first of which is the request
// that brought them.
func (c *call) entriesWithinRate(entries int) error {
	if c.h.requests == nil || entries < 2 {
		return nil
	}
	wait, ok := c.h.requests.take(rateKeyOf(c.r), entries-1, 0)
	if ok {
		return nil
	}
	c.w.Header()["Retry-After"] = []string{seconds(wait)}
	return throttled("the entries of earlier bundles of this client are not paid off; wait as long as Retry-After says")
}

// mayLogIn reports whether credentials from the address of a request may be looked at. If not, it
// responds.
func (h *Handler) mayLogIn(w http.ResponseWriter, r *http.Request) bool {
	if h.logins == nil || r.Header["Authorization"] == nil {
		return true
	}
	wait, ok := h.logins.look(rateKey{addr: clientNetwork(r)}, 1)
	if !ok {
		h.throttled(w, r, wait, "too many credentials from this address were not valid; wait as long as Retry-After says")
	}
	return ok
}

// countLogin counts a request whose credentials have never been valid.
func (h *Handler) countLogin(r *http.Request, err error) {
	if why, is := errors.AsType[*challenge](err); is && why.code == "invalid_token" && h.logins != nil && !errors.Is(why.err, access.ErrExpired) {
		h.logins.take(rateKey{addr: clientNetwork(r)}, 1, -h.logins.burst)
	}
}

// isHealth reports whether a request is one of those that watch the server.
func isHealth(r *http.Request) bool { return r.URL.Path == "/healthz" || r.URL.Path == "/readyz" }

// throttled responds with 429.
func (h *Handler) throttled(w http.ResponseWriter, r *http.Request, wait time.Duration, text string) {
	w.Header()["Retry-After"] = []string{seconds(wait)}
	h.handle(root(), label{action: "throttle"}, func(c *call) { c.fail(throttled(text)) })(w, r, nil)
}

func throttled(text string) error {
	return withStatus(http.StatusTooManyRequests, operation.Problem{Exit: operation.ExitFailure, Code: "throttled", Text: text})
}

// seconds returns a duration in whole seconds, at least one.
func seconds(d time.Duration) string {
	return strconv.FormatInt(max(1, int64(math.Ceil(d.Seconds()))), 10)
}
