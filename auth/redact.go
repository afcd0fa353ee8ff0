package auth

import (
	"encoding/json"
	"html"
	"net/url"
	"strings"
	"unicode"
)

// Redact masks secrets in a text that a server sent: as they are, and escaped for HTML, URLs and
// JSON.
func Redact(text string, secrets ...string) string {
	for _, value := range secrets {
		if value == "" {
			continue
		}
		quoted, _ := json.Marshal(value)
		inJSON := string(quoted[1 : len(quoted)-1])
		for _, form := range []string{value, html.EscapeString(value), url.QueryEscape(value), url.PathEscape(value), inJSON, strings.ReplaceAll(inJSON, "/", `\/`)} {
			text = strings.ReplaceAll(text, form, mask)
		}
	}
	return text
}

// Printable returns at most limit characters of a text from outside, in one line and without
// control characters, which a terminal would interpret.
func Printable(text string, limit int) string {
	var b strings.Builder
	count := 0
	for _, word := range strings.Fields(text) {
		gap := ""
		if count > 0 {
			gap = " "
		}
		for _, r := range word {
			if !unicode.IsPrint(r) {
				continue
			}
			if count += len(gap) + 1; count > limit {
				return b.String() + "..."
			}
			b.WriteString(gap)
			b.WriteRune(r)
			gap = ""
		}
	}
	return b.String()
}
