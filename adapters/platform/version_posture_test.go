package platform_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/auth"
)

// TestVersionPosture: Platform client, section 2.4: the typed result of classifying the
// server's version; no feed of releases is asked for.
// Rows of docs/platform.md: 2.4.4.
func TestVersionPosture(t *testing.T) {
	asked := &hosts{}
	p := platformtest.New(t, platformtest.Options{Version: "2.43.1"})
	c, err := platform.Connect(t.Context(), p.URL, auth.NewPAT(auth.NewSecret(platformtest.PAT)), platform.Options{Transport: asked})
	if err != nil {
		t.Fatal(err)
	}
	asked.seen = nil
	if posture, err := c.System().VersionPosture(t.Context()); err != nil || posture.Posture != platform.PostureSupported || posture.Version != "2.43.1" || len(asked.seen) != 0 {
		t.Errorf("%+v, %v, asked %q", posture, err, asked.seen)
	}
	for version, want := range map[string]platform.VersionPosture{
		"2.42.4":          {Major: 42, Posture: platform.PostureSupported},
		"2.41-SNAPSHOT":   {Major: 41, Posture: platform.PostureSupported},
		"2.43.0.1":        {Major: 43, Posture: platform.PostureSupported},
		"2.40.9":          {Major: 40, Posture: platform.PostureOlder},
		"2.44.0":          {Major: 44, Posture: platform.PostureNewer},
		"":                {Posture: platform.PostureUnparseable},
		"three":           {Posture: platform.PostureUnparseable},
		"42.4":            {Posture: platform.PostureUnparseable},
		"2.42.x":          {Posture: platform.PostureUnparseable},
		"2.99999999999.1": {Posture: platform.PostureUnparseable},
	} {
		got := platform.ClassifyVersion(version)
		if got.Version != version || got.Major != want.Major || got.Posture != want.Posture || !slices.Equal(got.Supported, platform.Majors()) {
			t.Errorf("%q: %+v", version, got)
		}
	}
}

// hosts notes the addresses that a client asks.
type hosts struct{ seen []string }

func (h *hosts) RoundTrip(r *http.Request) (*http.Response, error) {
	h.seen = append(h.seen, r.URL.String())
	return http.DefaultTransport.RoundTrip(r)
}
