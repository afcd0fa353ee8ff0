package uiadapter

import (
	"net/http"
	"strings"
	"testing"
	"unicode/utf16"
)

// FuzzTyped requires that the words before the caret are the end of the text, so that a completion takes
// the place of nothing else.
func FuzzTyped(f *testing.F) {
	for _, text := range []string{"", "<< fem", "a AND b", "<< 1 : x = 𝒳y", "|a", "a or ", "\x80 and \xff", "İ AND x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words, _, ok := typed(text)
		if !strings.HasSuffix(text, words) {
			t.Fatalf("typed(%q) = %q", text, words)
		}
		if !ok && words != "" {
			t.Fatalf("typed(%q) = %q where nothing can be completed", text, words)
		}
		if got, want := utf16Len(words), len(utf16.Encode([]rune(words))); got != want {
			t.Fatalf("utf16Len(%q) = %d, want %d", words, got, want)
		}
	})
}

// FuzzBasket requires that a cookie is read as a basket within its bounds, and that what is read can be
// kept or is refused.
func FuzzBasket(f *testing.F) {
	value, err := packed(with(with(nil, "http://a", "1"), "http://b", "\xff\u202e"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(value)
	f.Add("AAAA")
	f.Add("")
	f.Fuzz(func(t *testing.T, value string) {
		r := &http.Request{Header: http.Header{"Cookie": {cookieBasket + "=" + value}}}
		list := basketOf(r)
		if n := countPicks(list); n > maxPicked {
			t.Fatalf("%d codes", n)
		}
		again, err := packed(list)
		if err != nil {
			return
		}
		r.Header.Set("Cookie", cookieBasket+"="+again)
		if countPicks(basketOf(r)) != countPicks(list) {
			t.Fatalf("%q: a basket of %d codes is read as %d", value, countPicks(list), countPicks(basketOf(r)))
		}
	})
}
