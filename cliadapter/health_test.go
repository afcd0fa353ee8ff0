package cliadapter

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/engine/operation"
)

// TestHealth: what health prints and its exit code follow from the answer of a server.
func TestHealth(t *testing.T) {
	answers := map[string]struct {
		status int
		body   string
	}{
		"/readyz":    {200, `{"status":"ready"}`},
		"/a/readyz":  {503, `{"status":"not ready","failed":[{"check":"store","problem":"the resource store\ndoes not respond"}]}`},
		"/b/readyz":  {503, `<html>`},
		"/c/readyz":  {404, `{"status":"ready"}`},
		"/d/readyz":  {302, ""},
		"/f/readyz":  {200, `{"status":"ready","running":[{"check":"index","progress":"1 of 2 types"}]}`},
		"/e/healthz": {200, `{"status":"ok"}`},
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := answers[r.URL.Path]
		w.Header().Set("Location", "/readyz")
		w.WriteHeader(a.status)
		_, _ = w.Write([]byte(a.body))
	})
	plain, secure := httptest.NewServer(handler), httptest.NewTLSServer(handler)
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	_, port, _ := strings.Cut(strings.TrimPrefix(plain.URL, "http://"), ":")
	for _, row := range []struct {
		line string
		env  string
		code int
		want string
	}{
		{plain.URL, "", 0, "ready\n"},
		{"", "127.0.0.1:" + port, 0, "ready\n"},
		{"", ":" + port, 0, "ready\n"},
		{"", "0.0.0.0:" + port, 0, "ready\n"},
		{"", "nonsense", 3, ""},
		{plain.URL + "/a", "", 1, "not ready\nstore: the resource store does not respond\n"},
		{plain.URL + "/a/readyz", "", 1, "not ready\nstore: the resource store does not respond\n"},
		{plain.URL + "/f", "", 0, "ready\nindex: 1 of 2 types\n"},
		{plain.URL + "/b", "", 1, "503 Service Unavailable\n"},
		{plain.URL + "/c", "", 3, "status 404"},
		{plain.URL + "/d", "", 3, "status 302"},
		{plain.URL + "/e/healthz", "", 0, "ok\n"},
		{secure.URL, "", 3, "certificate"},
		{secure.URL + " --insecure", "", 0, "ready\n"},
		{"127.0.0.1:" + port, "", 2, "write http://HOST:PORT"},
	} {
		code, out, errs := run(t, nil, map[string]string{"ROGET_ADDR": row.env}, strings.Fields("health "+row.line)...)
		if code != row.code || row.code < 2 && out != row.want || !strings.Contains(out+errs, row.want) {
			t.Errorf("health %s (ROGET_ADDR %q): exit code %d, want %d: %s%s", row.line, row.env, code, row.code, out, errs)
		}
	}
	// Without an address, health asks the server that the environment configures.
	for _, row := range []struct {
		env  map[string]string
		code int
		want string
	}{
		{map[string]string{"ROGET_ADDR": secure.Listener.Addr().String()}, 3, "write https://"},
		{map[string]string{"ROGET_ADDR": secure.Listener.Addr().String(), "ROGET_TLS_CERT": "/c.pem"}, 0, "ready\n"},
		{map[string]string{"ROGET_ADDR": "127.0.0.1:1", "ROGET_TLS_CERT": "/c.pem", "ROGET_OPS_ADDR": ":" + port}, 0, "ready\n"},
	} {
		if code, out, errs := run(t, nil, row.env, "health"); code != row.code || !strings.Contains(out+errs, row.want) {
			t.Errorf("health with %v: exit code %d, want %d: %s%s", row.env, code, row.code, out, errs)
		}
	}
}

