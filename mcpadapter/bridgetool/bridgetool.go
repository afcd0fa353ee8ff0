// Package bridgetool has one tool that runs commands of the program, for small models that
// cannot cope with many tools. Which commands run is decided by what it is given: see package
// bridge of the terminal. Platform toolkit, section 6.3.
package bridgetool

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/roget-health/roget/mcpadapter/answer"
)

// Run runs a line of arguments with the profile of a name, or the default one for "".
type Run func(ctx context.Context, args []string, profile string) (exit int, stdout, stderr string, err error)

// Tools is the toolset. It is safe for concurrent use.
type Tools struct {
	run      Run
	readOnly bool
}

// New returns the toolset. ReadOnly marks the tool as one that only reads; run must see to it.
func New(run Run, readOnly bool) *Tools { return &Tools{run, readOnly} }

// Name is the name of the toolset.
func (t *Tools) Name() string { return "bridge" }

// Instructions tell an assistant how to use the tool.
func (t *Tools) Instructions() string {
	return "roget_bridge runs roget commands: args is the command line as a list, without the word roget."
}

const (
	// MaxAnswer is the size of the largest answer, in bytes of JSON.
	MaxAnswer = 48_000
	budget    = 46_000
	callTime  = 15 * time.Minute // the bridge has a timeout of its own, which may be set
	maxArgs   = 500
)

// Input is a command line.
type Input struct {
	Args    []string `json:"args" jsonschema:"such as [\"metadata\",\"list\",\"dataElements\",\"--fields\",\"id,name\"]"`
	Profile string   `json:"profile,omitempty" jsonschema:"server and account"`
}

// Output is what came of it.
type Output struct {
	ExitCode  int    `json:"exit_code" jsonschema:"0 success, 1 failure or no, 2 wrong usage, 124 timeout, 126 refused, 127 not found"`
	Stdout    string `json:"stdout"`
	Stderr    string `json:"stderr"`
	Truncated bool   `json:"truncated,omitempty"`
}

// Add registers the tool.
func (t *Tools) Add(s *mcp.Server) error {
	answer.Add(s, answer.Tool{
		Name: "roget_bridge", Title: "Run a roget command",
		Description: "Runs a command of roget. Begin with [\"--help\"], or go straight ahead for counts, lists, get, search, whoami and schema. " +
			"Standard output is JSON when exit_code is 0; otherwise stderr says why. Narrow with --fields, --filter and --count instead of reading everything. " +
			"Commands that write run only if the user asked for the change. Name a profile by profile, never by -p.",
		Reads: t.readOnly, Destroys: true, Remote: true, Limit: MaxAnswer, Timeout: callTime,
	}, t.call)
	return nil
}

func (t *Tools) call(ctx context.Context, in Input) (Output, string, error) {
	if len(in.Args) > maxArgs {
		return Output{}, "", errors.New("args has more than 500 words: run several commands")
	}
	exit, stdout, stderr, err := t.run(ctx, in.Args, in.Profile)
	if err != nil {
		return Output{}, "", err
	}
	out := Output{ExitCode: exit, Stdout: stdout, Stderr: answer.Cut(stderr, 4000)}
	for most := 20_000; answer.Size(out, text(&out)) > budget && most > 100; most /= 2 {
		out.Stdout, out.Truncated = answer.Cut(stdout, most), true
	}
	return out, text(&out), nil
}

// text writes what came of a command for people.
func text(o *Output) string {
	said := fmt.Sprintf("exit code %d\n%s", o.ExitCode, o.Stdout)
	if o.Truncated {
		said += "\n(cut: narrow the command by fields, a filter or a page)"
	}
	if o.Stderr != "" {
		said += "\n" + o.Stderr
	}
	return said
}
