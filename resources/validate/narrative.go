package validate

import (
	"cmp"
	"fmt"
	"html"
	"strings"

	"github.com/roget-health/roget/resources/document"
)

// htmlElements are the elements that a narrative may contain, and htmlAttributes their attributes
// (txt-1): those of HTML 4.0, chapters 7 to 11 and 15, without what runs or loads something.
const (
	htmlElements = " p br div h1 h2 h3 h4 h5 h6 a span b em i strong small big tt dfn q var abbr acronym cite blockquote hr address" +
		" bdo kbd sub sup ul ol li dl dt dd pre table caption colgroup col thead tr tfoot tbody th td code samp img map area "
	htmlAttributes = " title style class id lang xml:lang xml:space dir accesskey tabindex span width align valign char charoff abbr" +
		" axis headers scope rowspan colspan a.href a.name a.charset a.type a.hreflang a.rel a.rev a.shape a.coords img.src img.border" +
		" img.alt img.longdesc img.height img.usemap img.ismap blockquote.cite q.cite map.name area.shape area.coords area.href" +
		" area.nohref area.alt table.summary table.border table.frame table.rules table.cellspacing table.cellpadding pre.space td.nowrap "
)

// narrativeRule checks the XHTML of a narrative (https://hl7.org/fhir/R4/narrative.html#xhtml).
func narrativeRule(w *walker, v document.Value) {
	div := v.Get("div")
	if div.Kind() != document.String || divProblem(div.Text()) != "" { // which is reported
		return
	}
	refused, malformed, empty := lookThrough(div.Text())
	switch {
	case refused != "":
		w.reportAt(Error, CodeInvariant, div, "div", "txt-1: a narrative must not contain %s", refused)
	case malformed != "":
		w.reportAt(Error, CodeInvariant, div, "div", "txt-1: the narrative is not well-formed: %s", malformed)
	case empty:
		w.reportAt(Error, CodeInvariant, div, "div", "txt-2: a narrative must have some text or an image")
	}
}

// lookThrough returns the first content of XHTML that a narrative must not have, its first syntax
// error, "" for none, and whether it has neither text nor images.
func lookThrough(text string) (refused, malformed string, empty bool) {
	var room [16]string
	open := room[:0]
	empty = true
	for refused == "" {
		at := strings.IndexByte(text, '<')
		if at < 0 {
			break
		}
		empty = empty && strings.TrimSpace(text[:at]) == ""
		text = text[at:]
		if end, skipped := passOver(text); skipped {
			if end < 0 {
				return refused, "a comment or section is not closed", empty
			}
			empty = empty && !strings.HasPrefix(text, "<![CDATA[")
			text = text[end:]
			continue
		}
		var tag tag
		if tag, text = cutTag(text); tag.malformed != "" {
			malformed = cmp.Or(malformed, tag.malformed)
		}
		refused = tag.refused
		empty = empty && tag.name != "img"
		switch n := len(open); {
		case tag.empty || tag.name == "":
		case !tag.closing:
			open = append(open, tag.name)
		case n == 0 || open[n-1] != tag.name:
			malformed = cmp.Or(malformed, fmt.Sprintf("</%.20s> has no start tag", tag.name))
		default:
			open = open[:n-1]
		}
	}
	if len(open) > 0 && refused == "" {
		malformed = cmp.Or(malformed, fmt.Sprintf("<%.20s> is not closed", open[len(open)-1]))
	}
	return refused, malformed, empty
}

// hasWord reports whether a list of words between spaces has a word.
func hasWord(list, word string) bool {
	for len(list) > 1 {
		at := strings.IndexByte(list[1:], ' ')
		if list[1:1+at] == word {
			return true
		}
		list = list[1+at:]
	}
	return false
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
	name               string
	closing, empty     bool
	refused, malformed string
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
	if !hasWord(htmlElements, t.name) {
		t.refused = fmt.Sprintf("the element %.20s", t.name)
	}
	for {
		rest = strings.TrimLeft(rest, " \t\r\n/")
		if rest == "" {
			t.malformed = cmp.Or(t.malformed, fmt.Sprintf("the tag %.20s is not closed", t.name))
			return t, ""
		}
		if rest[0] == '>' {
			t.empty = strings.HasSuffix(text[:len(text)-len(rest)], "/")
			return t, rest[1:]
		}
		var name, value string
		if name, rest = cutName(rest); name == "" {
			t.malformed = cmp.Or(t.malformed, fmt.Sprintf("an invalid character in the tag %.20s", t.name))
			rest = rest[1:]
			continue
		}
		var quoted bool
		value, rest, quoted = cutValue(rest)
		if !quoted {
			t.malformed = cmp.Or(t.malformed, fmt.Sprintf("the value of the attribute %.20s must be in quotes", name))
		}
		t.refused = cmp.Or(t.refused, refusedAttribute(t.name, name, value))
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

// refusedAttribute describes an attribute that a narrative must not have, "" for others: one that is
// not listed, or a URL that is a script.
func refusedAttribute(element, name, value string) string {
	if !strings.HasPrefix(name, "xmlns") && !hasWord(htmlAttributes, name) && !hasWord(htmlAttributes, element+"."+name) {
		return fmt.Sprintf("the attribute %.20s of %s", name, element)
	}
	if name != "href" && name != "src" {
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
