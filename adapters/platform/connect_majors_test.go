package platform_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/auth"
)

// TestConnectOnEveryMajor: Platform client, section 9: the client binds to the server's
// major; section 5: with each kind of credentials.
// Rows of docs/platform.md: 5.1, 5.2, 5.3, 9.1, T7.2.
func TestConnectOnEveryMajor(t *testing.T) {
	session, err := auth.NewSessionCookie(auth.NewSecret(platformtest.SessionCookie), auth.NewSecret(platformtest.XSRFToken))
	if err != nil {
		t.Fatal(err)
	}
	for _, major := range platform.Majors() {
		for name, provider := range map[string]auth.Provider{
			"basic": auth.NewBasic(platformtest.Username, auth.NewSecret(platformtest.Password)), "pat": auth.NewPAT(auth.NewSecret(platformtest.PAT)), "session": session,
		} {
			t.Run(major.String()+"/"+name, func(t *testing.T) {
				p := platformtest.New(t, platformtest.Options{Major: int(major), ContextPath: "/ctx"})
				c, err := platform.Connect(t.Context(), strings.TrimSuffix(p.URL, "/ctx"), provider, platform.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if got, err := c.Major(); got != major || err != nil || c.BaseURL() != p.URL {
					t.Error(got, err, c.BaseURL())
				}
				if features, err := c.Features(); err != nil || features.Major != major {
					t.Error(features, err)
				}
				if me, err := c.System().Me(t.Context()); err != nil || me.Username != platformtest.Username {
					t.Error(me, err)
				}
			})
		}
	}
}

// TestConnectRefused: credentials, versions and servers that do not fit.
func TestConnectRefused(t *testing.T) {
	good, bad := auth.NewPAT(auth.NewSecret(platformtest.PAT)), auth.NewPAT(auth.NewSecret("d2pat_planted"))
	var authentication *platform.AuthenticationError
	p := platformtest.New(t, platformtest.Options{})
	if _, err := platform.Connect(t.Context(), p.URL, bad, platform.Options{}); !errors.As(err, &authentication) || authentication.Status != http.StatusUnauthorized || strings.Contains(err.Error(), "planted") {
		t.Error(err)
	}
	var mismatch *platform.VersionPinMismatchError
	if _, err := platform.Connect(t.Context(), p.URL, good, platform.Options{Pin: 43}); !errors.As(err, &mismatch) || mismatch.Reported != "2.42.4" {
		t.Error(err)
	}
	var unsupported *platform.UnsupportedVersionError
	p = platformtest.New(t, platformtest.Options{Version: "2.44.0"})
	if _, err := platform.Connect(t.Context(), p.URL, good, platform.Options{}); !errors.As(err, &unsupported) || unsupported.Version != "2.44.0" || len(unsupported.Available) != 3 {
		t.Error(err)
	}
	if c, err := platform.Connect(t.Context(), p.URL, good, platform.Options{AllowFallback: true}); err != nil || c.ServerVersion() != "2.44.0" {
		t.Error(err)
	} else if major, err := c.Major(); major != 43 || err != nil {
		t.Error(major, err)
	}
}

// TestSessionWithoutToken: Platform client, section 5: write endpoints need X-XSRF-TOKEN,
// reading does not.
// Rows of docs/platform.md: 5.3.
func TestSessionWithoutToken(t *testing.T) {
	p := platformtest.New(t, platformtest.Options{})
	for token, want := range map[string]int{"": http.StatusForbidden, platformtest.XSRFToken: 0} {
		session, err := auth.NewSessionCookie(auth.NewSecret(platformtest.SessionCookie), auth.NewSecret(token))
		if err != nil {
			t.Fatal(err)
		}
		c, err := platform.Connect(t.Context(), p.URL, session, platform.Options{})
		if err != nil {
			t.Fatal(err)
		}
		err = c.Datastore().Set(t.Context(), "ns", "k"+token, []byte(`1`))
		if want == 0 && err != nil {
			t.Error(err)
		}
		if want != 0 {
			refused(t, err, want)
		}
	}
}

// TestMetadataOnEveryMajor: Platform client, section 4: metadata list, its count in one
// request, type list.
// Rows of docs/platform.md: T7.2.
func TestMetadataOnEveryMajor(t *testing.T) {
	var sets []platformtest.Object
	for i := range 501 {
		sets = append(sets, platformtest.Object{"id": fmt.Sprintf("Set%08d", 500-i), "name": fmt.Sprintf("Set %d", i%7)})
	}
	for _, major := range platform.Majors() {
		t.Run(major.String(), func(t *testing.T) {
			c, p := onDouble(t, platformtest.Options{Major: int(major), ContextPath: "/ctx", Objects: map[string][]platformtest.Object{"dataSets": sets}})
			ctx, m := t.Context(), c.Metadata()
			names, err := m.TypeNames(ctx)
			if err != nil || !slices.IsSorted(names) || !slices.Contains(names, "dataElements") || slices.Contains(names, "sharings") {
				t.Error(names, err)
			}
			p.Forget()
			total, err := m.Count(ctx, "dataSets", platform.ListOptions{})
			if err != nil || total < 501 || len(p.Requests()) != 1 {
				t.Error(total, err, sent(p))
			}
			if n, err := m.Count(ctx, "dataSets", platform.ListOptions{Filters: []string{"name:eq:Set 3", "id:like:0"}}); err != nil || n != 72 {
				t.Error(n, err)
			}
			p.Forget()
			var out strings.Builder
			written, err := m.Write(ctx, &out, "dataSets", platform.ListOptions{Fields: "id"})
			var objects []struct{ ID string }
			if err != nil || written != total || json.Unmarshal([]byte(out.String()), &objects) != nil || len(objects) != total || len(p.Requests()) != 2 {
				t.Errorf("%d written, %v, %v", written, err, sent(p))
			}
			ids := map[string]bool{}
			for _, object := range objects {
				ids[object.ID] = true
			}
			if len(ids) != total {
				t.Errorf("%d objects, %d of them different", total, len(ids))
			}
			page, err := m.List(ctx, "dataSets", platform.ListOptions{Fields: "id,name", Order: []string{"id:desc"}, PageSize: 2})
			if err != nil || len(page) != 2 || !strings.Contains(string(page[0]), `"Set00000500"`) || !strings.Contains(string(page[1]), `"Set00000499"`) {
				t.Errorf("%s, %v", page, err)
			}
			object, err := m.Get(ctx, "dataSets", "Set00000007", "id")
			if err != nil || string(object) != `{"id":"Set00000007"}` {
				t.Errorf("%s, %v", object, err)
			}
			_, err = m.Get(ctx, "dataSets", "Set99999999", "")
			refused(t, err, 404)
			_, err = m.List(ctx, "dataset", platform.ListOptions{})
			var lookup *platform.LookupError
			if !errors.As(err, &lookup) || !errors.Is(err, platform.ErrUnknownResource) || !slices.Contains(lookup.Suggestions, "dataSets") {
				t.Error(err)
			}
		})
	}
}
