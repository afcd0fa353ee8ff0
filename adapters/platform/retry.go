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

// A RetryPolicy says which requests are retried. Zero fields have the defaults of the platform toolkit,
// section 2.4. A request is retried if its response has one of the statuses, or if there was no
// complete response. Refused credentials (401, 403) are never retried.
type RetryPolicy struct {
	Attempts      int           // 1 to 10, including the first; 0 is 3
	Base          time.Duration // pause before the second attempt; 0 is 0.5 s
	Factor        float64       // from one pause to the next; 0 is 2
	Max           time.Duration // longest pause; 0 is 30 s
	Jitter        float64       // random part of a pause, at most 1; 0 is 0.1
	Statuses      []int         // nil means 429, 502, 503, 504
	NonIdempotent bool          // also retry POST and PATCH
	ReadsOnly     bool          // retry only GET and HEAD
	// Notice, if not nil, is called before each wait, with the reason: 503 Service Unavailable. Calls
	// for one client do not overlap.
	Notice func(pause time.Duration, why string)
	// Wait waits between attempts. A nil Wait uses a timer.
	Wait func(ctx context.Context, pause time.Duration) error
}

// maxRetryAfter is the longest pause that a server may ask for. If it asks for more, the response is
// the result.
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
		return p, fmt.Errorf("%d attempts are not possible; use 1 to 10", p.Attempts)
	case p.NonIdempotent && p.ReadsOnly:
		return p, errors.New("a policy of retries cannot have both NonIdempotent and ReadsOnly")
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

// pause reports whether to retry after an attempt, and how long to wait before.
func (p *RetryPolicy) pause(method string, attempt int, response *Response, err error, now func() time.Time) (time.Duration, bool) {
	if p == nil || attempt >= p.Attempts || !p.NonIdempotent && !idempotent(method) || p.ReadsOnly && !reads(method) {
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

func reads(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// backoff returns the pause after an attempt. It grows with every attempt. The random part keeps
// clients from retrying all at once.
func (p *RetryPolicy) backoff(attempt int) time.Duration {
	pause := min(float64(p.Base)*math.Pow(p.Factor, float64(attempt-1)), float64(p.Max))
	return time.Duration(min(pause*(1+p.Jitter*(2*rand.Float64()-1)), float64(p.Max))) //nolint:gosec // a pause is no secret
}

// retryAfter reads Retry-After: seconds, or a date, which is compared with the Date header if there is
// one.
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
