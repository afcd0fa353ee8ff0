package backend

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/httpadapter"
)

// anIssuer has a discovery document while it is up, and counts questions.
type anIssuer struct {
	*httptest.Server
	up    atomic.Bool
	asked atomic.Int32
}

func newIssuer(t *testing.T) *anIssuer {
	t.Helper()
	i := new(anIssuer)
	i.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if i.asked.Add(1); !i.up.Load() || r.URL.Path != "/.well-known/openid-configuration" {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintf(w, `{"issuer":%q,"authorization_endpoint":"%[1]s/authorize","token_endpoint":"%[1]s/token","jwks_uri":"%[1]s/keys"}`, i.URL)
	}))
	t.Cleanup(i.Close)
	return i
}

// TestSMARTWithoutIssuer: while the issuer is down, the endpoints that the options name are served, and
// nothing is if one is missing. When it is back, its document is taken up without a request that waits.
func TestSMARTWithoutIssuer(t *testing.T) {
	const authorize, token = "https://login.example/authorize", "https://login.example/token"
	for name, row := range map[string]struct {
		options cliadapter.AccessOptions
		served  bool   // while the issuer is down
		keys    string // path of the key set when it is up
	}{
		"both":              {cliadapter.AccessOptions{AuthorizationURL: authorize, TokenURL: token}, true, "/keys"},
		"only one":          {cliadapter.AccessOptions{TokenURL: token}, false, "/keys"},
		"none":              {cliadapter.AccessOptions{}, false, "/keys"},
		"both, keys a file": {cliadapter.AccessOptions{AuthorizationURL: authorize, TokenURL: token, Issuers: []cliadapter.AccessIssuer{{Keys: "keys.json"}}}, true, ""},
	} {
		issuer := newIssuer(t)
		if row.options.Issuers == nil {
			row.options.Issuers = []cliadapter.AccessIssuer{{}}
		}
		row.options.Issuers[0].URL = issuer.URL
		clock := time.Now()
		source := newSMART(&row.options)
		source.now = func() time.Time { return clock }
		get := func() *httpadapter.SMARTConfiguration {
			t.Helper()
			config, err := source.configuration(t.Context())
			if (err != nil) != (config == nil) || err != nil && !errors.Is(err, access.ErrUnavailable) {
				t.Fatalf("%s: %v, %v", name, config, err)
			}
			return config
		}
		config := get()
		if (config != nil) != row.served {
			t.Errorf("%s: while the issuer is down: %+v", name, config)
		}
		if config != nil && (config.AuthorizationEndpoint != authorize || config.TokenEndpoint != token || config.Issuer != issuer.URL ||
			len(config.GrantTypes) == 0 || len(config.Capabilities) == 0 || len(config.CodeChallengeMethods) == 0) {
			t.Errorf("%s: while the issuer is down: %+v", name, config)
		}
		asked := issuer.asked.Load()
		get()
		source.questions.Wait()
		if again := issuer.asked.Load(); again != asked || (asked > 0) != (row.keys != "") {
			t.Errorf("%s: asked %d times, then %d times", name, asked, again-asked)
		}

		issuer.up.Store(true)
		clock = clock.Add(smartRetry)
		if before := get(); (before != nil) != row.served {
			t.Errorf("%s: when the issuer is asked again: %+v", name, before)
		}
		source.questions.Wait()
		config = get()
		if config == nil || row.keys != "" && config.JWKSURI != issuer.URL+row.keys {
			t.Fatalf("%s: when the issuer is up again: %+v", name, config)
		}
		if row.options.TokenURL != "" && config.TokenEndpoint != token {
			t.Errorf("%s: the token endpoint is %s", name, config.TokenEndpoint)
		}

		issuer.up.Store(false)
		clock = clock.Add(smartKept)
		get()
		source.questions.Wait()
		if last := get(); last == nil || last.JWKSURI != config.JWKSURI {
			t.Errorf("%s: when the issuer is down again: %+v", name, last)
		}
	}
}
