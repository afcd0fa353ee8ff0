package platform

import (
	"strings"
)

// challenge returns a parameter of WWW-Authenticate headers, or "". RFC 9110, section 11.6.1.
func challenge(headers []string, name string) string {
	for _, header := range headers {
		for rest := header; rest != ""; {
			var word string
			word, rest = token(rest)
			if after, found := strings.CutPrefix(strings.TrimLeft(rest, " \t"), "="); found && word != "" {
				var value string
				value, rest = parameter(strings.TrimLeft(after, " \t"))
				if strings.EqualFold(word, name) {
					return value
				}
			} else if word == "" {
				rest = rest[1:]
			}
		}
	}
	return ""
}

// token splits off a token, which may be the name of a parameter.
func token(text string) (word, rest string) {
	end := strings.IndexAny(text, " \t=,\"")
	if end < 0 {
		end = len(text)
	}
	return text[:end], text[end:]
}

// parameter splits off a value, which is a token or a quoted string.
func parameter(text string) (value, rest string) {
	if !strings.HasPrefix(text, `"`) {
		end := strings.IndexAny(text, " \t,")
		if end < 0 {
			end = len(text)
		}
		return text[:end], text[end:]
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '"':
			return b.String(), text[i+1:]
		case text[i] == '\\' && i+1 < len(text):
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String(), ""
}
