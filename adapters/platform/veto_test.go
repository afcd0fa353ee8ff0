package platform_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/auth"
)

// vetoing is a transport that refuses to send requests of a path.
type vetoing struct {
	path string
	err  error
}

func (v vetoing) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == v.path {
		return nil, v.err
	}
	return http.DefaultTransport.RoundTrip(r)
}

// refusal is a veto of a transport.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

func (refusal) Is(target error) bool { return target == platform.ErrVetoed }

// TestVeto: a veto of a hook or of a transport ends Connect at each of its requests, is not retried,
// and does not read like a network error. Platform toolkit, sections 2.1 and 5.2.
// Rows of docs/platform.md: 2.6.3, T5.2.
func TestVeto(t *testing.T) {
	mine := errors.New("not this path")
	for _, path := range []string{"/", "/dhis-web-login/", "/api/system/info"} {
		retried := &platform.RetryPolicy{Base: time.Millisecond}
		for name, options := range map[string]platform.Options{
			"hook": {Retry: retried, Hooks: []platform.Hook{func(r *http.Request) error {
				if r.URL.Path == path {
					return mine
				}
				return nil
			}}},
			"transport": {Retry: retried, Transport: vetoing{path, refusal{mine}}},
		} {
			t.Run(name+path, func(t *testing.T) {
				p := platformtest.New(t, platformtest.Options{})
				_, err := platform.Connect(t.Context(), p.URL, auth.NewPAT(auth.NewSecret(platformtest.PAT)), options)
				if !errors.Is(err, platform.ErrVetoed) || !errors.Is(err, mine) || errors.Is(err, platform.ErrUnreachable) {
					t.Fatal(err)
				}
				for _, line := range sent(p) {
					if strings.HasSuffix(line, " "+path) {
						t.Errorf("%s was sent", line)
					}
				}
			})
		}
	}
	if next, err := (platform.Options{Transport: vetoing{}}).RoundTripper(); err != nil || next != (vetoing{}) {
		t.Error(next, err)
	}
	if _, err := (platform.Options{MaxAnswer: -1}).RoundTripper(); err == nil {
		t.Error("options are not checked")
	}
}
