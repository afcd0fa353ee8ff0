package cliadapter

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"
)

func TestWithoutCall(t *testing.T) {
	failed := &fs.PathError{Op: "stat", Path: "a/b.json", Err: fs.ErrNotExist}
	for want, err := range map[string]error{
		"a/b.json: file does not exist":       failed,
		"load: a/b.json: file does not exist": fmt.Errorf("load: %w", failed),
		"a/b.json: file does not exist, sad":  fmt.Errorf("a/b.json: %w, sad", failed),
		"something else":                      errors.New("something else"),
	} {
		got := withoutCall(err)
		if got.Error() != want || !errors.Is(got, err) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
