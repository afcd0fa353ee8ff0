package authtest_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/auth/authtest"
	"github.com/roget-health/roget/cliadapter"
)

// homeVariable is the environment variable that makes the test binary run the program for a user with
// that home folder.
const homeVariable = "AUTHTEST_HOME"

// verifications is how often each process verifies the profile.
const verifications = 15

func TestMain(m *testing.M) {
	home := os.Getenv(homeVariable)
	if home == "" {
		os.Exit(m.Run())
	}
	program := command(home, func(string) string { return "" }, func(context.Context, string) error {
		return errors.New("a browser was opened")
	})
	for range verifications {
		streams := cliadapter.Streams{In: strings.NewReader(""), Out: os.Stdout, Err: os.Stderr}
		if code := program.Run(context.Background(), []string{"profile", "verify", "sso"}, streams); code != 0 {
			os.Exit(code)
		}
	}
	os.Exit(0)
}

// TestCommandProcesses: two processes refresh one token at each step. The server accepts each refresh
// token once, and revokes all tokens if one comes twice. No token is lost.
// Rows of docs/platform.md: 3.2.
func TestCommandProcesses(t *testing.T) {
	u := newUser(t, platformtest.Options{})
	u.Set(authtest.Switches{TokenLifetime: 50 * time.Second}) // within the 60 s of a refresh
	if code, out, errs := u.run("profile", "login", "sso"); code != 0 {
		t.Fatalf("%d %s%s", code, out, errs)
	}
	if grants := refreshesOfProcesses(t, u); grants < 2*2*verifications { // each verification sends two requests with a token
		t.Errorf("%d grants, want %d", grants, 2*2*verifications)
	}
	u.works()
}

// TestV10Processes: of two processes whose token is refused, because the server has lost its keys, one refreshes
// it, and both use the new token.
func TestV10Processes(t *testing.T) {
	u := logged(t, "2.43.2")
	u.Restart(t)
	if grants := refreshesOfProcesses(t, u); grants != 1 {
		t.Errorf("%d grants, want 1", grants)
	}
	u.works()
}

// refreshesOfProcesses runs two processes that verify the profile, and returns how often they refresh the token.
func refreshesOfProcesses(t *testing.T, u *user) (grants int) {
	t.Helper()
	before := len(u.Requests())
	var output [2]bytes.Buffer
	var group sync.WaitGroup
	for i := range output {
		group.Go(func() {
			process := exec.CommandContext(t.Context(), os.Args[0])
			process.Env = append(os.Environ(), homeVariable+"="+u.home)
			process.Stdout, process.Stderr = &output[i], &output[i]
			if err := process.Run(); err != nil {
				t.Errorf("process %d: %v: %s", i, err, &output[i])
			}
		})
	}
	group.Wait()
	for _, request := range u.Requests()[before:] {
		if request == "POST /oauth2/token refresh_token" {
			grants++
		}
	}
	return grants
}
