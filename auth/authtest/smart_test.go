package authtest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/roget-health/roget/auth/authtest"
	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/cliadapter/backend"
	"github.com/roget-health/roget/cliadapter/backend/backendtest"
	"github.com/roget-health/roget/engine/operation"
)

// clients is the folder with the clients that others wrote.
var clients = filepath.Join("..", "..", "cliadapter", "backend", "e2e", "testdata", "clients")

// launchPage starts the launch, with scopes from its address.
const launchPage = `<!doctype html><title>launch</title><script src="fhir-client.js"></script><script>
const asked = new URLSearchParams(location.search);
FHIR.oauth2.authorize({clientId: asked.get('client'), scope: asked.get('scopes'), iss: asked.get('server'), redirectUri: 'app.html', noRedirect: false})
  .catch((error) => { window.result = {error: String(error)}; });
</script>`

// appPage is where the launch ends. It does what a small app does, and what it may not.
const appPage = `<!doctype html><title>app</title><script src="fhir-client.js"></script><script>
const status = (promise) => promise.then(() => 200, (error) => error.statusCode || error.status || String(error));
FHIR.oauth2.ready().then(async (client) => {
  const out = {patient: client.patient.id, granted: client.state.tokenResponse.scope};
  out.family = (await client.patient.read()).name[0].family;
  const ids = async () => (await client.request('Observation')).entry.map((e) => e.resource.id).sort();
  out.observations = await ids();
  out.other = await status(client.request('Patient/p2'));
  out.othersObservation = await status(client.request('Observation/o2'));
  out.create = await status(client.create({resourceType: 'Observation', status: 'final', code: {text: 'x'}, subject: {reference: 'Patient/p1'}}));
  out.lacking = await fetch(client.state.serverUrl + '/Observation/o1', {method: 'DELETE', headers: {authorization: 'Bearer ' + client.state.tokenResponse.access_token}})
    .then((answer) => answer.status + ' ' + (answer.headers.get('www-authenticate') || ''));
  const before = client.state.tokenResponse.access_token;
  await client.refresh();
  out.refreshed = client.state.tokenResponse.access_token !== before;
  out.after = await ids();
  client.state.tokenResponse.access_token = before.slice(0, -8) + 'AAAAAAAA';
  out.forged = await fetch(client.state.serverUrl + '/Patient/p1', {headers: {authorization: 'Bearer ' + client.state.tokenResponse.access_token}})
    .then((answer) => answer.status + ' ' + (answer.headers.get('www-authenticate') || ''));
  window.result = out;
}).catch((error) => { window.result = {error: String(error.message || error)}; });
</script>`

// chromium returns the path of Chromium. It skips the test if there is none, except in CI.
func chromium(t *testing.T) string {
	t.Helper()
	return backendtest.Browser(t, clients, "puppeteer-core", "fhirclient")
}

// safeBuffer is a buffer that a server writes while a test reads.
type safeBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// program returns the program as main makes it.
func program() *cliadapter.CLI {
	return cliadapter.New(cliadapter.Config{Operations: operation.Terminal(), Backend: backend.Backend{}, Getenv: func(string) string { return "" }})
}

