package browse

import (
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/roget-health/roget/cliadapter/command"
)

// A Style is how text is shown. There are no colours.
type Style uint8

// The styles.
const (
	Plain Style = iota
	Bold
	Dim
	Reverse
)

// A Span is text of one style.
type Span struct {
	Text  string
	Style Style
}

// A Line is a line of the screen.
type Line []Span

// maxShown is the number of bytes that are shown of one text. Nobody reads more in a terminal.
const maxShown = 20_000

// clean bounds a text of a code system, and makes it safe for one line.
func clean(text string) string {
	if len(text) > maxShown {
		text = strings.ToValidUTF8(text[:maxShown], "") + "…"
	}
	return command.Printable(text)
}

// span returns a clean text of at most width columns.
func span(text string, style Style, width int) Span {
	return Span{command.Clip(clean(text), width), style}
}

// padded returns a clean text of exactly width columns.
func padded(text string, style Style, width int) Span {
	s := span(text, style, width)
	s.Text += strings.Repeat(" ", max(width-columns(s.Text), 0))
	return s
}

// wrap cleans a text and breaks it into lines of at most width columns: between words, and within a
// word that is longer. Lines after the first begin with an indent.
func wrap(text string, width, indent int) []string {
	var lines []string
	line, used, blank := "", 0, ""
	next := func() {
		lines = append(lines, line)
		line, used = strings.Repeat(" ", indent), indent
	}
	indent = min(indent, max(width-1, 0))
	for word := range strings.SplitSeq(strings.TrimSpace(clean(text)), " ") {
		if word == "" {
			blank += " "
			continue
		}
		if used+len(blank)+columns(word) > width && used > indent {
			next()
			blank = ""
		}
		line, used = line+blank, used+len(blank)
		for clusters := displaywidth.StringGraphemes(word); clusters.Next(); {
			if used+clusters.Width() > width && used > indent {
				next()
			}
			line, used = line+clusters.Value(), used+clusters.Width()
		}
		blank = " "
	}
	if strings.TrimSpace(line) != "" || lines == nil {
		lines = append(lines, line)
	}
	return lines
}

// columns returns the width of a clean text.
func columns(text string) int { return displaywidth.String(text) }

// tail returns the end of a clean text, of at most width columns.
func tail(text string, width int) string {
	excess, start := columns(text)-width, 0
	for clusters := displaywidth.StringGraphemes(text); excess > 0 && clusters.Next(); {
		start += len(clusters.Value())
		excess -= clusters.Width()
	}
	return text[start:]
}
