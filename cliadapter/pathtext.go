package cliadapter

import (
	"errors"
	"io/fs"
	"strings"
)

// A pathText is an error of a file operation, in words for users.
type pathText struct {
	err  error
	text string
}

func (e *pathText) Error() string { return e.text }
func (e *pathText) Unwrap() error { return e.err }

// withoutCall returns an error whose text names the file, but not the system call that failed:
// "x.json: no such file or directory" for "stat x.json: no such file or directory". It returns
// other errors unchanged.
func withoutCall(err error) error {
	failed, ok := errors.AsType[*fs.PathError](err)
	if !ok {
		return err
	}
	path := failed.Path + ": "
	text := strings.Replace(err.Error(), failed.Op+" "+path, path, 1)
	return &pathText{err, strings.Replace(text, path+path, path, 1)}
}
