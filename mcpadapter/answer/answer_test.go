package answer

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain, ünïcode\n\ttext": "plain, ünïcode\n\ttext",
		"a\x00b\x1b[31m\x7f":     "a b [31m ",
		"a\u202eb\u2066c\u200bd": "a b c d",
		"tag\U000e0041":          "tag ",
		"bad\xff":                "bad ",
		"\ufeffbom\u0085":        " bom ",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) is %q, not %q", in, got, want)
		}
	}
	if got := Line(" a\n b\tc "); got != "a b c" {
		t.Errorf("Line: %q", got)
	}
}

func FuzzCut(f *testing.F) {
	f.Add("häuser", 3)
	f.Add("", 0)
	f.Add("日本語", 4)
	f.Fuzz(func(t *testing.T, text string, n int) {
		if n < 0 || n > 1000 || !utf8.ValidString(text) {
			t.Skip()
		}
		got := Cut(text, n)
		if len(got) > max(n, len("…")) || !utf8.ValidString(got) || len(text) <= n && got != text {
			t.Errorf("Cut(%q, %d) is %q", text, n, got)
		}
	})
}

func TestScrub(t *testing.T) {
	type inner struct {
		Text string
		Any  any
	}
	v := struct {
		List   []inner
		Map    map[string]any
		Raw    json.RawMessage
		hidden string
		Number json.Number
	}{
		[]inner{{"a\x07", map[string]any{"k\x07": []any{"v\x07", 1}}}},
		map[string]any{"x\u202e": "y\u202e", "n": nil},
		json.RawMessage(`{"a\u0007":"b\u202e","n":1.50}`), "kept\x07", "1.50",
	}
	scrub(reflect.ValueOf(&v))
	doc, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range string(doc) {
		if hidden(r) {
			t.Errorf("%U in %s", r, doc)
		}
	}
	if strings.Contains(string(doc), `\u0007`) || string(v.Raw) != `{"a ":"b ","n":1.50}` || v.hidden != "kept\x07" {
		t.Errorf("%s, %s", doc, v.Raw)
	}
	if got := scrubJSON([]byte("{")); string(got) != "null" {
		t.Errorf("%s", got)
	}
}

func TestCursor(t *testing.T) {
	type args struct{ A string }
	c := Cursor(42, args{"x"})
	if n, err := Offset(c, args{"x"}); n != 42 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := Offset("", args{"x"}); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	for _, bad := range []string{Cursor(42, args{"y"}), Cursor(-1, args{"x"}), Cursor(1<<40, args{"x"}), "x", "!!", strings.Repeat("A", 1000)} {
		if n, err := Offset(bad, args{"x"}); err == nil {
			t.Errorf("%q is %d", bad, n)
		}
	}
}

// TestFit: as many items as have room, and not one more.
func TestFit(t *testing.T) {
	items := strings.Split(strings.Repeat("item with \"quotes\",", 100), ",")
	with := func(n int) (any, string) { return items[:n], strings.Join(items[:n], "\n") }
	for limit := 0; limit < 8000; limit += 37 {
		n := Fit(len(items), limit, with)
		if value, text := with(n); n > 0 && Size(value, text) > limit {
			t.Fatalf("limit %d: %d items are too many", limit, n)
		}
		if n < len(items) {
			if value, text := with(n + 1); Size(value, text) <= limit {
				t.Fatalf("limit %d: %d items are too few", limit, n)
			}
		}
	}
}
