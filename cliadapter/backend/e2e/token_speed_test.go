package e2e_test

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

const (
	speedIssuer = "https://login.example.org"
	speedLookup = "/CodeSystem/$lookup?system=" + clinic + "&code=infection"
)

// TestTokenSpeed reports how fast $lookup is with a JSON Web Token, in relation to the same program
// without authentication: requests a second, and processor time of the server for each request. Two
// servers run, and wrk asks them in turns, for a second each. The plain one is asked twice, with no
// token and with the same bytes. ROGET_PAIRS is the number of turns, of which the median counts; the test
// runs if it is set, on Linux.
func TestTokenSpeed(t *testing.T) {
	pairs, err := strconv.Atoi(os.Getenv("ROGET_PAIRS"))
	if err != nil {
		t.Skip("set ROGET_PAIRS to measure")
	}
	if _, err := exec.LookPath("wrk"); err != nil {
		t.Fatalf("%v: install Debian's package wrk", err)
	}
	keys, token := speedToken(t)
	plain := backendtest.Serve(t, backendtest.Released, "--store", "memory:", "--data", t.TempDir())
	guarded := backendtest.Serve(t, backendtest.Released, "--store", "memory:", "--data", t.TempDir(),
		"--auth-issuer", speedIssuer, "--auth-audience", "https://fhir.example.org", "--auth-jwks", keys)
	if status, body := guarded.Do(t, "GET", speedLookup, ""); status != 401 {
		t.Fatalf("without a token: status %d: %s", status, body)
	}
	asked := []struct {
		name   string
		server *backendtest.Server
		header []string
		runs   []speed
	}{
		{"JSON Web Token", guarded, []string{"-H", "Authorization: Bearer " + token}, nil},
		{"no authentication, no token", plain, nil, nil},
		{"no authentication, same bytes", plain, []string{"-H", "Authorization: Bearer " + token}, nil},
	}
	for i := range asked {
		measureSpeed(t, asked[i].server, asked[i].header) // warms it up
	}
	for pair := range pairs {
		for i := range asked {
			a := &asked[(pair+i)%len(asked)]
			a.runs = append(a.runs, measureSpeed(t, a.server, a.header))
		}
	}
	for _, a := range asked {
		var rates, spent, rateShares, spentShares []float64
		for i, run := range a.runs {
			rates, spent = append(rates, run.rate), append(spent, run.spent)
			rateShares, spentShares = append(rateShares, asked[0].runs[i].rate/run.rate), append(spentShares, run.spent/asked[0].runs[i].spent)
		}
		t.Logf("%-30s %6.0f requests/s, %5.1f µs of processor each; with a token %3.0f %% (%.0f to %.0f %%), by processor time %3.0f %%", a.name, median(rates), median(spent),
			100*median(rateShares), 100*slices.Min(rateShares), 100*slices.Max(rateShares), 100*median(spentShares))
	}
}

// speedToken returns a file with the keys of an issuer, and a token of it.
func speedToken(t *testing.T) (file, token string) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	set, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "a", Use: "sig", Algorithm: string(jose.RS256)}}})
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(file, set, 0o600); err != nil {
		t.Fatal(err)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: key}, (&jose.SignerOptions{}).WithType("at+jwt").WithHeader("kid", "a"))
	if err != nil {
		t.Fatal(err)
	}
	token, err = jwt.Signed(signer).Claims(map[string]any{
		"iss": speedIssuer, "sub": "2f9a7c51-2f0b-4b33-9d5e-6d1f0e6f1a11", "aud": "https://fhir.example.org", "client_id": "pharmacy", "jti": "1",
		"iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(), "scope": "system/CodeSystem.rs system/ValueSet.rs",
	}).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return file, token
}

// A speed is the requests a second of a server, and its processor time for each in microseconds.
type speed struct{ rate, spent float64 }

var wrkReport = regexp.MustCompile(`(?s)(\d+) requests in .*Requests/sec: +([0-9.]+)`)

func measureSpeed(t *testing.T, s *backendtest.Server, header []string) speed {
	t.Helper()
	before := processorTicks(t, s.Cmd.Process.Pid)
	out, err := exec.CommandContext(t.Context(), "wrk", append(header, "-t2", "-c16", "-d1s", s.URL+speedLookup)...).CombinedOutput()
	report := wrkReport.FindSubmatch(out)
	if err != nil || report == nil || strings.Contains(string(out), "Non-2xx") || strings.Contains(string(out), "Socket errors") {
		t.Fatalf("wrk: %v\n%s", err, out)
	}
	requests, _ := strconv.ParseFloat(string(report[1]), 64) // digits
	rate, _ := strconv.ParseFloat(string(report[2]), 64)
	return speed{rate, float64(processorTicks(t, s.Cmd.Process.Pid)-before) * 10_000 / requests}
}

// processorTicks returns the time that a process has spent on processors, in units of 10 ms.
func processorTicks(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	sum := 0
	for _, field := range fields[11:13] { // utime and stime, the 14th and 15th of all
		n, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	return sum
}

func median(of []float64) float64 {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[len(sorted)/2]
}