// serve runs roget serve until the test ends, and returns its log.
func serve(t *testing.T, args ...string) *safeBuffer {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	out, log := new(safeBuffer), new(safeBuffer)
	ended := make(chan int, 1)
	go func() {
		ended <- program().Run(ctx, append([]string{"serve", "--no-samples", "--data", t.TempDir(), "--store", "memory:", "--access-log", "--log-level", "debug"}, args...),
			cliadapter.Streams{In: strings.NewReader(""), Out: out, Err: log})
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	for end := time.Now().Add(60 * time.Second); !strings.Contains(out.String(), "listening on"); {
		select {
		case code := <-ended:
			ended <- code
			t.Fatalf("the server ended with %d: %s", code, log)
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(end) {
			t.Fatalf("the server does not listen: %s", log)
		}
	}
	return log
}

// freeAddr returns an address that nobody listens on.
func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// TestSMARTLaunch launches an app of fhirclient in Chromium against an authorization server and this
// server: the app gets the patient that the user selected and nobody else, refreshes its token, and is
// refused what it may not do. A second app asks for scopes that its registration does not have.
func TestSMARTLaunch(t *testing.T) {
	browser := chromium(t)
	library, err := os.ReadFile(filepath.Join(clients, "node_modules", "fhirclient", "build", "fhir-client.js"))
	if err != nil {
		t.Fatal(err)
	}
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content := map[string]string{"/launch.html": launchPage, "/app.html": appPage, "/fhir-client.js": string(library)}[r.URL.Path]
		if strings.HasSuffix(r.URL.Path, ".js") {
			w.Header().Set("Content-Type", "text/javascript")
		}
		_, _ = io.WriteString(w, content)
	}))
	defer app.Close()
	addr := freeAddr(t)
	fhir := "http://" + addr + "/baseR4"
	issuer := authtest.StartSMART(t, fhir, app.URL+"/app.html",
		[]string{"launch/patient", "openid", "fhirUser", "offline_access", "patient/*.rs"}, []string{"p1", "p2"})
	tokens := filepath.Join(t.TempDir(), "tokens.toml")
	var token, errs bytes.Buffer
	if code := program().Run(t.Context(), []string{"token", "add", "loader", "--tokens", tokens, "--scopes", "system/*.cruds"}, cliadapter.Streams{Out: &token, Err: &errs}); code != 0 {
		t.Fatalf("%d %s", code, errs.String())
	}
	log := serve(t, "--addr", addr, "--auth-issuer", issuer.URL, "--auth-audience", fhir, "--auth-tokens", tokens, "--cors-origin", app.URL)
	for _, n := range []string{"1", "2"} {
		put(t, fhir+"/Patient/p"+n, token.String(), `{"resourceType":"Patient","id":"p`+n+`","name":[{"family":"Family`+n+`"}]}`)
		put(t, fhir+"/Observation/o"+n, token.String(), `{"resourceType":"Observation","id":"o`+n+`","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/p`+n+`"}}`)
	}

	got := launch(t, browser, app.URL, fhir, "launch/patient openid fhirUser offline_access patient/*.rs")
	want := result{
		Patient: "p1", Granted: "launch/patient openid fhirUser offline_access patient/*.rs", Family: "Family1", Observations: []string{"o1"},
		Other: 404, OthersObservation: 404, Create: 403, Refreshed: true, After: []string{"o1"},
		Lacking: `403 Bearer realm="Roget", error="insufficient_scope", error_description="not permitted: no scope of this request covers delete of Observation"`,
		Forged:  "401 Bearer realm=\"Roget\", error=\"invalid_token\"",
	}
	got.Forged, _, _ = strings.Cut(got.Forged, ", error_description")
	if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("the app has\n%+v, want\n%+v\n%s", got, want, log)
	}
	if refused := launch(t, browser, app.URL, fhir, "launch/patient patient/*.cruds"); !strings.Contains(refused.Error, "invalid_scope") && !strings.Contains(refused.Error, "scope") {
		t.Errorf("an app with scopes that it may not ask for: %+v", refused)
	}
	issuer.Rotate(t)
	if got := launch(t, browser, app.URL, fhir, "launch/patient offline_access patient/*.rs"); got.Error != "" || !slices.Equal(got.Observations, []string{"o1"}) {
		t.Errorf("after the issuer has a new key: %+v", got)
	}
	for _, secret := range []string{strings.TrimSpace(token.String()), "eyJ"} {
		if strings.Contains(log.String(), secret) {
			t.Error("the log has a token")
		}
	}
}

// result is what an app has found.
type result struct {
	Patient, Granted, Family         string
	Observations                     []string
	Other, OthersObservation, Create int
	Refreshed                        bool
	After                            []string
	Lacking, Forged, Error           string
}

// launch launches the app in the browser, in which the user selects the first patient.
func launch(t *testing.T, browser, app, fhir, scopes string) (r result) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "smart_launch.mjs", browser, app+"/launch.html", authtest.SMARTClient, fhir, scopes)
	cmd.Dir = clients
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, problems.String())
	}
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return r
}

func put(t *testing.T, address, token, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(token))
	r.Header.Set("Content-Type", "application/fhir+json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusCreated {
		text, _ := io.ReadAll(answer.Body)
		t.Fatalf("%s: %s %s", address, answer.Status, text)
	}
}
