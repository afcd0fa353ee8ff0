package codesystem

import (
	"fmt"
	"regexp"
	"regexp/syntax"
)

// Bounds of the regular expressions in filters, in bytes and in instructions of the compiled
// program, so that an expression from outside takes little memory and little time per value.
// pageOfMatches is how many texts are tried before the context is checked again.
const (
	maxPattern      = 2000
	maxInstructions = 4000
	pageOfMatches   = 256
)

// anchoredRegexp matches whole texts.
type anchoredRegexp struct{ re *regexp.Regexp }

// compileAnchored compiles an RE2 expression that must match a text as a whole.
func compileAnchored(pattern string, foldCase bool) (*anchoredRegexp, error) {
	if len(pattern) > maxPattern {
		return nil, fmt.Errorf("%w: the expression has %d bytes; at most %d are allowed", ErrBadFilterValue, len(pattern), maxPattern)
	}
	flags := syntax.Perl
	if foldCase {
		flags |= syntax.FoldCase
	}
	parsed, err := syntax.Parse(pattern, flags)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBadFilterValue, err)
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBadFilterValue, err)
	}
	if len(prog.Inst) > maxInstructions {
		return nil, fmt.Errorf("%w: expression too complex", ErrBadFilterValue)
	}
	prefix := `\A(?:`
	if foldCase {
		prefix = `(?i)\A(?:`
	}
	re, err := regexp.Compile(prefix + pattern + `)\z`)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBadFilterValue, err)
	}
	re.Longest()
	return &anchoredRegexp{re: re}, nil
}

func (a *anchoredRegexp) match(text string) bool { return a.re.MatchString(text) }
