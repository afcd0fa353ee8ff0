package uiadapter

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/base"
)

// newTestHandler returns a handler of the built-in terminology, whose FHIR interface has nothing.
func newTestHandler(t testing.TB, change func(*Config)) *Handler {
	t.Helper()
	eng := engine.New()
	if err := eng.Publish(base.Entries()...); err != nil {
		t.Fatal(err)
	}
	config := Config{
		Engine:  eng,
		FHIR:    http.NotFoundHandler(),
		Address: func(*http.Request) string { return "https://example.org" },
		Explain: func(err error) (int, string) { return http.StatusBadRequest, err.Error() },
		Stored:  true,
	}
	if change != nil {
		change(&config)
	}
	h, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// get returns the response of a page.
func get(t *testing.T, h http.Handler, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

var usedKey = regexp.MustCompile(`\bT\(?\s*"([a-z]+(?:\.[A-Za-z.]+)+)"`)

// TestTexts requires that every text that is used exists, in all languages.
func TestTexts(t *testing.T) {
	all, err := readTexts()
	if err != nil {
		t.Fatal(err)
	}
	for key, text := range all.byKey {
		for _, lang := range languages {
			if text[lang] == "" {
				t.Errorf("%s has no text in %s", key, lang)
			}
			if strings.Count(text[lang], "%") != strings.Count(text["en"], "%") {
				t.Errorf("%s: the text in %s has other arguments than that in en", key, lang)
			}
		}
		if len(text) != len(languages) {
			t.Errorf("%s has %d languages, want %d", key, len(text), len(languages))
		}
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	templates, err := filepath.Glob("templates/*.html")
	if err != nil {
		t.Fatal(err)
	}
	used := 0
	for _, file := range append(files, templates...) {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range usedKey.FindAllStringSubmatch(string(content), -1) {
			if strings.HasSuffix(m[1], ".") { // the beginning of a key
				continue
			}
			used++
			if all.byKey[m[1]] == nil {
				t.Errorf("%s uses the text %s, which does not exist", file, m[1])
			}
		}
	}
	if used < 20 {
		t.Errorf("found %d uses of texts: the pattern of this test is out of date", used)
	}
	for _, room := range rooms() {
		if room.link != "" && all.byKey[room.name+".nav"] == nil {
			t.Errorf("the room %s has no entry for the navigation", room.name)
		}
	}
}

// TestFrame requires of every page that opens without parameters what the content security policy and
// people with assistive technology rely on.
func TestFrame(t *testing.T) {
	h := newTestHandler(t, nil)
	for _, room := range h.rooms {
		for pattern := range room.routes {
			path, found := strings.CutPrefix(pattern, "GET ")
			if !found {
				continue
			}
			t.Run(path, func(t *testing.T) {
				w := get(t, h, strings.TrimSuffix(path, "{$}"))
				if w.Code >= http.StatusInternalServerError {
					t.Fatalf("status %d: %s", w.Code, w.Body)
				}
				if policy := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
					t.Errorf("policy %q", policy)
				}
				if w.Header().Get("Content-Type") == "text/html; charset=utf-8" {
					checkPage(t, h, w.Body.String())
				}
			})
		}
	}
}

// checkPage parses a page and checks its structure.
func checkPage(t *testing.T, h *Handler, page string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	ids, headings := map[string]bool{}, 0
	labels := map[string]bool{}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == "label" {
			labels[attribute(n, "for")] = true
		}
	}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Val)), "javascript:") {
				t.Errorf("<%s %s=%q> is refused by the policy", n.Data, a.Key, a.Val)
			}
		}
		if id := attribute(n, "id"); id != "" {
			if ids[id] {
				t.Errorf("the id %s is there twice", id)
			}
			ids[id] = true
		}
		switch n.Data {
		case "h1":
			headings++
		case "style":
			t.Error("a style element is refused by the policy")
		case "script":
			if attribute(n, "src") == "" {
				t.Error("a script in the page is refused by the policy")
			}
		case "input", "select", "textarea":
			if attribute(n, "type") != "hidden" && attribute(n, "aria-label") == "" && attribute(n, "aria-labelledby") == "" &&
				!labels[attribute(n, "id")] && !within(n, "label") {
				t.Errorf("<%s name=%q> has no label", n.Data, attribute(n, "name"))
			}
		case "a":
			checkLink(t, h, attribute(n, "href"))
		}
	}
	if headings != 1 {
		t.Errorf("the page has %d headings of the first level, want 1", headings)
	}
}

// checkLink requires that a link leads to a page of the server or out of the pages.
func checkLink(t *testing.T, h *Handler, href string) {
	t.Helper()
	path, _, _ := strings.Cut(href, "?")
	if strings.HasPrefix(path, "#") || strings.HasPrefix(path, "../") || strings.Contains(path, "://") {
		return
	}
	r := httptest.NewRequest(http.MethodGet, "/ui/"+strings.TrimPrefix(path, "./"), http.NoBody)
	if _, pattern := h.mux.Handler(r); pattern == "/ui/" || pattern == "" {
		t.Errorf("the link %q leads nowhere", href)
	}
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func within(n *html.Node, element string) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.Type == html.ElementNode && p.Data == element {
			return true
		}
	}
	return false
}

// TestSettings requires that choices are kept in cookies, and that nothing else is.
func TestSettings(t *testing.T) {
	h := newTestHandler(t, nil)
	form := "language=de&displays=pt-BR&theme=dark&direction=%3Cscript%3E&back=server%3Fq%3Dx"
	r := httptest.NewRequest(http.MethodPost, "/ui/settings", strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "./server?q=x" {
		t.Fatalf("status %d, to %q", w.Code, w.Header().Get("Location"))
	}
	var cookies []string
	for _, c := range w.Result().Cookies() {
		if c.MaxAge > 0 {
			cookies = append(cookies, c.Name+"="+c.Value)
		}
	}
	page := get(t, h, "/ui/server", "Cookie", strings.Join(cookies, "; ")).Body.String()
	for _, want := range []string{`<html lang="de" dir="ltr" data-theme="dark">`, `value="pt-BR"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// TestOwnPage refuses to lead people to other servers.
func TestOwnPage(t *testing.T) {
	for address, want := range map[string]string{
		"":                        "./",
		"concept?code=a&system=s": "./concept?code=a&system=s",
		"https://evil.example":    "./",
		"//evil.example/x":        "./",
		`\\evil.example`:          "./",
		"javascript:alert(1)":     "./",
		"../metadata":             "./",
		"a b":                     "./a%20b",
		"./concept?code=a":        "./concept?code=a",
		"./../metadata":           "./",
		".//evil.example":         "./",
	} {
		if got := ownPage(address); got != want {
			t.Errorf("ownPage(%q) = %q, want %q", address, got, want)
		}
	}
}
