package cliadapter

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/roget-health/roget/codesystem/ecl"
)

// caretSpan is how many characters before and after the place an error is about are shown.
const caretSpan = 50

// pointAt shows people the place in an expression constraint that an error is about.
func (inv *invocation) pointAt(err error, expression string) {
	offset := 0
	if syntax, ok := errors.AsType[*ecl.SyntaxError](err); ok {
		offset = syntax.Offset
	} else if evaluation, ok := errors.AsType[*ecl.EvaluationError](err); ok {
		offset = evaluation.Offset
	} else {
		return
	}
	if expression == "" || offset > len(expression) || inv.text("output") == "json" {
		return
	}
	fmt.Fprint(inv.streams.Err, caret(expression, offset))
}

// caret writes the expression, cut to what is around the place, and a mark below it.
func caret(expression string, offset int) string {
	before, after := []rune(printable(expression[:offset])), []rune(printable(expression[offset:]))
	lead, tail := "", ""
	if len(before) > caretSpan {
		before, lead = before[len(before)-caretSpan:], "…"
	}
	if len(after) > caretSpan {
		after, tail = after[:caretSpan], "…"
	}
	line := "  " + lead + string(before)
	return line + string(after) + tail + "\n" + strings.Repeat(" ", utf8.RuneCountInString(line)) + "^\n"
}
