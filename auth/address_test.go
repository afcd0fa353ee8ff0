package auth_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/roget-health/roget/auth"
)

// TestCleanBaseURL: what is taken, and what is refused without showing it. What is taken stays as it is when it
// is cleaned again, and shows no password.
func TestCleanBaseURL(t *testing.T) {
	longest := "http://h/" + strings.Repeat("a", 4096-9)
	for address, want := range map[string]string{
		"https://p.example":                "https://p.example",
		" http://p.example:80/ctx//\u00a0": "http://p.example:80/ctx",
		"HTTPS://[::1]/":                   "https://[::1]",
		longest:                            longest,
		longest + "a":                      "",
		"ftp://p.example":                  "",
		"http://:80":                       "",
		"http://p.example/\n":              "",
		"http://u:Sw0rd@p.example":         "",
		"http://p.example/?Sw0rd":          "",
		"http://p.example/#Sw0rd":          "",
		"://Sw0rd@p.example?Sw0rd":         "",
	} {
		got, err := auth.CleanBaseURL(address)
		if want != "" {
			again, againErr := auth.CleanBaseURL(got)
			if err != nil || againErr != nil || got != want || again != want || auth.ShownURL(got) != want {
				t.Errorf("%.60q: %.60q, %v; again: %.60q, %v", address, got, err, again, againErr)
			}
			continue
		}
		var field *auth.FieldError
		if !errors.As(err, &field) || field.Field != "base_url" || strings.Contains(err.Error(), "Sw0rd") || strings.Contains(auth.ShownURL(address), "Sw0rd") && !strings.Contains(address, "#") {
			t.Errorf("%.60q: %q, %v; shown as %.60q", address, got, err, auth.ShownURL(address))
		}
	}
	for address, want := range map[string]string{"http://u:p@p.example/x?y": "**********@p.example/x", "p.example": "p.example", "@h": "**********@h"} {
		if got := auth.ShownURL(address); got != want {
			t.Errorf("%s is shown as %s, want %s", address, got, want)
		}
	}
}
