package certfile_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/certfile"
	"github.com/roget-health/roget/httpadapter"
)

// write makes a self-signed certificate for localhost with a serial number, and writes it to files.
func write(t *testing.T, folder string, serial int64, expires time.Time) certfile.Files {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: expires, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	files := certfile.Files{Cert: filepath.Join(folder, "cert.pem"), Key: filepath.Join(folder, "key.pem")}
	for name, block := range map[string]*pem.Block{files.Cert: {Type: "CERTIFICATE", Bytes: cert}, files.Key: {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// serve serves on a loopback address until the test ends.
func serve(t *testing.T, files certfile.Files) (*certfile.Source, string) {
	t.Helper()
	source, err := certfile.Open(files, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- httpadapter.Serve(ctx, listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, r.Proto)
		}), httpadapter.ServeOptions{TLS: source.Config(), DrainTimeout: time.Millisecond})
	}()
	t.Cleanup(func() { cancel(); <-done })
	return source, listener.Addr().String()
}

// dial returns the serial number of the server's certificate.
func dial(t *testing.T, addr string, config *tls.Config) (*tls.Conn, int64, error) {
	t.Helper()
	config.InsecureSkipVerify = true
	conn, err := tls.Dial("tcp", addr, config)
	if err != nil {
		return nil, 0, err
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn, conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64(), nil
}

// ask sends a request of HTTP/1.1 on a connection and returns the response.
func ask(t *testing.T, conn net.Conn) string {
	t.Helper()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 4096)
	n, err := conn.Read(buf)
	if err != nil {
		t.Fatal(err)
	}
	return string(buf[:n])
}

func TestReload(t *testing.T) {
	folder := t.TempDir()
	later := time.Now().Add(90 * 24 * time.Hour)
	files := write(t, folder, 1, later)
	source, addr := serve(t, files)
	kept, serial, err := dial(t, addr, &tls.Config{})
	if err != nil || serial != 1 {
		t.Fatal(serial, err)
	}
	expect := func(what string, want int64) {
		t.Helper()
		if _, serial, err := dial(t, addr, &tls.Config{}); err != nil || serial != want {
			t.Errorf("%s: certificate %d, %v, want %d", what, serial, err, want)
		}
		if got := ask(t, kept); !strings.HasPrefix(got, "HTTP/1.1 200 OK") {
			t.Errorf("%s: the connection that existed: %s", what, got)
		}
	}
	write(t, folder, 2, later)
	if err := source.Reload(t.Context()); err != nil {
		t.Error(err)
	}
	expect("new pair", 2)
	if err := os.WriteFile(files.Key, []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	if source.Reload(t.Context()) == nil || source.Reload(t.Context()) != nil {
		t.Error("a bad key is not reported exactly once")
	}
	expect("bad key", 2)
	write(t, folder, 3, time.Now().Add(-time.Hour))
	if source.Reload(t.Context()) == nil {
		t.Error("an expired certificate is accepted")
	}
	expect("expired", 2)
	if err := os.Remove(files.Cert); err != nil {
		t.Fatal(err)
	}
	if source.Reload(t.Context()) == nil {
		t.Error("a missing file is not reported")
	}
	expect("missing", 2)
	write(t, folder, 4, later)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go source.Watch(ctx, time.Millisecond)
	for range 1000 {
		if _, serial, _ := dial(t, addr, &tls.Config{}); serial == 4 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	expect("watch", 4)
}

func TestProtocols(t *testing.T) {
	files := write(t, t.TempDir(), 1, time.Now().Add(90*24*time.Hour))
	_, addr := serve(t, files)
	for name, config := range map[string]*tls.Config{
		"TLS 1.1":        {MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11},
		"P-521":          {CurvePreferences: []tls.CurveID{tls.CurveP521}},
		"CBC":            {MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA}},
		"no common ALPN": {NextProtos: []string{"smtp"}},
	} {
		if _, _, err := dial(t, addr, config); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	conn, _, err := dial(t, addr, &tls.Config{NextProtos: []string{"h2", "http/1.1"}})
	if err != nil || conn.ConnectionState().NegotiatedProtocol != "h2" {
		t.Errorf("no HTTP/2: %v", err)
	}
	plain, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	if got := ask(t, plain); !strings.Contains(got, "OperationOutcome") || !strings.Contains(got, "https://") {
		t.Errorf("HTTP on the port for HTTPS: %q", got)
	}
}

func TestClientCertificates(t *testing.T) {
	files := write(t, t.TempDir(), 1, time.Now().Add(90*24*time.Hour))
	files.ClientCA = files.Cert // signs itself
	own, err := tls.LoadX509KeyPair(files.Cert, files.Key)
	if err != nil {
		t.Fatal(err)
	}
	foreign := write(t, t.TempDir(), 9, time.Now().Add(90*24*time.Hour))
	other, err := tls.LoadX509KeyPair(foreign.Cert, foreign.Key)
	if err != nil {
		t.Fatal(err)
	}
	for _, optional := range []bool{false, true} {
		files.ClientOptional = optional
		_, addr := serve(t, files)
		for _, tt := range []struct {
			name  string
			certs []tls.Certificate
			works bool
		}{{"none", nil, optional}, {"own", []tls.Certificate{own}, true}, {"foreign", []tls.Certificate{other}, false}} {
			conn, _, err := dial(t, addr, &tls.Config{
				GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
					if len(tt.certs) == 0 {
						return new(tls.Certificate), nil
					}
					return &tt.certs[0], nil
				},
			})
			if err == nil { // TLS 1.3 reports a refusal with the first read
				_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
				_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
				_, err = conn.Read(make([]byte, 1))
			}
			if (err == nil) != tt.works {
				t.Errorf("optional %v, certificate %s: %v", optional, tt.name, err)
			}
		}
	}
}

// The log says how a certificate stands with its date, and nothing of one that has long to go.
func TestDates(t *testing.T) {
	for _, row := range []struct {
		left       time.Duration
		level, say string
	}{
		{-time.Hour, "ERROR", "has expired"},
		{time.Hour, "WARN", "expires soon"},
		{1000 * time.Hour, "", ""},
	} {
		var log strings.Builder
		if _, err := certfile.Open(write(t, t.TempDir(), 1, time.Now().Add(row.left)), slog.New(slog.NewTextHandler(&log, nil))); err != nil {
			t.Fatal(err)
		}
		if text := log.String(); !strings.Contains(text, row.level) || !strings.Contains(text, row.say) || row.say == "" && text != "" {
			t.Errorf("with %v left: %q", row.left, text)
		}
	}
}
