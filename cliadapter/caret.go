package cliadapter

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/codesystem/ecl"
)

// caretSpan is the number of characters shown before and after the position of an error.
const caretSpan = 50

// A pointed error is about an expression constraint on the command line. Its text describes the
// error in the constraint, without the implicit value set that was made from it.
type pointed struct{ err, about error }

func (e *pointed) Error() string { return e.about.Error() }
func (e *pointed) Unwrap() error { return e.err }

// pointAt prints the position of an error in an expression constraint, and returns an error without
// the position. It returns other errors unchanged, and all errors if the command line has no
// expression.
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

// caret writes the expression, cut to the surroundings of the position, with a mark below it.
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
