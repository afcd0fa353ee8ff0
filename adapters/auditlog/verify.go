package auditlog

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/roget-health/roget/access/audit"
)

// maxProblems is how many problems a Report lists.
const maxProblems = 20

// A Report is the result of Verify.
type Report struct {
	Files    int       `json:"files"`
	Lines    int       `json:"lines"`
	First    time.Time `json:"first"`
	Last     time.Time `json:"last"`
	Sum      string    `json:"sum"`                // of the last line
	Problems []string  `json:"problems,omitempty"` // the first of them
	More     int       `json:"more,omitempty"`     // problems that are not listed
	Found    bool      `json:"-"`                  // the expected sum was found
}

func (r *Report) problem(where string, line int, format string, args ...any) {
	if len(r.Problems) == maxProblems {
		r.More++
		return
	}
	r.Problems = append(r.Problems, fmt.Sprintf("%s: line %d: ", where, line)+fmt.Sprintf(format, args...))
}

// Verify compares the sums and numbers of all lines of one log; see Read for the sources. Expected, if
// not "", is the sum that some line must have: one noted earlier shows whether the log was cut off or
// written anew since.
func Verify(ctx context.Context, sources []string, stdin io.Reader, key []byte, expected string) (*Report, error) {
	r := new(Report)
	chain := audit.NewChain(key)
	last := uint64(0)
	file, n := "", 0
	err := Read(ctx, sources, stdin, func(where string, text []byte) error {
		if n++; where != file || n == 1 {
			file, n = where, 1
			r.Files++
		}
		r.Lines++
		line, err := audit.ParseLine(text)
		if err != nil {
			r.problem(where, n, "%v", err)
			return nil
		}
		if line.Event == audit.EventFile {
			if r.continues(chain, where, n, &line, last); n != 1 {
				r.problem(where, n, "the beginning of a file is within one")
			}
		} else if n == 1 {
			r.problem(where, n, "the first line of the file is missing")
		}
		if last != 0 && line.N != last+1 {
			r.problem(where, n, "the line before it has the number %d, and this one %d", last, line.N)
		}
		if !chain.Check(text, &line) {
			r.problem(where, n, "its sum does not fit: this line or the one before it was changed, or the sums have another key")
		}
		if last = line.N; line.Sum == expected {
			r.Found = true
		}
		if r.First.IsZero() {
			r.First = line.Time
		}
		r.Last, r.Sum = line.Time, line.Sum
		return nil
	})
	return r, err
}

// continues checks the first line of a file. The first file that is there may follow others that were
// removed because of their age.
func (r *Report) continues(chain *audit.Chain, where string, n int, line *audit.Line, last uint64) {
	previous, err := audit.ParseSum(line.Previous)
	if err != nil {
		r.problem(where, n, "previous: %v", err)
		return
	}
	if last != 0 && previous != chain.Sum() {
		r.problem(where, n, "it does not follow the last line of the file before it: lines or files between them are missing or were changed")
	}
	chain.Continue(previous)
}
