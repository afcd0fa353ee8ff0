package authtest

import (
	"context"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
)

// Browser is a user at a browser: it fills in the forms of pages and follows redirects,
// to the listener of a login in the end.
type Browser struct {
	Username, Password string // those of the server where empty
	Deny               bool   // the user does not consent
}

var (
	action = regexp.MustCompile(`<form method="post" action="([^"]*)">`)
	input  = regexp.MustCompile(`<input name="([^"]*)" value="([^"]*)">`)
)

// maxPages is how many pages a browser visits before it gives up.
const maxPages = 5

// Visit opens an address and does what its pages ask. It gives status and text of the
// last page.
func (b Browser) Visit(ctx context.Context, address string) (status int, text string, err error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return 0, "", err
	}
	client := &http.Client{Jar: jar}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	for range maxPages {
		if err != nil {
			return 0, "", err
		}
		answer, err := client.Do(request)
		if err != nil {
			return 0, "", err
		}
		body, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
		answer.Body.Close()
		if err != nil {
			return 0, "", err
		}
		form := action.FindSubmatch(body)
		if form == nil {
			return answer.StatusCode, string(body), nil
		}
		request, err = b.submit(ctx, answer.Request.URL, html.UnescapeString(string(form[1])), string(body))
		if err != nil {
			return 0, "", err
		}
	}
	return 0, "", fmt.Errorf("%s asks on and on", address)
}

// submit fills in the form of a page.
func (b Browser) submit(ctx context.Context, at *url.URL, target, body string) (*http.Request, error) {
	to, err := at.Parse(target)
	if err != nil {
		return nil, err
	}
	values := url.Values{}
	for _, field := range input.FindAllStringSubmatch(body, -1) {
		name, value := html.UnescapeString(field[1]), html.UnescapeString(field[2])
		switch {
		case name == "username":
			value = either(b.Username, Username)
		case name == "password":
			value = either(b.Password, Password)
		case name == "consent" && b.Deny:
			value = "no"
		case name == "consent":
			value = "yes"
		}
		values.Set(name, value)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), strings.NewReader(values.Encode()))
	if err == nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return request, err
}

func either(given, fallback string) string {
	if given != "" {
		return given
	}
	return fallback
}
