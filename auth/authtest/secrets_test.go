package authtest_test

import (
	"bytes"
	"encoding/base64"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/bcrypt"

	"github.com/roget-health/roget/cliadapter"
)

// TestSecretsStayInside runs a server with secrets of every kind and provokes errors with them: right and
// wrong ones, in the right and in wrong places. None is in an answer, the log at debug, the audit
// log, the profiles, the metrics or the settings that --print-config shows.
func TestSecretsStayInside(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const password, client = "PLANTED-password", "PLANTED-client"
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	var printed, errs bytes.Buffer
	run := func(args ...string) string {
		printed.Reset()
		program().Run(t.Context(), args, cliadapter.Streams{In: strings.NewReader(""), Out: &printed, Err: &errs})
		return strings.TrimSpace(printed.String())
	}
	tokens := filepath.Join(folder, "tokens.toml")
	static := run("token", "add", "loader", "--tokens", tokens, "--scopes", "system/*.cruds")
	if len(static) < 40 {
		t.Fatalf("%q %s", static, errs.String())
	}
	audit := filepath.Join(folder, "audit")
	addr, ops := freeAddr(t), freeAddr(t)
	settings := []string{
		"--auth-tokens", tokens, "--auth-basic", write("users", "ada:"+string(hash)+"\n"), "--auth-policy", write("policy.toml", "[[rule]]\nname='a'\nallow='system/*.cruds'\n"),
		"--auth-introspection", "http://127.0.0.1:9/ask", "--auth-introspection-client", "me", "--auth-introspection-secret-file", write("secret", client),
		"--audit", audit, "--ops-addr", ops, "--failed-logins", "0",
	}
	log := serve(t, append([]string{"--addr", addr}, settings...)...)
	var shown bytes.Buffer
	send := func(method, address, body string, headers ...string) {
		r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i+1 < len(headers); i += 2 {
			r.Header.Add(headers[i], headers[i+1])
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		_ = answer.Header.Write(&shown)
		_, _ = io.Copy(&shown, answer.Body)
	}
	fhir := "http://" + addr + "/r4/Patient"
	basic := func(pair string) string { return base64.StdEncoding.EncodeToString([]byte(pair)) }
	const bearer = "PLANTED-bearer"
	jwt := "eyJhbGciOiJSUzI1NiJ9." + base64.RawURLEncoding.EncodeToString([]byte(`{"iss":"PLANTED"}`)) + ".PLANTED-signature"
	for _, token := range []string{static, static + "x", bearer, jwt} {
		for _, header := range []string{"Bearer " + token, token, "Basic " + token, "Negotiate " + token, "Bearer  " + token + " x"} {
			send(http.MethodGet, fhir, "", "Authorization", header)
			send(http.MethodPost, fhir, `{"resourceType":"Patient","broken":`, "Authorization", header, "Content-Type", "application/fhir+json")
		}
		send(http.MethodGet, fhir+"?access_token="+token, "")
		send(http.MethodGet, fhir, "", "Authorization", "Bearer "+token, "Authorization", "Bearer "+token)
		send(http.MethodGet, fhir, "", "Cookie", "session="+token, "X-Api-Key", token, "Proxy-Authorization", "Bearer "+token)
	}
	for _, pair := range []string{"ada:" + password, "ada:" + password + "x", password} {
		send(http.MethodGet, fhir, "", "Authorization", "Basic "+basic(pair))
	}
	for _, path := range []string{"/metrics", "/debug/pprof/goroutine?debug=2", "/debug/pprof/heap?debug=1", "/readyz"} {
		send(http.MethodGet, "http://"+ops+path, "")
	}
	shown.WriteString(run(append([]string{"serve", "--print-config"}, settings...)...))
	err = filepath.WalkDir(audit, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		shown.Write(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	all := shown.String() + log.String() + errs.String()
	for _, want := range []string{"goroutine ", "401", "auth-introspection-secret-file", "http_requests_total", `"Patient"`} { // what was looked at is there
		if !strings.Contains(all, want) {
			t.Errorf("nothing has %q", want)
		}
	}
	for _, secret := range []string{static, static[len("roget_"):], "PLANTED", basic("ada:" + password)[:20], string(hash), strings.Split(jwt, ".")[1]} {
		if at := strings.Index(all, secret); at >= 0 {
			t.Errorf("%q is shown: %.200q", secret, all[max(0, at-100):])
		}
	}
}
