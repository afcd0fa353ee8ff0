package uiadapter_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/uiadapter"
)

// A browser keeps the cookies of the pages.
type browser struct {
	t       *testing.T
	h       http.Handler
	cookies map[string]string
}

func (b *browser) send(method, address string, form url.Values, header ...string) *httptest.ResponseRecorder {
	b.t.Helper()
	r := httptest.NewRequest(method, address, strings.NewReader(form.Encode()))
	r.Header.Set("Accept-Language", "en")
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for name, value := range b.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	b.h.ServeHTTP(w, r)
	for _, c := range w.Result().Cookies() {
		if len(c.Value) > 4000 {
			b.t.Errorf("the cookie %s has %d bytes", c.Name, len(c.Value))
		}
		b.cookies[c.Name] = c.Value
	}
	return w
}

func (b *browser) page(address string) *html.Node {
	b.t.Helper()
	w := b.send(http.MethodGet, address, nil)
	root, err := html.Parse(w.Body)
	if err != nil || w.Code != http.StatusOK {
		b.t.Fatalf("%s: status %d, %v", address, w.Code, err)
	}
	return root
}

// writing returns pages whose FHIR interface is a function.
func writing(t *testing.T, e *engine.Engine, fhir http.HandlerFunc) *browser {
	t.Helper()
	h, err := uiadapter.New(uiadapter.Config{
		Engine: e, FHIR: fhir, Stored: true, Writable: true,
		Address: func(*http.Request) string { return "https://example.org/fhir" },
		Explain: func(err error) (int, string) {
			var own interface{ Status() int }
			switch {
			case errors.As(err, &own):
				return own.Status(), err.Error()
			case errors.Is(err, access.ErrForbidden):
				return http.StatusForbidden, err.Error()
			}
			return http.StatusBadRequest, err.Error()
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t, h, map[string]string{}}
}

func picked(system, code string) string {
	return url.Values{"system": {system}, "code": {code}}.Encode()
}

// Codes that are picked become a value set, with the concepts of an expression.
func TestBasket(t *testing.T) {
	b := writing(t, setsWorld(t), http.NotFound)
	w := b.send(http.MethodPost, "/ui/basket", url.Values{"add": {picked(plants, "mint"), picked(plants, "mint"), picked(hostile, `a"><b>`), "none"}, "back": {"valuesets"}})
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "./valuesets" {
		t.Fatalf("status %d, to %q", w.Code, w.Header().Get("Location"))
	}
	page := address("basket", "title", "My <plants>", "id", "mine", "system", plants, "ecl", "<< code#fruit")
	root := b.page(page)
	sound(t, page, root)
	if got := text(one(t, root, "p", "class", "summary")); got != "6 codes (4 by the expression)" {
		t.Errorf("summary %q", got)
	}
	var made struct {
		ResourceType, ID, URL, Title, Status string
		Compose                              struct {
			Include []struct {
				System  string
				Concept []struct{ Code, Display string }
				Filter  []struct{ Property, Op, Value string }
			}
		}
	}
	download, _ := attr(one(t, root, "a", "download", ""), "href")
	if w = b.send(http.MethodGet, "/ui/"+download, nil); w.Code != http.StatusOK || w.Header().Get("Content-Disposition") != `attachment; filename="mine.json"` {
		t.Errorf("download: status %d, %v", w.Code, w.Header())
	}
	if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil {
		t.Fatal(err)
	}
	inc := made.Compose.Include
	if made.URL != "https://example.org/fhir/ValueSet/mine" || made.Title != "My <plants>" || len(inc) != 3 || inc[0].Concept[0].Display != "Mint" || len(inc[0].Concept) != 1 || inc[1].Concept[0].Code != `a"><b>` || inc[2].Filter[0].Value != "<< code#fruit" {
		t.Errorf("value set %+v", made)
	}
	b.send(http.MethodPost, "/ui/basket", url.Values{"remove": {picked(plants, "mint")}})
	if got := text(one(t, b.page("/ui/basket"), "a", "id", "basket-link")); got != "Basket 1" {
		t.Errorf("after one was removed, the basket is %q", got)
	}
	b.send(http.MethodPost, "/ui/basket", url.Values{"clear": {"1"}})
	if got := text(one(t, b.page("/ui/basket"), "a", "id", "basket-link")); got != "Basket" {
		t.Errorf("the empty basket is %q", got)
	}
}

// The basket is bounded, and cookies that were made up are empty baskets.
func TestBasketBounds(t *testing.T) {
	b := writing(t, setsWorld(t), http.NotFound)
	full := false
	for i := range 40 {
		form := url.Values{}
		for j := range 25 {
			form.Add("add", picked(wide, fmt.Sprintf("n%05d-%x", i*25+j, (i*25+j)*7919)))
		}
		if w := b.send(http.MethodPost, "/ui/basket", form); w.Code == http.StatusBadRequest {
			full = true
			break
		}
	}
	if !full {
		t.Error("the basket is never full")
	}
	form := url.Values{}
	for i := range 600 {
		form.Add("add", picked(plants, fmt.Sprint(i)))
	}
	if w := b.send(http.MethodPost, "/ui/basket", form, "HX-Request-Type", "partial"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "full") {
		t.Errorf("a part of the page about a full basket: status %d: %s", w.Code, w.Body)
	}
	for _, value := range []string{"x", "eJw", strings.Repeat("A", 5000), "80jNyclXKM8vyklRBAA"} {
		b.cookies["roget-basket"] = value
		if got := text(one(t, b.page("/ui/basket"), "a", "id", "basket-link")); got != "Basket" {
			t.Errorf("%q: %q", value, got)
		}
	}
	if w := b.send(http.MethodPost, "/ui/basket", url.Values{"back": {strings.Repeat("x", 300<<10)}}); w.Code != http.StatusBadRequest {
		t.Errorf("a long form has status %d", w.Code)
	}
}

// Forms of other servers change nothing.
func TestForeignForms(t *testing.T) {
	stored := 0
	b := writing(t, setsWorld(t), func(http.ResponseWriter, *http.Request) { stored++ })
	for _, test := range []struct {
		header []string
		want   int
	}{
		{[]string{"Sec-Fetch-Site", "cross-site"}, http.StatusForbidden},
		{[]string{"Sec-Fetch-Site", "same-site"}, http.StatusForbidden},
		{[]string{"Origin", "https://evil.example"}, http.StatusForbidden},
		{[]string{"Origin", "null"}, http.StatusForbidden},
		{[]string{"Origin", "https://example.org"}, http.StatusSeeOther},
		{[]string{"Sec-Fetch-Site", "same-origin", "Origin", "https://example.org"}, http.StatusSeeOther},
		{nil, http.StatusSeeOther},
	} {
		if w := b.send(http.MethodPost, "/ui/basket", url.Values{"add": {picked(plants, "mint")}}, test.header...); w.Code != test.want {
			t.Errorf("%v: status %d, want %d", test.header, w.Code, test.want)
		}
		if test.want == http.StatusForbidden {
			b.send(http.MethodPost, "/ui/store", url.Values{"id": {"x"}, "system": {plants}, "ecl": {"*"}}, test.header...)
		}
	}
	if stored != 0 {
		t.Errorf("%d requests for resources", stored)
	}
}

// A value set is stored as the person who looks may store it; another one is replaced only on demand,
// and what the interface says is shown.
func TestStore(t *testing.T) {
	there, refuse, put := false, false, ""
	b := writing(t, setsWorld(t), func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodGet && !there:
			w.WriteHeader(http.StatusNotFound)
		case r.Method == http.MethodPut && refuse:
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"forbidden","diagnostics":"you may <not>"}]}`)
		case r.Method == http.MethodPut:
			body, _ := io.ReadAll(r.Body)
			put = r.URL.Path + " " + string(body)
		}
	})
	form := url.Values{"id": {"mine"}, "system": {plants}, "ecl": {"<< code#tree"}}
	if w := b.send(http.MethodPost, "/ui/store", form); w.Code != http.StatusSeeOther || !strings.HasPrefix(put, `/ValueSet/mine {`) || w.Header().Get("Location") != "valueset?url=https%3A%2F%2Fexample.org%2Ffhir%2FValueSet%2Fmine" {
		t.Errorf("status %d, to %q, put %q", w.Code, w.Header().Get("Location"), put)
	}
	there, put = true, ""
	if w := b.send(http.MethodPost, "/ui/store", form); w.Code != http.StatusConflict || put != "" || !strings.Contains(w.Body.String(), "Tick the box") {
		t.Errorf("one that is there: status %d, put %q", w.Code, put)
	}
	form.Set("replace", "1")
	if w := b.send(http.MethodPost, "/ui/store", form); w.Code != http.StatusSeeOther || put == "" {
		t.Errorf("on demand: status %d, put %q", w.Code, put)
	}
	refuse = true
	if w := b.send(http.MethodPost, "/ui/store", form); w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "you may &lt;not&gt;") {
		t.Errorf("refused: status %d: %s", w.Code, w.Body)
	}
	form.Set("id", "../Patient")
	if w := b.send(http.MethodPost, "/ui/store", form); w.Code != http.StatusBadRequest {
		t.Errorf("an id that is none: status %d", w.Code)
	}
}
