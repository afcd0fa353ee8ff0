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

// homeVariable makes the test binary a user of the command, whose home it is.
const homeVariable = "AUTHTEST_HOME"

// verifications is how often a process has a profile verified.
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

// TestCommandProcesses: two processes of the command refresh one token at each step, with a
// server that takes each refresh token once and revokes all where one comes twice. None is
// lost.
// Rows of docs/platform.md: 3.2.
func TestCommandProcesses(t *testing.T) {
	u := newUser(t, platformtest.Options{})
	u.Set(authtest.Switches{TokenLifetime: 50 * time.Second}) // within the 60 s of a refresh
	if code, out, errs := u.run("profile", "login", "sso"); code != 0 {
		t.Fatalf("%d %s%s", code, out, errs)
	}
	before := len(u.Requests())
	var said [2]bytes.Buffer
	var group sync.WaitGroup
	for i := range said {
		group.Go(func() {
			process := exec.CommandContext(t.Context(), os.Args[0])
			process.Env = append(os.Environ(), homeVariable+"="+u.home)
			process.Stdout, process.Stderr = &said[i], &said[i]
			if err := process.Run(); err != nil {
				t.Errorf("process %d: %v: %s", i, err, &said[i])
			}
		})
	}
	group.Wait()
	grants := 0
	for _, request := range u.Requests()[before:] {
		if request == "POST /oauth2/token refresh_token" {
			grants++
		}
	}
	if grants < 2*2*verifications { // two requests each that a token goes along with
		t.Errorf("%d grants, want %d", grants, 2*2*verifications)
	}
	u.works()
}
