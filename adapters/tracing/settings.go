package tracing

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

// newSender reads the settings of the exporter, as the specification of OpenTelemetry has them
// (OpenTelemetry Protocol Exporter). It returns nil if there is nobody to send to.
func newSender(o Options) (*sender, error) {
	// of returns the variable for traces, or else the one for everything.
	of := func(name string) string {
		return strings.TrimSpace(cmp.Or(o.Getenv("OTEL_EXPORTER_OTLP_TRACES_"+name), o.Getenv("OTEL_EXPORTER_OTLP_"+name)))
	}
	if strings.EqualFold(o.Getenv("OTEL_SDK_DISABLED"), "true") {
		return nil, nil
	}
	switch exporter := strings.TrimSpace(o.Getenv("OTEL_TRACES_EXPORTER")); exporter {
	case "none":
		return nil, nil
	case "", "otlp":
	default:
		return nil, fmt.Errorf("traces: OTEL_TRACES_EXPORTER must be otlp or none, not %q", exporter)
	}
	address := o.Endpoint
	exact := ""
	if address == "" {
		exact, address = strings.TrimSpace(o.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")), strings.TrimSpace(o.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT"))
	}
	if exact == "" && address == "" {
		return nil, nil
	}
	if protocol := of("PROTOCOL"); protocol != "" && protocol != "http/protobuf" {
		return nil, fmt.Errorf("traces: OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf, not %q", protocol)
	}
	if exact == "" {
		exact = strings.TrimRight(address, "/") + "/v1/traces"
	}
	u, err := url.Parse(exact)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("traces: the endpoint of the collector must be a URL such as http://localhost:4318") // it may hold a password, so it is not repeated
	}
	s := &sender{url: u.Redacted(), header: http.Header{}, timeout: 10 * time.Second, log: o.Logger}
	if u.User != nil {
		password, _ := u.User.Password()
		r := http.Request{Header: s.header}
		r.SetBasicAuth(u.User.Username(), password)
		u.User = nil
		s.url = u.String()
	}
	if text := of("TIMEOUT"); text != "" {
		ms, err := strconv.ParseInt(text, 10, 32)
		if err != nil || ms <= 0 {
			return nil, fmt.Errorf("traces: OTEL_EXPORTER_OTLP_TIMEOUT must be a number of milliseconds above 0 and below 2^31, not %q", text)
		}
		s.timeout = time.Duration(ms) * time.Millisecond
	}
	switch compression := of("COMPRESSION"); compression {
	case "", "none":
	case "gzip":
		s.gzip = true
	default:
		return nil, fmt.Errorf("traces: OTEL_EXPORTER_OTLP_COMPRESSION must be gzip or none, not %q", compression)
	}
	if err := s.setHeaders(of("HEADERS")); err != nil {
		return nil, err
	}
	return s, s.connect(of("CERTIFICATE"), of("CLIENT_CERTIFICATE"), of("CLIENT_KEY"))
}

// setHeaders reads headers of the form name=value,name=value, whose values are percent-encoded.
func (s *sender) setHeaders(text string) error {
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, found := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !found || err != nil || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return errors.New("traces: OTEL_EXPORTER_OTLP_HEADERS must have the form name=value,name=value, with names and values that HTTP permits") // they hold secrets
		}
		s.header.Set(name, value)
	}
	return nil
}

// connect makes the client, with the certificates in files if there are any.
func (s *sender) connect(authority, certificate, key string) error {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns, transport.MaxConnsPerHost = 1, 2
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if authority != "" {
		if info, err := os.Stat(authority); err == nil && !info.Mode().IsRegular() { // a pipe may have no writer
			return fmt.Errorf("traces: OTEL_EXPORTER_OTLP_CERTIFICATE: %s is not a regular file", authority)
		}
		data, err := os.ReadFile(authority)
		if err != nil {
			return fmt.Errorf("traces: OTEL_EXPORTER_OTLP_CERTIFICATE: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(data) {
			return fmt.Errorf("traces: OTEL_EXPORTER_OTLP_CERTIFICATE: %s has no certificate in PEM", authority)
		}
	}
	if certificate != "" || key != "" {
		pair, err := tls.LoadX509KeyPair(certificate, key)
		if err != nil {
			return fmt.Errorf("traces: OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	transport.TLSClientConfig = config
	s.client = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return nil
}
