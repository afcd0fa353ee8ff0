package uiadapter_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestCrawl follows the links from the first page, and from those that the first page does not lead
// to. Every page is there, and safe and sound.
func TestCrawl(t *testing.T) {
	h := serve(t, world(t))
	seen := map[string]bool{}
	queue := []string{
		"/ui/", "/ui/tree", address("tree", "in", "fhir"), address("", "q", "apple"), address("", "q", "aple"), address("", "system", hostile), address("", "q", "Number", "system", wide),
		address("tree", "system", hostile, "code", "emoji"), address("tree", "system", wide, "code", "n00600"), address("uses", "system", plants, "code", "apple"),
		address("uses", "system", hostile, "code", "long"), address("concept", "system", sct, "code", "200"), address("tree", "system", sct, "code", "300"),
	}
	const most = 250
	for len(queue) > 0 && len(seen) < most {
		next := queue[0]
		queue = queue[1:]
		if seen[next] {
			continue
		}
		seen[next] = true
		status, root := open(t, h, next, false)
		if status != http.StatusOK {
			t.Errorf("%s: status %d: %s", next, status, text(root))
			continue
		}
		sound(t, next, root)
		base, err := url.Parse("http://x" + next)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range all(root, "a", "href", "") {
			href, _ := attr(a, "href")
			to, err := base.Parse(href)
			if err != nil {
				t.Errorf("%s: link %q: %v", next, href, err)
				continue
			}
			switch {
			case to.Scheme != "http" && to.Scheme != "https":
				t.Errorf("%s: link %q", next, href)
			case to.Host == "x" && strings.HasPrefix(href, "#"):
			case to.Host == "x" && strings.HasPrefix(href, "../"): // the FHIR interface
			case to.Host == "x" && !strings.HasPrefix(to.Path, "/ui/"):
				t.Errorf("%s: link %q leads out of the pages", next, href)
			case to.Host == "x":
				queue = append(queue, to.RequestURI())
			}
		}
	}
	if len(seen) < 150 {
		t.Errorf("%d pages, want 150 at least", len(seen))
	}
}

// sound requires of a page that nothing in it runs or looks but what the server means, and that
// people who do not see it find their way.
func sound(t *testing.T, at string, root *html.Node) {
	t.Helper()
	ids := map[string]bool{}
	labels := map[string]bool{}
	for _, label := range all(root, "label", "for", "") {
		id, _ := attr(label, "for")
		labels[id] = true
	}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || (a.Key == "href" || a.Key == "src") && strings.HasPrefix(strings.ToLower(a.Val), "javascript:") {
				t.Errorf("%s: <%s %s=%.60q>", at, n.Data, a.Key, a.Val)
			}
		}
		if id, has := attr(n, "id"); has {
			if ids[id] || id == "" || strings.ContainsAny(id, " \t\n") {
				t.Errorf("%s: id %q is there twice or is none", at, id)
			}
			ids[id] = true
		}
		switch n.Data {
		case "img", "iframe", "object", "embed", "style", "b", "i":
			t.Errorf("%s: <%s>", at, n.Data)
		case "script":
			if src, _ := attr(n, "src"); !strings.HasPrefix(src, "assets/") {
				t.Errorf("%s: script %q", at, src)
			}
		case "input", "select", "textarea":
			id, _ := attr(n, "id")
			name, _ := attr(n, "aria-label")
			if kind, _ := attr(n, "type"); kind != "hidden" && name == "" && !labels[id] && !inside(n, "label") {
				t.Errorf("%s: a field without a label: %v", at, n.Attr)
			}
		}
	}
	for _, name := range []string{"aria-owns", "aria-labelledby", "aria-describedby", "form"} {
		for _, n := range all(root, "", name, "") {
			if id, _ := attr(n, name); !ids[id] {
				t.Errorf("%s: %s names %q, which does not exist", at, name, id)
			}
		}
	}
	if list := all(root, "h1"); len(list) != 1 {
		t.Errorf("%s: %d headings of the first level: %q", at, len(list), texts(list))
	}
	title := text(one(t, one(t, root, "head"), "title"))
	if title == "" || len([]rune(title)) > 200 || strings.ContainsAny(title, "\u202e\u2067\u202c") {
		t.Errorf("%s: title %q", at, title)
	}
}

// inside reports whether a node is in an element.
func inside(n *html.Node, element string) bool {
	for n = n.Parent; n != nil; n = n.Parent {
		if n.Data == element {
			return true
		}
	}
	return false
}

// Hostile texts are there as texts.
func TestHostile(t *testing.T) {
	h := serve(t, world(t))
	for _, page := range []string{
		address("concept", "system", hostile, "code", `a"><b>`), address("tree", "system", hostile, "code", `a"><b>`), address("", "system", hostile),
		address("concept", "system", hostile, "code", "javascript:alert(4)"), address("uses", "system", hostile, "code", `a"><b>`),
	} {
		if root := opened(t, h, page); !strings.Contains(text(root), attack) {
			t.Errorf("%s lacks the text %s: %.500s", page, attack, text(root))
		}
	}
	root := opened(t, h, address("concept", "system", hostile, "code", "long"))
	if details := all(one(t, root, "h1"), "details"); len(details) != 1 || len(text(details[0])) < 100_000 {
		t.Error("a long display cannot be read in full")
	}
	if list := text(opened(t, h, address("", "system", hostile))); len(list) > 10_000 {
		t.Errorf("a list has %d bytes", len(list))
	}
}