// TestHealthShowsCertificate: a server that asks clients for certificates gets the one that is named,
// else its own if it accepts the issuer.
func TestHealthShowsCertificate(t *testing.T) {
	folder := t.TempDir()
	ours, ownCert, ownKey := selfSigned(t, folder, "ours")
	_, otherCert, otherKey := selfSigned(t, folder, "other")
	start := func(auth tls.ClientAuthType) string {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"status":"ready"}`))
		}))
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.TLS = &tls.Config{Certificates: []tls.Certificate{ours}, ClientAuth: auth, ClientCAs: x509.NewCertPool()}
		server.TLS.ClientCAs.AddCert(ours.Leaf)
		server.StartTLS()
		t.Cleanup(server.Close)
		return server.Listener.Addr().String()
	}
	required, optional := start(tls.RequireAndVerifyClientCert), start(tls.VerifyClientCertIfGiven)
	const hint = "--cert and --key, or ask the address of its --ops-addr"
	own := func(addr, cert, key string) map[string]string {
		return map[string]string{"ROGET_ADDR": addr, "ROGET_TLS_CERT": cert, "ROGET_TLS_KEY": key, "ROGET_TLS_CLIENT_CA": ownCert}
	}
	with := func(env map[string]string, name, value string) map[string]string {
		env[name] = value
		return env
	}
	named := with(own(required, otherCert, otherKey), "ROGET_HEALTH_CERT", ownCert)
	for name, row := range map[string]struct {
		line string
		env  map[string]string
		code int
		want string
	}{
		"no certificate":             {"https://" + required + " --insecure", nil, 3, hint},
		"a named one":                {"https://" + required + " --insecure --cert " + ownCert + " --key " + ownKey, nil, 0, "ready\n"},
		"of another issuer":          {"https://" + required + " --insecure --cert " + otherCert + " --key " + otherKey, nil, 3, hint},
		"optional, none":             {"https://" + optional + " --insecure", nil, 0, "ready\n"},
		"only a certificate":         {"https://" + required + " --cert " + ownCert, nil, 2, "need each other"},
		"no file":                    {"https://" + required + " --cert " + folder + "/none --key " + ownKey, nil, 3, "none"},
		"no certificate in the file": {"https://" + required + " --cert " + ownKey + " --key " + ownKey, nil, 3, "no certificate with its key"},
		"another key":                {"https://" + required + " --cert " + ownCert + " --key " + otherKey, nil, 3, "no certificate with its key"},
		"own":                        {"", own(required, ownCert, ownKey), 0, "ready\n"},
		"own, of another issuer":     {"", own(required, otherCert, otherKey), 3, hint},
		"own, none to show":          {"", own(required, ownCert, folder+"/none"), 3, "none"},
		"own, optional":              {"", with(own(optional, otherCert, folder+"/none"), "ROGET_TLS_CLIENT_AUTH", "optional"), 0, "ready\n"},
		"own, named by variables":    {"", with(named, "ROGET_HEALTH_KEY", ownKey), 0, "ready\n"},
	} {
		if code, out, errs := run(t, nil, row.env, strings.Fields("health "+row.line)...); code != row.code || !strings.Contains(out+errs, row.want) {
			t.Errorf("%s: exit code %d, want %d and %q: %s%s", name, code, row.code, row.want, out, errs)
		}
	}
}

// selfSigned makes a certificate that is its own issuer, and writes it and its key to files.
func selfSigned(t *testing.T, folder, name string) (pair tls.Certificate, cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(folder, name+".pem"), filepath.Join(folder, name+".key")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: encoded}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if pair, err = tls.LoadX509KeyPair(cert, key); err != nil {
		t.Fatal(err)
	}
	return pair, cert, key
}

func TestVerifyCommand(t *testing.T) {
	for _, row := range []struct {
		line, out, errs string
		err             error
		code            int
	}{
		{line: "verify", out: "2 packs, 3.0 MiB; 7 versions of resources, 1.0 KiB: no corruption found\n"},
		{line: "verify --output json", out: `{"packs":2,"bytes":3145728,"versions":7,"storeBytes":1024}` + "\n"},
		{line: "verify", err: errors.New("p.pack: damaged"), code: operation.ExitFailure, errs: "roget: verify: p.pack: damaged\n"},
	} {
		code, out, errs := run(t, &absent{err: row.err}, nil, strings.Fields(row.line)...)
		if code != row.code || out != row.out || errs != row.errs {
			t.Errorf("%s: exit code %d, output %q, errors %q", row.line, code, out, errs)
		}
	}
}
