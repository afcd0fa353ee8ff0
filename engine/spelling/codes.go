package spelling

import (
	"slices"
	"strings"
)

// maxCode is the length of the longest code that may be misspelled, in bytes.
const maxCode = 60

// Codes returns other ways to write a code: with other case, punctuation, or zeros in front.
func Codes(code string) []string {
	var list []string
	add := func(other string) {
		if other != code && other != "" && !slices.Contains(list, other) {
			list = append(list, other)
		}
	}
	if len(code) > maxCode {
		return nil
	}
	upper := strings.ToUpper(code)
	add(upper)
	add(strings.ToLower(code))
	add(strings.Join(strings.Fields(upper), ""))
	plain := strings.ReplaceAll(upper, ".", "")
	add(plain)
	if len(plain) > 3 {
		add(plain[:3] + "." + plain[3:]) // classifications of diseases have a dot there
	}
	add(strings.NewReplacer("_", ":", "-", ":").Replace(upper))
	add(strings.ReplaceAll(upper, ":", "_"))
	add(strings.TrimLeft(code, "0"))
	add(strings.ReplaceAll(strings.ToLower(code), " ", "-"))
	return list
}
