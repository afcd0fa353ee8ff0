package platform

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/auth"
)

// TestBind: Platform client, section 9: majors 41, 42, 43. Platform toolkit, section 2.2.
// Rows of docs/platform.md: 9.1, 9.2.
func TestBind(t *testing.T) {
	for _, test := range []struct {
		reported string
		options  Options
		want     Major
		mismatch bool
	}{
		{"2.41.8.1", Options{}, 41, false},
		{"2.42.4", Options{}, 42, false},
		{"2.43-SNAPSHOT", Options{}, 43, false},
		{"2.44.0", Options{}, 0, false},
		{"2.44.0", Options{AllowFallback: true}, 43, false},
		{"2.40.9", Options{AllowFallback: true}, 0, false},
		{"nonsense", Options{AllowFallback: true}, 0, false},
		{"nonsense", Options{Pin: 41}, 41, false},
		{"2.42.4", Options{Pin: 42}, 42, false},
		{"2.42.4", Options{Pin: 43, AllowFallback: true}, 0, true},
		{"2.42.4", Options{Pin: 43, AllowMismatch: true}, 43, false},
		{"2.39", Options{Pin: 41}, 0, true},
		{"2.37.9", Options{AllowFallback: true}, 0, false}, // it has no personal access tokens: platform client, section 9
	} {
		got, err := bind(test.reported, test.options)
		var unsupported *UnsupportedVersionError
		var mismatch *VersionPinMismatchError
		var base ClientError
		if got != test.want || (err == nil) != (test.want != 0) {
			t.Errorf("%s with %+v: %v, %v", test.reported, test.options, got, err)
		}
		if err != nil && (!errors.As(err, &unsupported) || unsupported.Version != test.reported || !errors.As(err, &base) || errors.As(err, &mismatch) != test.mismatch) {
			t.Errorf("%s: %v is not what it is", test.reported, err)
		}
	}
}

// Rows of docs/platform.md: 4.7, 5.1.
func TestConnect(t *testing.T) {
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			http.Redirect(w, r, "/ctx/dhis-web-login/", http.StatusFound)
		case "/ctx/api/system/info":
			calls++
			answer(200, `{"version":"2.43.1","systemName":"T","cpuCores":4,"odd":{"a":1}}`)(w, r)
		}
	}))
	defer server.Close()
	var hooked []string
	hook := func(r *http.Request) error {
		hooked = append(hooked, r.URL.Path+" "+r.Header.Get("Authorization"))
		return nil
	}
	c, err := Connect(t.Context(), server.URL+"/", auth.NewBasic("ada", auth.NewSecret("p")), Options{Hooks: []Hook{hook}})
	if err != nil {
		t.Fatal(err)
	}
	if major, err := c.Major(); major != 43 || err != nil || c.BaseURL() != server.URL+"/ctx" || c.ServerVersion() != "2.43.1" {
		t.Error(major, err, c.BaseURL(), c.ServerVersion())
	}
	if want := []string{"/ ", "/ctx/dhis-web-login/ ", "/ctx/api/system/info ", "/ctx/api/system/info Basic YWRhOnA="}; !slices.Equal(hooked, want) {
		t.Errorf("hooks saw %q, want %q", hooked, want)
	}
	info, err := c.System().Info(t.Context())
	if err != nil || info.SystemName != "T" || info.CPUCores != 4 || string(info.Extra["odd"]) != `{"a":1}` || calls != 2 { // one of them without a login
		t.Errorf("%+v, %v, %d calls", info, err, calls)
	}
}

// TestConnectElsewhere: an address that is not a platform's is named, with what to do.
func TestConnectElsewhere(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"nothing there": http.NotFound,
		"a page":        answer(200, "<title>Welcome</title>", "Content-Type", "text/html"),
	} {
		server := httptest.NewServer(handler)
		_, err := Connect(t.Context(), server.URL+"/wrong", auth.NewPAT(auth.NewSecret("d2pat_x")), Options{})
		if err == nil || !errors.As(err, new(*APIError)) || !strings.HasSuffix(err.Error(), "; check that "+server.URL+"/wrong is the URL of a platform") {
			t.Errorf("%s: %v", name, err)
		}
		server.Close()
	}
}
