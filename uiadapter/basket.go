package uiadapter

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/engine"
)

// The basket has codes that were picked on the page. A cookie keeps them, so that it works without
// scripts and the server remembers nothing.

const cookieBasket = "roget-basket"

const (
	// maxPicked is the number of codes of a basket, and maxBasket its length in the cookie: browsers
	// keep 4,096 bytes.
	maxPicked, maxBasket = 500, 3600
	// maxUnpacked bounds what a cookie that was made up may grow to.
	maxUnpacked = 256 << 10
)

// picks are the codes of a basket from one code system.
type picks struct {
	System string   `json:"s"`
	Codes  []string `json:"c"`
}

// basketOf returns the basket of a request; a cookie that cannot be read is an empty one.
func basketOf(r *http.Request) []picks {
	packed, err := base64.RawURLEncoding.DecodeString(cookie(r, cookieBasket))
	if err != nil {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), maxUnpacked))
	if err != nil {
		return nil
	}
	var list []picks
	if json.Unmarshal(text, &list) != nil || countPicks(list) > maxPicked {
		return nil
	}
	return list
}

func countPicks(list []picks) int {
	n := 0
	for i := range list {
		n += len(list[i].Codes)
	}
	return n
}

// packed returns a basket as a cookie has it, and an error if it is too large.
func packed(list []picks) (string, error) {
	if len(list) == 0 {
		return "", nil
	}
	text, err := json.Marshal(list)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		return "", err
	}
	if _, err := w.Write(text); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	value := base64.RawURLEncoding.EncodeToString(b.Bytes())
	if len(value) > maxBasket || countPicks(list) > maxPicked {
		return "", fmt.Errorf("%w: the basket is full: make a value set of it, or remove codes", engine.ErrInvalidParameter)
	}
	return value, nil
}

// with returns a basket with a code.
func with(list []picks, system, code string) []picks {
	for i := range list {
		if list[i].System != system {
			continue
		}
		if !slices.Contains(list[i].Codes, code) {
			list[i].Codes = append(list[i].Codes, code)
		}
		return list
	}
	return append(list, picks{system, []string{code}})
}

// without returns a basket without a code.
func without(list []picks, system, code string) []picks {
	for i := range list {
		if list[i].System == system {
			list[i].Codes = slices.DeleteFunc(list[i].Codes, func(c string) bool { return c == code })
		}
	}
	return slices.DeleteFunc(list, func(p picks) bool { return len(p.Codes) == 0 })
}

// BasketSize returns the number of codes in the basket.
func (p *Page) BasketSize() int { return countPicks(p.basket) }

// Basket reports whether codes can be picked.
func (p *Page) Basket() bool { return p.may("ValueSet") && p.Has("basket") }

// pick puts codes into the basket, or takes them out.
func (p *Page) pick() error {
	if err := p.ownForm(); err != nil {
		return err
	}
	for _, text := range p.Queries("add") {
		if system, code, ok := parseToken(text); ok {
			p.basket = with(p.basket, system, code)
		}
	}
	for _, text := range p.Queries("remove") {
		if system, code, ok := parseToken(text); ok {
			p.basket = without(p.basket, system, code)
		}
	}
	if p.Query("clear") != "" {
		p.basket = nil
	}
	value, err := packed(p.basket)
	if errors.Is(err, engine.ErrInvalidParameter) && p.IsFragment() { // the link has room for a word only
		p.basket = basketOf(p.r)
		return p.Show("basket.html", "basketfull", p.T("basket.title"), nil)
	}
	if err != nil {
		return err
	}
	age := 30 * 24 * 3600
	if value == "" {
		age = -1
	}
	http.SetCookie(p.w, &http.Cookie{ //nolint:gosec // no secret, which HTTP without TLS may carry
		Name: cookieBasket, Value: value, MaxAge: age, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
	if p.IsFragment() {
		return p.Show("basket.html", "basketlink", p.T("basket.title"), nil)
	}
	redirect(p.w, p.r, ownPage(p.Query("back")))
	return nil
}

// maxForm is the length of the longest form, in bytes.
const maxForm = 256 << 10

// ownForm returns an error unless a form was sent by a page of this server. Browsers say so in
// Sec-Fetch-Site, old ones in Origin. It bounds the form as well.
func (p *Page) ownForm() error {
	p.r.Body = http.MaxBytesReader(p.w, p.r.Body, maxForm)
	site, origin := p.r.Header.Get("Sec-Fetch-Site"), p.r.Header.Get("Origin")
	own := site == "same-origin" || site == "none" || site == "" && origin == ""
	if site == "" && origin != "" {
		u, err := url.Parse(p.h.Address(p.r))
		own = err == nil && origin == u.Scheme+"://"+u.Host
	}
	if !own {
		return fmt.Errorf("%w: the form was sent by a page of another server", access.ErrForbidden)
	}
	if err := p.r.ParseForm(); err != nil {
		return fmt.Errorf("%w: the form: %w", engine.ErrInvalidParameter, err)
	}
	return nil
}
