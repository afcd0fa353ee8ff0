package platform

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// RetryPolicy says which requests are sent again. Fields that are zero have the defaults
// of the platform toolkit, section 2.4. Besides answers with one of the statuses, requests
// are sent again that had no whole answer. Refused credentials (401, 403) never are.
type RetryPolicy struct {
	Attempts      int           // 1 to 10, with the first; 0 is 3
	Base          time.Duration // before the second attempt; 0 is 0.5 s
	Factor        float64       // from one pause to the next; 0 is 2
	Max           time.Duration // of a pause; 0 is 30 s
	Jitter        float64       // part of a pause that chance adds or takes, at most 1; 0 is 0.1
	Statuses      []int         // nil is 429, 502, 503, 504
	NonIdempotent bool          // send POST and PATCH again, too
	// Wait waits between attempts; nil: a timer.
	Wait func(ctx context.Context, pause time.Duration) error
}

// maxRetryAfter is how long a server may ask to wait. Where it asks for more, its answer
// is the result.
const maxRetryAfter = 2 * time.Minute

// complete returns the policy with its defaults.
func (p RetryPolicy) complete() (RetryPolicy, error) {
	p.Attempts = cmp.Or(p.Attempts, 3)
	p.Base = cmp.Or(p.Base, 500*time.Millisecond)
	p.Factor = cmp.Or(p.Factor, 2)
	p.Max = cmp.Or(p.Max, 30*time.Second)
	p.Jitter = cmp.Or(p.Jitter, 0.1)
	if p.Statuses == nil {
		p.Statuses = []int{http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}
	}
	switch {
	case p.Attempts < 1 || p.Attempts > 10:
		return p, fmt.Errorf("%d attempts; 1 to 10 are possible", p.Attempts)
	case p.Base < 0 || p.Max < 0 || !(p.Factor >= 1 && p.Factor <= 100) || !(p.Jitter >= 0 && p.Jitter <= 1):
		return p, fmt.Errorf("base %v, maximum %v, factor %v (1 to 100) or jitter %v (0 to 1) of the retries is out of range", p.Base, p.Max, p.Factor, p.Jitter)
	}
	if p.Wait == nil {
		p.Wait = sleep
	}
	return p, nil
}

func sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pause reports whether there is another attempt after one, and how long to wait before it.
func (p *RetryPolicy) pause(method string, attempt int, response *Response, err error, now func() time.Time) (time.Duration, bool) {
	if p == nil || attempt >= p.Attempts || !p.NonIdempotent && !idempotent(method) {
		return 0, false
	}
	if err != nil {
		var network networkError
		return p.backoff(attempt), errors.As(err, &network)
	}
	if status := response.Status; status == http.StatusUnauthorized || status == http.StatusForbidden || !slices.Contains(p.Statuses, status) {
		return 0, false
	}
	if asked, found := retryAfter(response.Header, now); found {
		return asked, asked <= maxRetryAfter
	}
	return p.backoff(attempt), true
}

func idempotent(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete, http.MethodOptions:
		return true
	}
	return false
}

// backoff is the pause after an attempt: it grows from one to the next, and chance changes
// it a little, so that clients do not come back all at once.
func (p *RetryPolicy) backoff(attempt int) time.Duration {
	pause := min(float64(p.Base)*math.Pow(p.Factor, float64(attempt-1)), float64(p.Max))
	return time.Duration(min(pause*(1+p.Jitter*(2*rand.Float64()-1)), float64(p.Max)))
}

// retryAfter reads Retry-After: seconds, or a date, which is compared with the server's
// own clock where the answer tells it.
func retryAfter(header http.Header, now func() time.Time) (time.Duration, bool) {
	text := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second, true
	}
	until, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	from, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		from = now()
	}
	return max(until.Sub(from), 0), true
}
