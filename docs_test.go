package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	quoted   = regexp.MustCompile("`([a-z0-9_]+(?:/[A-Za-z0-9_.-]+)+|[a-z0-9_]+\\.(?:go|md))`")
	heading  = regexp.MustCompile(`(?m)^#+ (.+)$`)
	unlinked = regexp.MustCompile("[^a-z0-9 _-]")
)

// documents returns the pages whose references are checked.
func documents(t *testing.T) []string {
	t.Helper()
	pages := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}
	for _, pattern := range []string{"docs/*.md", "docs/decisions/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	return pages
}

// anchors returns the fragments by which links address the headings of a page.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		name := unlinked.ReplaceAllString(strings.ToLower(m[1]), "")
		found[strings.ReplaceAll(name, " ", "-")] = true
	}
	return found
}

// TestLinks checks that every relative link in the documentation leads to a file, and its
// fragment to a heading.
func TestLinks(t *testing.T) {
	checked := 0
	for _, page := range documents(t) {
		text := readText(t, page)
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target, fragment, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, ":") {
				continue
			}
			checked++
			path := page
			if target != "" {
				path = filepath.Join(filepath.Dir(page), filepath.FromSlash(target))
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s: the link %s leads nowhere", page, m[1])
				continue
			}
			if fragment != "" && strings.HasSuffix(path, ".md") && !anchors(readText(t, path))[fragment] {
				t.Errorf("%s: the link %s leads to no heading", page, m[1])
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d links were checked", checked)
	}
}

// TestQuotedPaths checks that the files and packages of ours that the documentation names in
// backquotes exist. Recipes name files that they create, and are left out.
func TestQuotedPaths(t *testing.T) {
	for _, page := range documents(t) {
		if page == filepath.Join("docs", "recipes.md") {
			continue
		}
		for _, m := range quoted.FindAllStringSubmatch(readText(t, page), -1) {
			top, _, nested := strings.Cut(m[1], "/")
			if info, err := os.Stat(top); !nested || err != nil || !info.IsDir() {
				continue // a name without its folder, or nothing of ours
			}
			if found, _ := filepath.Glob(filepath.FromSlash(m[1])); len(found) == 0 {
				t.Errorf("%s names %s, which does not exist", page, m[1])
			}
		}
	}
}
