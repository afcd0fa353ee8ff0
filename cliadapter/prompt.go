package cliadapter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/engine/operation"
)

// maxAnswer is how long an answer to a question may be, in bytes.
const maxAnswer = 64 << 10

// yesOption lets a command do what it otherwise asks about.
func yesOption() *option {
	return &option{names: []string{"yes", "y"}, usage: "Do it without asking."}
}

// notice writes a line to standard error, where what is no answer goes.
func (inv *invocation) notice(format string, args ...any) {
	fmt.Fprintln(inv.streams.Err, printable(operation.Shorten(fmt.Sprintf(format, args...))))
}

// confirm asks before something is done that cannot be undone, unless --yes is given. No
// is an error, and so is that there is nobody to ask.
func (inv *invocation) confirm(question string) error {
	if inv.is("yes") {
		return nil
	}
	if !inv.streams.InTerminal {
		return fmt.Errorf("%s There is no terminal to answer at; give --yes", question)
	}
	answer, err := inv.line(question + " [y/N]")
	if err != nil {
		return err
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return errors.New("not confirmed, nothing was done")
}

// secret returns a credential: of the environment variable, else what the user types at a
// prompt that shows nothing. Credentials are never flags, which others on the machine can
// see. Platform toolkit, section 3.
func (inv *invocation) secret(env, prompt string) (auth.Secret, error) {
	if value := inv.cli.config.Getenv(env); value != "" {
		return auth.NewSecret(value), nil
	}
	if !inv.streams.InTerminal || inv.streams.ReadSecret == nil {
		return auth.Secret{}, fmt.Errorf("%s: there is no terminal to ask at; set %s", prompt, env)
	}
	value, err := inv.hidden(prompt)
	if err == nil && value.IsZero() {
		err = fmt.Errorf("%s: nothing was entered", prompt)
	}
	return value, err
}

// hidden asks for a secret at the terminal, which may be left empty.
func (inv *invocation) hidden(prompt string) (auth.Secret, error) {
	fmt.Fprint(inv.streams.Err, printable(prompt)+": ")
	value, err := inv.streams.ReadSecret(inv.ctx)
	fmt.Fprintln(inv.streams.Err)
	if err != nil {
		return auth.Secret{}, fmt.Errorf("%s: %w", prompt, err)
	}
	return auth.NewSecret(string(value)), nil
}

// line asks for a line of text.
func (inv *invocation) line(question string) (string, error) {
	fmt.Fprint(inv.streams.Err, printable(question)+" ")
	type answer struct {
		text string
		err  error
	}
	read := make(chan answer, 1)
	go func() {
		text, err := readLine(inv.streams.In)
		read <- answer{text, err}
	}()
	select {
	case a := <-read:
		return a.text, a.err
	case <-inv.ctx.Done():
		fmt.Fprintln(inv.streams.Err)
		return "", context.Cause(inv.ctx)
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
	return "", fmt.Errorf("the answer is longer than %d bytes", maxAnswer)
}
