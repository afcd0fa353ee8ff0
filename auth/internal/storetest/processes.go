package storetest

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/oauth2"
)

// Environment variables of the processes that Processes starts.
const (
	folderVariable = "STORETEST_FOLDER"
	serverVariable = "STORETEST_SERVER"
	timesVariable  = "STORETEST_TIMES"
)

// Main runs the tests of a package, or refreshes tokens in the processes that Processes starts. It is
// for TestMain.
func Main(m *testing.M, open func(folder string) Store) {
	folder := os.Getenv(folderVariable)
	if folder == "" {
		os.Exit(m.Run())
	}
	store := open(folder)
	times, err := strconv.Atoi(os.Getenv(timesVariable))
	for i := 0; i < times && err == nil; i++ {
		var p *oauth2.Provider
		if p, err = provider(os.Getenv(serverVariable), store); err == nil {
			err = p.RefreshIfNeeded(context.Background())
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func provider(base string, store Store) (*oauth2.Provider, error) {
	return oauth2.New(oauth2.Config{
		BaseURL: base, ClientID: "c", ClientSecret: auth.NewSecret("s"), Store: store, StoreKey: "profile:a",
		Capture: oauth2.RefuseLogin("a test cannot log in"),
	})
}

// rotating is an authorization server that accepts each refresh token once.
type rotating struct {
	mu       sync.Mutex
	lifetime int
	current  string // the valid refresh token
	grants   int
	refused  []string
}

func (s *rotating) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if got := r.PostFormValue("refresh_token"); got != s.current {
		s.refused = append(s.refused, got)
		http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
		return
	}
	s.grants++
	s.current = fmt.Sprintf("refresh-%d", s.grants)
	fmt.Fprintf(w, `{"access_token":"access-%d","refresh_token":%q,"expires_in":%d}`, s.grants, s.current, s.lifetime)
}

// Processes starts two processes that refresh one token, many times each. The server accepts each
// refresh token once: no token may be used twice, and none may be lost. In the first round tokens
// expire at once, so that each process refreshes each time. In the second round they live long, so
// that one refresh serves both.
func Processes(t *testing.T, times int, open func(folder string) Store) {
	for _, round := range []struct{ lifetime, times, grants int }{{1, times, 2 * times}, {3600, 3, 1}} {
		folder := t.TempDir()
		server := &rotating{lifetime: round.lifetime, current: "refresh-0"}
		running := httptest.NewServer(server)
		defer running.Close()
		err := open(folder).Set(t.Context(), "profile:a", &auth.OAuth2Token{
			AccessToken: auth.NewSecret("access-0"), RefreshToken: auth.NewSecret("refresh-0"),
			ExpiresAt: auth.UnixSeconds(time.Now()), BaseURL: running.URL, ClientID: "c",
		})
		if err != nil {
			t.Fatal(err)
		}
		var output [2]bytes.Buffer
		var group sync.WaitGroup
		for i := range output {
			group.Go(func() {
				process := exec.CommandContext(t.Context(), os.Args[0])
				process.Env = append(os.Environ(), folderVariable+"="+folder, serverVariable+"="+running.URL, fmt.Sprintf("%s=%d", timesVariable, round.times))
				process.Stderr = &output[i]
				if err := process.Run(); err != nil {
					t.Errorf("process %d: %v: %s", i, err, &output[i])
				}
			})
		}
		group.Wait()
		if server.grants != round.grants || len(server.refused) > 0 {
			t.Errorf("%d grants, want %d; used twice: %v", server.grants, round.grants, server.refused)
		}
		if stored, err := open(folder).Get(t.Context(), "profile:a"); err != nil || stored.RefreshToken.Reveal() != server.current {
			t.Errorf("stored %v, %v", stored, err)
		}
	}
}
