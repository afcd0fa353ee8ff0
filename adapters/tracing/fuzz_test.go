package tracing

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

var errStop = errors.New("not sent")

// FuzzSettings reads any text as the settings of the exporter. What is accepted makes a request that
// package net/http can send, within a time, and no error repeats a secret.
func FuzzSettings(f *testing.F) {
	f.Add("http://localhost:4318", "10000", "Authorization=Bearer%20S3cret,x=y", "gzip", "http/protobuf")
	f.Add("https://user:S3cret@collector.example/otlp", "9223372036854775807", "a b=c", "none", "")
	f.Add("http://[::1]/", "-1", "x=%0d%0aHost:evil", "", "grpc")
	f.Add("http://%zz", "0x10", "=,==,é=é", "br", "http/json")
	f.Fuzz(func(t *testing.T, endpoint, timeout, headers, compression, protocol string) {
		values := map[string]string{
			"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint, "OTEL_EXPORTER_OTLP_TIMEOUT": timeout, "OTEL_EXPORTER_OTLP_HEADERS": headers,
			"OTEL_EXPORTER_OTLP_COMPRESSION": compression, "OTEL_EXPORTER_OTLP_PROTOCOL": protocol,
		}
		s, err := newSender(Options{Logger: slog.New(slog.DiscardHandler), Getenv: func(name string) string { return values[name] }})
		if err != nil {
			if strings.Contains(err.Error(), "S3cret") && !strings.Contains(timeout+compression+protocol, "S3cret") {
				t.Errorf("a secret is in the error: %v", err)
			}
			return
		}
		if s == nil {
			return
		}
		if s.timeout <= 0 || s.timeout > 1000*time.Hour {
			t.Errorf("a time limit of %v", s.timeout)
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url, http.NoBody)
		if err != nil {
			t.Fatalf("%q: %v", s.url, err)
		}
		if r.URL.User != nil {
			t.Errorf("%q has a password, which errors of package net/http repeat", s.url)
		}
		r.Header = s.header
		reached := false
		transport := &http.Transport{Proxy: func(*http.Request) (*url.URL, error) { reached = true; return nil, errStop }} // after the headers are checked
		if _, err := transport.RoundTrip(r); !reached {
			t.Errorf("%q cannot be sent: %v", s.header, err)
		}
	})
}
