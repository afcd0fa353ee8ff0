package validate

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/roget-health/roget/resources/document"
)

// activeElements are the HTML elements that a narrative must not contain (txt-1), because they run
// or load something or do not belong into a body.
var activeElements = []string{
	"applet", "base", "body", "button", "embed", "form", "frame", "frameset", "head", "html", "iframe", "input",
	"link", "meta", "object", "script", "select", "style", "textarea",
}

// narrativeRule checks the XHTML of a narrative (https://hl7.org/fhir/R4/narrative.html#xhtml).
// Active content is an error, malformed XML a warning.
func narrativeRule(w *walker, v document.Value) {
	div := v.Get("div")
	if div.Kind() != document.String {
		return
	}
	active, malformed := lookThrough(div.Text())
	if active != "" {
		w.reportAt(Error, CodeInvariant, div, "div", "a narrative must not contain %s", active)
	}
	if malformed != "" && divProblem(div.Text()) == "" { // otherwise divProblem is reported
		w.reportAt(Warning, CodeValue, div, "div", "the narrative is not well-formed: %s", malformed)
	}
}

// lookThrough returns the first active content of XHTML and its first syntax error, "" for none.
func lookThrough(text string) (active, malformed string) {
	var room [16]string
	open := room[:0]
	for active == "" {
		at := strings.IndexByte(text, '<')
		if at < 0 {
			break
		}
		text = text[at:]
		if end, skipped := passOver(text); skipped {
			if end < 0 {
				return active, "a comment or section is not closed"
			}
			text = text[end:]
			continue
		}
		var tag tag
		if tag, text = cutTag(text); tag.malformed != "" {
			malformed = firstOf(malformed, tag.malformed)
		}
		active = firstOf(tag.active, activeElement(tag.name))
		switch n := len(open); {
		case tag.empty || tag.name == "":
		case !tag.closing:
			open = append(open, tag.name)
		case n == 0 || open[n-1] != tag.name:
			malformed = firstOf(malformed, fmt.Sprintf("</%.20s> has no start tag", tag.name))
		default:
			open = open[:n-1]
		}
	}
	if len(open) > 0 && active == "" {
		malformed = firstOf(malformed, fmt.Sprintf("<%.20s> is not closed", open[len(open)-1]))
	}
	return active, malformed
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func activeElement(name string) string {
	if slices.Contains(activeElements, strings.ToLower(name)) {
		return "the element " + strings.ToLower(name)
	}
	return ""
}

// passOver returns the end of a comment, CDATA section, instruction or declaration that a text
// begins with, -1 if it is not closed.
func passOver(text string) (end int, skipped bool) {
	for _, s := range [...][2]string{{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}, {"<!", ">"}} {
		if !strings.HasPrefix(text, s[0]) {
			continue
		}
		at := strings.Index(text[len(s[0]):], s[1])
		if at < 0 {
			return -1, true
		}
		return len(s[0]) + at + len(s[1]), true
	}
	return 0, false
}

// tag is a start tag or an end tag.
type tag struct {
	name              string
	closing, empty    bool
	active, malformed string
}

// cutTag parses the tag that a text begins with.
func cutTag(text string) (t tag, rest string) {
	rest = text[1:]
	if strings.HasPrefix(rest, "/") {
		t.closing, rest = true, rest[1:]
	}
	if t.name, rest = cutName(rest); t.name == "" {
		t.malformed = "'<' without a name"
		return t, rest
	}
	for {
		rest = strings.TrimLeft(rest, " \t\r\n/")
		if rest == "" {
			t.malformed = firstOf(t.malformed, fmt.Sprintf("the tag %.20s is not closed", t.name))
			return t, ""
		}
		if rest[0] == '>' {
			t.empty = strings.HasSuffix(text[:len(text)-len(rest)], "/")
			return t, rest[1:]
		}
		var name, value string
		if name, rest = cutName(rest); name == "" {
			t.malformed = firstOf(t.malformed, fmt.Sprintf("an invalid character in the tag %.20s", t.name))
			rest = rest[1:]
			continue
		}
		var quoted bool
		value, rest, quoted = cutValue(rest)
		if !quoted {
			t.malformed = firstOf(t.malformed, fmt.Sprintf("the value of the attribute %.20s must be in quotes", name))
		}
		t.active = firstOf(t.active, activeAttribute(name, value))
	}
}

// cutName cuts letters, digits, '-', '_', '.' and ':' off the front of a text.
func cutName(text string) (name, rest string) {
	i := 0
	for i < len(text) {
		c := text[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' && c != ':' && c < 0x80 {
			break
		}
		i++
	}
	return text[:i], text[i:]
}

// cutValue cuts the value of an attribute, beginning with '=', off the front of a text.
func cutValue(text string) (value, rest string, quoted bool) {
	rest, found := strings.CutPrefix(strings.TrimLeft(text, " \t\r\n"), "=")
	if !found {
		return "", text, false
	}
	rest = strings.TrimLeft(rest, " \t\r\n")
	if rest == "" || rest[0] != '"' && rest[0] != '\'' {
		end := strings.IndexAny(rest, " \t\r\n>")
		if end < 0 {
			end = len(rest)
		}
		return rest[:end], rest[end:], false
	}
	end := strings.IndexByte(rest[1:], rest[0])
	if end < 0 {
		return rest[1:], "", false
	}
	return rest[1 : end+1], rest[end+2:], true
}

// activeAttribute describes an active attribute, "" for others: an event handler, or a URL that is
// a script.
func activeAttribute(name, value string) string {
	name = strings.ToLower(name)
	if len(name) > 2 && name[:2] == "on" {
		return "the attribute " + name
	}
	if name != "href" && name != "src" && name != "action" && name != "xlink:href" {
		return ""
	}
	scheme := strings.Map(func(r rune) rune { // browsers ignore these characters
		if r <= ' ' {
			return -1
		}
		return r
	}, html.UnescapeString(value[:min(len(value), 200)]))
	if len(scheme) >= 11 && strings.EqualFold(scheme[:11], "javascript:") || len(scheme) >= 9 && strings.EqualFold(scheme[:9], "vbscript:") {
		return "a script in " + name
	}
	return ""
}
