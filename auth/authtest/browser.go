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

// A Browser is a user with a browser. It fills in forms and follows redirects, in the end to the
// listener of a login.
type Browser struct {
	Username, Password string // the constants of this package if empty
	Deny               bool   // the user refuses consent
}

var (
	action = regexp.MustCompile(`<form method="post" action="([^"]*)">`)
	input  = regexp.MustCompile(`<input name="([^"]*)" value="([^"]*)">`)
)

// maxPages limits the pages of one visit.
const maxPages = 5

// Visit opens an address and submits the forms of its pages. It returns status and text of the last
// page.
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
	return 0, "", fmt.Errorf("%s leads to more than 5 pages", address)
}

// submit returns the request that submits the form of a page.
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
