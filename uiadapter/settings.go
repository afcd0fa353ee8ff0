package uiadapter

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// Settings are what a person has chosen. They are kept in cookies, which have no secrets.
type Settings struct {
	Language  string // of the texts of the page
	Displays  string // preferred language of displays (BCP 47), "" for that of the browser
	Theme     string // light, dark, or "" for that of the system
	Direction string // ltr or rtl
}

const (
	cookieLanguage  = "roget-language"
	cookieDisplays  = "roget-displays"
	cookieTheme     = "roget-theme"
	cookieDirection = "roget-direction"
)

// settingsOf returns the settings of the person who makes a request.
func (h *Handler) settingsOf(r *http.Request) Settings {
	s := Settings{Language: cookie(r, cookieLanguage), Displays: cookie(r, cookieDisplays), Theme: cookie(r, cookieTheme), Direction: cookie(r, cookieDirection)}
	if !slices.Contains(languages[:], s.Language) {
		s.Language = h.texts.match(r.Header.Get("Accept-Language"))
	}
	if _, err := language.Parse(s.Displays); err != nil {
		s.Displays = ""
	}
	if s.Theme != "light" && s.Theme != "dark" {
		s.Theme = ""
	}
	if s.Direction != "rtl" {
		s.Direction = "ltr"
	}
	return s
}

func cookie(r *http.Request, name string) string {
	c, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	return c.Value
}

// changeSettings keeps the settings of a form, and goes back to the page that it is on.
func (h *Handler) changeSettings(w http.ResponseWriter, r *http.Request) {
	for name, field := range map[string]string{cookieLanguage: "language", cookieDisplays: "displays", cookieTheme: "theme", cookieDirection: "direction"} {
		value := r.PostFormValue(field)
		if len(value) > 35 || strings.ContainsFunc(value, func(c rune) bool {
			return c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
		}) {
			value = ""
		}
		age := 365 * 24 * 3600
		if value == "" {
			age = -1
		}
		http.SetCookie(w, &http.Cookie{ //nolint:gosec // a setting, which HTTP without TLS may carry
			Name: name, Value: value, MaxAge: age, HttpOnly: true, SameSite: http.SameSiteLaxMode,
		})
	}
	redirect(w, r, ownPage(r.PostFormValue("back")))
}

// ownPage returns a relative address if it leads to a page, else that of the first page.
func ownPage(address string) string {
	u, err := url.Parse(strings.TrimPrefix(address, "./")) // as this function returns it
	if err != nil || u.IsAbs() || u.Host != "" || strings.ContainsAny(u.Path, "/\\:") || len(address) > 4096 {
		return "./"
	}
	back := url.URL{Path: "./" + u.Path, RawQuery: u.RawQuery}
	return back.String()
}

// Here returns the relative address of the page, for forms that come back to it.
func (p *Page) Here() string {
	_, last, _ := strings.Cut(strings.TrimPrefix(p.r.URL.Path, "/"), "/")
	if p.r.URL.RawQuery != "" {
		last += "?" + p.r.URL.RawQuery
	}
	return last
}

// DisplayLanguage returns the languages in which displays are wanted, as Accept-Language has them.
func (p *Page) DisplayLanguage() string {
	if p.Displays != "" {
		return p.Displays
	}
	return p.r.Header.Get("Accept-Language")
}
