package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/engine/operation"
)

// maxAnswer is how long an answer to a question may be, in bytes.
const maxAnswer = 64 << 10

// YesFlag lets a command do what it otherwise asks about.
func YesFlag() cli.Flag {
	return &cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "Skip the confirmation."}
}

// Notice writes a line to standard error, where what is no answer goes.
func (inv *Invocation) Notice(format string, args ...any) {
	fmt.Fprintln(inv.Err, Printable(operation.Shorten(fmt.Sprintf(format, args...))))
}

// Confirm asks before something is done that cannot be undone, unless --yes is given. No
// is an error, and so is that there is nobody to ask.
func (inv *Invocation) Confirm(question string) error {
	if inv.Is("yes") {
		return nil
	}
	if !inv.InTerminal {
		return fmt.Errorf("%s There is no terminal to answer at; give --yes", question)
	}
	answer, err := inv.Line(question + " [y/N]")
	if err != nil {
		return err
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return errors.New("not confirmed, nothing was done")
}

// Secret returns a credential: of the environment variable, else what the user types at a
// prompt that shows nothing. Credentials are never flags, which others on the machine can
// see. Platform toolkit, section 3.
func (inv *Invocation) Secret(env, prompt string) (auth.Secret, error) {
	if value := inv.Getenv(env); value != "" {
		return auth.NewSecret(value), nil
	}
	if !inv.InTerminal || inv.ReadSecret == nil {
		return auth.Secret{}, fmt.Errorf("%s: there is no terminal to ask at; set %s", prompt, env)
	}
	value, err := inv.Hidden(prompt)
	if err == nil && value.IsZero() {
		err = fmt.Errorf("%s: nothing was entered", prompt)
	}
	return value, err
}

// Hidden asks for a secret at the terminal, which may be left empty.
func (inv *Invocation) Hidden(prompt string) (auth.Secret, error) {
	fmt.Fprint(inv.Err, Printable(prompt)+": ")
	value, err := inv.ReadSecret(inv.Parsed.Context)
	fmt.Fprintln(inv.Err)
	if err != nil {
		return auth.Secret{}, fmt.Errorf("%s: %w", prompt, err)
	}
	return auth.NewSecret(string(value)), nil
}

// Line asks for a line of text.
func (inv *Invocation) Line(question string) (string, error) {
	fmt.Fprint(inv.Err, Printable(question)+" ")
	type answer struct {
		text string
		err  error
	}
	read := make(chan answer, 1)
	go func() {
		text, err := readLine(inv.In)
		read <- answer{text, err}
	}()
	select {
	case a := <-read:
		return a.text, a.err
	case <-inv.Parsed.Done():
		fmt.Fprintln(inv.Err)
		return "", context.Cause(inv.Parsed.Context)
	}
}

// readLine reads up to the end of a line and not beyond.
func readLine(r io.Reader) (string, error) {
	var line []byte
	var one [1]byte
	for len(line) < maxAnswer {
		n, err := r.Read(one[:])
		switch {
		case n == 1 && one[0] == '\n':
			return strings.TrimSuffix(string(line), "\r"), nil
		case n == 1:
			line = append(line, one[0])
		case errors.Is(err, io.EOF) && len(line) > 0:
			return string(line), nil
		case errors.Is(err, io.EOF):
			return "", errors.New("standard input ended before an answer")
		case err != nil:
			return "", err
		}
	}
	return "", fmt.Errorf("the input is longer than %d bytes", maxAnswer)
}

// A Status is a line on the terminal about work that goes on; the next one takes its place.
type Status struct {
	W    io.Writer
	Text string // what is shown
}

// Status returns the line for an invocation; without a terminal nothing is shown.
func (inv *Invocation) Status() *Status {
	if !inv.ErrTerminal || inv.Is("quiet") {
		return &Status{W: io.Discard}
	}
	return &Status{W: inv.Err}
}

// Tell shows a text in the place of the one before.
func (s *Status) Tell(text string) {
	if s.Text != text {
		s.Clear()
		s.Text = text
		fmt.Fprint(s.W, text)
	}
}

// Clear removes the text.
func (s *Status) Clear() {
	if s.Text != "" {
		fmt.Fprint(s.W, "\r"+strings.Repeat(" ", utf8.RuneCountInString(s.Text))+"\r")
		s.Text = ""
	}
}
