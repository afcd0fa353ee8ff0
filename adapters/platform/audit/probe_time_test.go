package audit_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/audit"
	"github.com/roget-health/roget/auth"
)

// TestProbesEnd: a request without login, or with the default login, ends after 15 seconds, and says
// nothing about the control.
func TestProbesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent := roundTripper(func(r *http.Request) (*http.Response, error) {
			recorder := httptest.NewRecorder()
			switch scheme, _, _ := strings.Cut(r.Header.Get("Authorization"), " "); {
			case r.URL.Path == "/":
			case scheme != "ApiToken":
				<-r.Context().Done()
				return nil, r.Context().Err()
			default:
				recorder.Header().Set("Content-Type", "application/json")
				_, _ = recorder.WriteString(`{"version":"2.42.6"}`)
			}
			return recorder.Result(), nil
		})
		s, err := audit.Connect(t.Context(), audit.Target{
			BaseURL: "https://p.example", Provider: auth.NewPAT(auth.NewSecret(chiefPAT)), Client: platform.Options{Transport: silent},
		})
		if err != nil {
			t.Fatal(err)
		}
		for check, want := range map[audit.Key]time.Duration{audit.CheckGuest: 45 * time.Second, audit.CheckCredentialProbe: 15 * time.Second} {
			begin := time.Now()
			err = s.Run(t.Context(), audit.Options{Checks: []audit.Key{check}, CredentialProbe: true}, nil, func(result audit.Result) error {
				if o := result.Controls[0]; o.Status != audit.Skipped || o.Note == "" {
					t.Errorf("%+v", o)
				}
				return nil
			})
			if took := time.Since(begin); err != nil || took != want {
				t.Errorf("%s: %v after %v", check, err, took)
			}
		}
	})
}
