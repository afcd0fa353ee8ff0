package main

import (
	"context"
	"os"

	"golang.org/x/term"
)

// readSecret reads a line from the terminal without showing it. When ctx ends first, the
// terminal shows again what is typed.
func readSecret(ctx context.Context) ([]byte, error) {
	terminal := int(os.Stdin.Fd())
	before, err := term.GetState(terminal)
	if err != nil {
		return nil, err
	}
	type line struct {
		text []byte
		err  error
	}
	read := make(chan line, 1)
	go func() {
		text, err := term.ReadPassword(terminal)
		read <- line{text, err}
	}()
	select {
	case got := <-read:
		return got.text, got.err
	case <-ctx.Done():
		_ = term.Restore(terminal, before) // the process ends in any case
		return nil, ctx.Err()
	}
}
