// Package certfile keeps the certificate of a TLS server in step with its files.
package certfile

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Files are the files of a server, in PEM.
type Files struct {
	Cert string // the certificate, followed by those that lead to its issuer
	Key  string // the private key
	// ClientCA has the issuers of the certificates that clients show. "" asks clients for none.
	ClientCA string
	// ClientOptional lets clients in that show no certificate.
	ClientOptional bool
}

// A Source has the current certificate. It is safe for concurrent use.
type Source struct {
	files   Files
	log     *slog.Logger
	current atomic.Pointer[tls.Config]

	mu   sync.Mutex
	read [3][]byte // the content of the files at the last attempt
}

// maxFile bounds a file in bytes.
const maxFile = 1 << 20

// Open reads the files. It returns an error if they do not make a usable certificate.
func Open(files Files, log *slog.Logger) (*Source, error) {
	s := &Source{files: files, log: log}
	content, err := s.readAll()
	if err != nil {
		return nil, err
	}
	config, err := s.configure(content)
	if err != nil {
		return nil, err
	}
	s.read = content
	s.current.Store(config)
	return s, nil
}

// Config returns a configuration that has the current certificate at each handshake. Connections that
// exist are not affected by a new one.
func (s *Source) Config() *tls.Config {
	config := s.current.Load().Clone()
	config.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) { return s.current.Load(), nil }
	return config
}

// Reload reads the files again if they have changed. After an error the former certificate stays, and
// the error is returned once for each change.
func (s *Source) Reload(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	content, err := s.readAll()
	if err != nil {
		return fmt.Errorf("%w; the former certificate stays in use", err)
	}
	if same(content, s.read) {
		return nil
	}
	s.read = content
	config, err := s.configure(content)
	if err == nil {
		err = s.outlived(config)
	}
	if err != nil {
		return fmt.Errorf("%w; the former certificate stays in use", err)
	}
	s.current.Store(config)
	s.log.Info("the certificate has changed", "expires", config.Certificates[0].Leaf.NotAfter)
	return nil
}

// Watch reloads the files whenever they change, until ctx ends.
func (s *Source) Watch(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	last := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		text := ""
		if err := s.Reload(ctx); err != nil {
			if text = err.Error(); text != last {
				s.log.Error("the certificate could not be reloaded", "err", err)
			}
		}
		last = text
	}
}

func same(a, b [3][]byte) bool {
	return bytes.Equal(a[0], b[0]) && bytes.Equal(a[1], b[1]) && bytes.Equal(a[2], b[2])
}

func (s *Source) readAll() (content [3][]byte, err error) {
	for i, name := range [...]string{s.files.Cert, s.files.Key, s.files.ClientCA} {
		if name == "" {
			continue
		}
		if content[i], err = readFile(name); err != nil {
			return content, err
		}
	}
	return content, nil
}

func readFile(name string) ([]byte, error) {
	if info, err := os.Stat(name); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(content) > maxFile {
		err = fmt.Errorf("%s has more than %d bytes", name, maxFile)
	}
	return content, err
}

// configure makes the configuration of a server from the content of the files.
func (s *Source) configure(content [3][]byte) (*tls.Config, error) {
	pair, err := tls.X509KeyPair(content[0], content[1])
	if err != nil {
		return nil, fmt.Errorf("%s and %s are not a certificate with its key: %w", s.files.Cert, s.files.Key, err)
	}
	switch left := time.Until(pair.Leaf.NotAfter); {
	case left <= 0:
		s.log.Error("the certificate has expired, so clients refuse it; replace the file, which is read again", "file", s.files.Cert, "expired", pair.Leaf.NotAfter)
	case left < 14*24*time.Hour:
		s.log.Warn("the certificate expires soon; replace the file, which is read again", "file", s.files.Cert, "expires", pair.Leaf.NotAfter)
	}
	config := &tls.Config{
		Certificates: []tls.Certificate{pair},
		MinVersion:   tls.VersionTLS12,
		// Of TLS 1.2, only suites with forward secrecy and authenticated encryption.
		CipherSuites: []uint16{
			tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
			tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
			tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
		},
		// Not P-521, which Mozilla's guidelines exclude: it costs the server most and nobody needs it.
		CurvePreferences: []tls.CurveID{tls.X25519MLKEM768, tls.X25519, tls.CurveP256, tls.CurveP384},
		NextProtos:       []string{"h2", "http/1.1"},
	}
	if s.files.ClientCA == "" {
		return config, nil
	}
	config.ClientCAs = x509.NewCertPool()
	if !config.ClientCAs.AppendCertsFromPEM(content[2]) {
		return nil, fmt.Errorf("%s has no certificate in PEM", s.files.ClientCA)
	}
	config.ClientAuth = tls.RequireAndVerifyClientCert
	if s.files.ClientOptional {
		config.ClientAuth = tls.VerifyClientCertIfGiven
	}
	return config, nil
}

// outlived returns an error for a certificate that has expired although the current one has not.
func (s *Source) outlived(config *tls.Config) error {
	now := time.Now()
	if now.After(config.Certificates[0].Leaf.NotAfter) && now.Before(s.current.Load().Certificates[0].Leaf.NotAfter) {
		return errors.New(s.files.Cert + " has expired")
	}
	return nil
}
