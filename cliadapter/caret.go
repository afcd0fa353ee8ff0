package cliadapter

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/codesystem/ecl"
)

// caretSpan is how many characters before and after the place an error is about are shown.
const caretSpan = 50

// A pointed error is about an expression constraint that was given: its text is what is
// wrong with that, without the value set that the constraint was made.
type pointed struct{ err, about error }

func (e *pointed) Error() string { return e.about.Error() }
func (e *pointed) Unwrap() error { return e.err }

// pointAt shows people the place in an expression constraint that an error is about, and
// gives an error that tells no more than what is wrong there. Any other error, and any
// where no expression was given, stays as it is.
func (inv *invocation) pointAt(err error, expression string) error {
	var about error
	offset := 0
	if syntax, ok := errors.AsType[*ecl.SyntaxError](err); ok {
		offset, about = syntax.Offset, syntax
	} else if evaluation, ok := errors.AsType[*ecl.EvaluationError](err); ok {
		offset, about = evaluation.Offset, evaluation
	} else {
		return err
	}
	if expression == "" || offset > len(expression) || inv.Text("output") == "json" {
		return err
	}
	fmt.Fprint(inv.Err, caret(expression, offset))
	return &pointed{err, about}
}

// caret writes the expression, cut to what is around the place, and a mark below it.
func caret(expression string, offset int) string {
	before, after := []rune(command.Printable(expression[:offset])), []rune(command.Printable(expression[offset:]))
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
