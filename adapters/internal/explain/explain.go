// Package explain makes errors of the operating system readable for users.
package explain

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// File returns an error with the same chain whose text is only the reason of a failed file
// operation: "permission denied" for "open /data/x: permission denied". The caller names the file.
// Errors other than those of package os are returned unchanged.
func File(err error) error {
	var cause error
	switch e := err.(type) { //nolint:errorlint // an error that wraps one of these has a text of its own
	case *fs.PathError:
		cause = e.Err
	case *os.LinkError:
		cause = e.Err
	case *os.SyscallError:
		cause = e.Err
	default:
		return err
	}
	text := cause.Error()
	switch {
	case errors.Is(cause, fs.ErrNotExist):
		text = "does not exist"
	case errors.Is(cause, fs.ErrPermission):
		text = "permission denied"
	case errors.Is(cause, syscall.ENOTDIR):
		text = "not a folder"
	case errors.Is(cause, syscall.EISDIR):
		text = "a folder, not a file"
	}
	return With(text, err)
}

// With returns an error with the chain of err and another text.
func With(text string, err error) error { return &explained{text, err} }

type explained struct {
	text string
	err  error
}

func (e *explained) Error() string { return e.text }

func (e *explained) Unwrap() error { return e.err }
