package bridge

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/kballard/go-shellquote"

	"github.com/roget-health/roget/auth/profile"
)

// Exit codes of the bridge itself; others are those of the command. Platform toolkit,
// section 0.4.
const (
	ExitTimeout = 124 // the command took too long and was ended
	ExitRefused = 126 // the bridge refused the line, and no process was started
	ExitMissing = 127 // the program is not found, or cannot be run
)

// Limits of what the bridge takes and returns.
const (
	maxArgs   = 256
	maxBytes  = 128 << 10 // of all arguments together
	maxOutput = 1 << 20   // of each stream
)

// killDelay is how long the streams of a process that was ended are waited for.
const killDelay = 2 * time.Second

// A Result is what became of a line of arguments.
type Result struct {
	ExitCode int    `json:"exit_code" jsonschema:"0: done; 1 and above: it failed or the answer is no; 124: it took too long; 126: refused, nothing ran; 127: the program is missing"`
	Stdout   string `json:"stdout" jsonschema:"JSON where the command has JSON"`
	Stderr   string `json:"stderr" jsonschema:"notes, errors and hints for people"`
}

// Run runs a line of arguments with the profile of a name, or the default profile for "". It
// returns an error only if ctx is done.
func (b *Bridge) Run(ctx context.Context, args []string, profileName string) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	args, err := split(args)
	if err == nil && profileName != "" {
		err = profile.CheckName(profileName)
	}
	if err != nil {
		return refused("%v", err), nil
	}
	verdict := b.Classify(args)
	switch {
	case verdict.Kind == Refused:
		return refused("%s", verdict.Reason), nil
	case verdict.Kind == Write && b.readOnly:
		return refused("%s, and this bridge only reads", verdict.Reason), nil
	case verdict.Kind == Write:
		if host, protected := b.protectedHost(slices.Concat(verdict.Hosts, b.profileHost(profileName))); protected {
			return refused("%s, and %s is protected from changes; %s lists the protected hosts", verdict.Reason, host, ProtectedHostsVariable), nil
		}
	}
	return b.start(ctx, b.argv(args, profileName))
}

// split splits a first argument that holds several words as a shell does, and checks the size
// of the line.
func split(args []string) ([]string, error) {
	if len(args) > 0 && strings.Contains(args[0], " ") {
		words, err := shellquote.Split(args[0])
		if err != nil {
			return nil, fmt.Errorf("the first argument cannot be split into words: %w; write each word as an argument", err)
		}
		args = slices.Concat(words, args[1:])
	}
	size := 0
	for _, arg := range args {
		size += len(arg)
		if strings.Contains(arg, "\x00") {
			return nil, errors.New("an argument contains a zero byte")
		}
	}
	if len(args) > maxArgs || size > maxBytes {
		return nil, fmt.Errorf("%d arguments with %d bytes are too many; at most %d with %d bytes are taken", len(args), size, maxArgs, maxBytes)
	}
	return args, nil
}

// argv is what the program is run with: --json unless it is there, the profile, and the
// arguments.
func (b *Bridge) argv(args []string, profileName string) []string {
	var argv []string
	if line, err := b.config.Tree().Read(args); err != nil || line.Flags["json"] == "" {
		argv = append(argv, "--json")
	}
	if profileName != "" {
		argv = append(argv, "-p", profileName)
	}
	return append(argv, args...)
}

// refused is the result of a line that is not run.
func refused(format string, values ...any) Result {
	return Result{ExitCode: ExitRefused, Stderr: "refused: " + fmt.Sprintf(format, values...) + "\n"}
}

// start runs the program to its end, or ends it with all its children.
func (b *Bridge) start(ctx context.Context, argv []string) (Result, error) {
	path, err := b.binary()
	if err != nil {
		return Result{ExitCode: ExitMissing, Stderr: err.Error() + "\n"}, nil
	}
	limited, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	var out, errs limitedBuffer
	cmd := exec.CommandContext(limited, path, argv...) //nolint:gosec // the operator chooses the program
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &errs, killDelay
	inGroup(cmd)
	if err := cmd.Start(); err != nil {
		return Result{ExitCode: ExitMissing, Stderr: fmt.Sprintf("cannot run %s: %v; set %s to the path of the program\n", path, errors.Unwrap(err), BinaryVariable)}, nil
	}
	err = cmd.Wait()
	result := Result{Stdout: out.text(), Stderr: errs.text()}
	exit, ended := errors.AsType[*exec.ExitError](err)
	switch {
	case ctx.Err() != nil:
		return Result{}, ctx.Err()
	case limited.Err() != nil:
		result.ExitCode = ExitTimeout
		result.Stderr += fmt.Sprintf("ended after %v; ask for less, or raise %s (seconds)\n", b.timeout, TimeoutVariable)
	case ended:
		result.ExitCode = cmp.Or(max(exit.ExitCode(), 0), 1)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return Result{ExitCode: ExitMissing, Stderr: err.Error() + "\n"}, nil
	default:
		result.Stdout = compact(result.Stdout)
	}
	return result, nil
}

// compact writes JSON without white space, and leaves all other text as it is.
func compact(text string) string {
	var out bytes.Buffer
	if json.Compact(&out, []byte(text)) != nil {
		return text
	}
	return out.String()
}

// A limitedBuffer keeps the first maxOutput bytes that are written to it.
type limitedBuffer struct {
	kept    bytes.Buffer // not embedded: its ReadFrom has no limit
	dropped int
}

// Write never fails, so that the process is not ended by a full pipe.
func (l *limitedBuffer) Write(p []byte) (int, error) {
	room := min(max(maxOutput-l.kept.Len(), 0), len(p))
	l.kept.Write(p[:room])
	l.dropped += len(p) - room
	return len(p), nil
}

func (l *limitedBuffer) text() string {
	text := strings.ToValidUTF8(l.kept.String(), "�")
	if l.dropped > 0 {
		text += fmt.Sprintf("\n... and %d bytes more; ask for less, for example with fewer fields or a filter\n", l.dropped)
	}
	return text
}
