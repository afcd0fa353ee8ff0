package tracing

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// Attempts to send a batch, and the pauses between them.
const (
	maxAttempts = 4
	firstPause  = 250 * time.Millisecond
	maxPause    = 5 * time.Second // that a collector may ask for
)

// ExportSpans sends spans. The SDK calls it on a goroutine of its queue.
func (s *sender) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if len(spans) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	body, err := s.body(spans)
	if err == nil {
		err = s.send(ctx, body)
	}
	if err != nil {
		s.failed.Add(uint64(len(spans)))
		if !s.broken.Swap(true) {
			s.log.Warn("traces cannot be sent; this is logged again when they can", "collector", s.url, "err", err)
		}
		return nil // the SDK would write it to standard error
	}
	s.sent.Add(uint64(len(spans)))
	if s.broken.Swap(false) {
		s.log.Info("traces can be sent again", "collector", s.url)
	}
	return nil
}

// Shutdown implements the exporter of the SDK.
func (s *sender) Shutdown(context.Context) error {
	s.client.CloseIdleConnections()
	return nil
}

// body returns the body of the request.
func (s *sender) body(spans []sdktrace.ReadOnlySpan) ([]byte, error) {
	message := encode(s.about, spans)
	if !s.gzip {
		return message, nil
	}
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(message); err != nil {
		return nil, err
	}
	err := w.Close()
	return out.Bytes(), err
}

// send posts a body, and again if the collector may take it later.
func (s *sender) send(ctx context.Context, body []byte) error {
	pause := firstPause
	for attempt := 1; ; attempt++ {
		asked, again, err := s.post(ctx, body)
		if err == nil || !again || attempt == maxAttempts {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(max(pause, min(asked, maxPause))):
			pause *= 2
		}
	}
}

// post sends a request. It reports whether the same request may succeed later, and the pause that
// the collector asks for.
func (s *sender) post(ctx context.Context, body []byte) (pause time.Duration, again bool, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return 0, false, err
	}
	r.Header = s.header.Clone()
	r.Header.Set("Content-Type", "application/x-protobuf")
	if s.gzip {
		r.Header.Set("Content-Encoding", "gzip")
	}
	response, err := s.client.Do(r)
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err
		}
		return 0, ctx.Err() == nil, err
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 64<<10)) // so that the connection is used again
	switch status := response.StatusCode; status {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return 0, false, nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(response.Header.Get("Retry-After")) // 0 for a date
		return time.Duration(max(seconds, 0)) * time.Second, true, fmt.Errorf("the collector responds with %d", status)
	default:
		return 0, false, fmt.Errorf("the collector responds with %d", status)
	}
}
