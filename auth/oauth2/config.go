package oauth2

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/roget-health/roget/auth"
)

// DefaultWait is how long a login waits for the redirect.
const DefaultWait = 300 * time.Second

// NoBrowserVariable is the environment variable that, set to 1, true, yes or on, has addresses
// printed instead of opened in a browser.
const NoBrowserVariable = "PLATFORM_OAUTH_NO_BROWSER"

// NoBrowser reports whether NoBrowserVariable is on.
func NoBrowser(getenv func(string) string) bool {
	switch strings.ToLower(getenv(NoBrowserVariable)) {
	case "1", "true", "yes", "on":
		return true
	}
	return false
}

// A RedirectCapturer replaces browser and listener: it lets somebody open the address, and returns
// the code that came back with the state.
type RedirectCapturer func(ctx context.Context, authURL, state string) (code string, err error)

// A Config describes a Provider. Platform toolkit, section 1.2.
type Config struct {
	BaseURL      string
	ClientID     string
	ClientSecret auth.Secret // plain text, although the server stores a hash
	Scope        string      // sent verbatim; auth.DefaultScope if empty
	RedirectURI  string      // auth.DefaultRedirectURI if empty; port 0 takes a free port
	Store        auth.TokenStore
	StoreKey     string // BaseURL:ClientID if empty

	NoBrowser bool             // print the address instead of opening a browser
	Capture   RedirectCapturer // replaces browser and listener

	Transport   http.RoundTripper                           // to the platform; http.DefaultTransport if nil
	Notice      io.Writer                                   // for messages to the user; standard error if nil
	OpenBrowser func(ctx context.Context, url string) error // the system's browser if nil
	Now         func() time.Time                            // time.Now if nil
	Advice      auth.Advice                                 // for the version of the platform; for any version if zero
	Wait        time.Duration                               // for the redirect; DefaultWait if 0
}

// cleaned returns a checked configuration with its defaults.
func (c Config) cleaned() (Config, error) {
	base, err := auth.CleanBaseURL(c.BaseURL)
	if err != nil {
		return c, err
	}
	c.BaseURL = base
	if c.ClientID == "" {
		return c, missing("client_id")
	}
	if c.Store == nil {
		return c, missing("token_store")
	}
	c.Scope = cmp.Or(c.Scope, auth.DefaultScope)
	c.RedirectURI = cmp.Or(c.RedirectURI, auth.DefaultRedirectURI)
	c.StoreKey = cmp.Or(c.StoreKey, c.BaseURL+":"+c.ClientID)
	c.Wait = cmp.Or(c.Wait, DefaultWait)
	c.NoBrowser = c.NoBrowser || NoBrowser(os.Getenv)
	if c.Notice == nil {
		c.Notice = os.Stderr
	}
	if c.OpenBrowser == nil {
		c.OpenBrowser = openBrowser
	}
	if c.Advice == (auth.Advice{}) {
		c.Advice = auth.AdviceFor(nil)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c, nil
}

func missing(field string) error {
	return &auth.FieldError{Field: field, Err: errors.New("it is missing")}
}
