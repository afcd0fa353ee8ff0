package uiadapter_test

import (
	"net/http"
	"strings"
	"testing"
)

// Two value sets are compared in three lists with exact counts.
func TestCompare(t *testing.T) {
	h := serve(t, setsWorld(t))
	root := opened(t, h, address("compare", "this", trees, "other", woody))
	if got := text(one(t, root, "p", "class", "summary")); got != "Each has codes that the other lacks." {
		t.Errorf("relation %q", got)
	}
	tabs := texts(all(one(t, root, "nav", "class", "tabs"), "a"))
	if want := "Only in the one 1|In both 3|Only in the other 1"; strings.Join(tabs, "|") != want {
		t.Errorf("lists %q, want %q", tabs, want)
	}
	for part, want := range map[string]string{"this": "dwarf", "other": "mint", "common": "tree apple pear"} {
		status, root := open(t, h, address("compare", "this", trees, "other", woody, "part", part), true)
		if status != http.StatusOK {
			t.Fatalf("status %d", status)
		}
		table := text(one(t, root, "table", "class", "codes"))
		for code := range strings.FieldsSeq(want) {
			if !strings.Contains(table, code+" ") {
				t.Errorf("%s: %q lacks %s", part, table, code)
			}
		}
	}
	root = opened(t, h, address("compare", "this", trees, "other", trees))
	if got := text(one(t, root, "p", "class", "summary")); got != "Both have the same codes." {
		t.Errorf("relation %q", got)
	}
	for _, page := range []string{"/ui/compare", address("compare", "this", trees, "other", attacked), address("compare", "this", trees, "other", numbers)} {
		sound(t, page, opened(t, h, page))
	}
	if status, _ := open(t, h, address("compare", "this", trees, "other", broken), false); status < 400 {
		t.Errorf("a value set that cannot be expanded has status %d", status)
	}
}

// The impact of another version is what goes and what comes, also in value sets that are imported.
func TestImpact(t *testing.T) {
	h := serve(t, setsWorld(t))
	root := opened(t, h, address("valueset", "url", "http://example.org/plants?fhir_vs"))
	impact := ""
	for _, a := range all(root, "a", "class", "button") {
		if href, _ := attr(a, "href"); strings.HasPrefix(href, "impact?") {
			impact = href
		}
	}
	root = opened(t, h, "/ui/"+impact)
	if got := text(one(t, root, "p", "class", "summary")); got != "Gone: 1 · New: 0 · Kept: 9" {
		t.Errorf("%s: %q", impact, got)
	}
	if got := text(one(t, root, "table", "class", "codes")); !strings.Contains(got, "rose") {
		t.Errorf("codes that are gone: %q", got)
	}
	sound(t, impact, root)
	root = opened(t, h, address("impact", "url", woody, "system", plants))
	if got := text(one(t, root, "p", "class", "summary")); got != "Both have the same codes." {
		t.Errorf("imported: %q", got)
	}
	if status, _ := open(t, h, address("impact", "url", woody, "system", wide), false); status != http.StatusBadRequest {
		t.Errorf("a code system with one version has status %d", status)
	}
}
