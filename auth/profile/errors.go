package profile

import (
	"fmt"
	"strings"
)

// Error is any error about which profile is meant. Platform toolkit, section 2.5.
type Error interface {
	error
	ProfileError()
}

type mark struct{}

// ProfileError marks an error as one about profiles.
func (mark) ProfileError() {}

// NoProfileError reports whether nothing says which platform to use.
type NoProfileError struct{ mark }

func (*NoProfileError) Error() string { return "no profile is chosen" }

// Hint says what to do.
func (*NoProfileError) Hint() string {
	return "create a profile with `profile add`, or set PLATFORM_URL with PLATFORM_PAT, or with PLATFORM_USERNAME and PLATFORM_PASSWORD"
}

// UnknownProfileError reports whether there is no profile of a name.
type UnknownProfileError struct {
	mark
	Name  string
	Known []string // sorted
}

func (e *UnknownProfileError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("there is no profile %q, nor any other", e.Name)
	}
	return fmt.Sprintf("there is no profile %q; there are: %s", e.Name, strings.Join(e.Known, ", "))
}

// InvalidNameError reports whether a profile cannot have a name.
type InvalidNameError struct {
	mark
	Name string
}

func (e *InvalidNameError) Error() string {
	return fmt.Sprintf("%q cannot be the name of a profile: a letter, then letters, digits and _, at most %d characters", e.Name, maxName)
}

// ExistsError reports whether a name is taken.
type ExistsError struct {
	mark
	Name string
	Path string // of the file that has it
}

func (e *ExistsError) Error() string {
	return fmt.Sprintf("%s already has a profile %q; choose another name, or remove it first", e.Path, e.Name)
}

// VersionMismatchError reports whether a profile is for another version of the platform than
// its server has.
type VersionMismatchError struct {
	mark
	Name, Profile, Server string // versions are as v42
}

func (e *VersionMismatchError) Error() string {
	return fmt.Sprintf("profile %q says %s and the server is %s; correct version in the profile, or leave it out", e.Name, e.Profile, e.Server)
}

// FileError reports whether a file of profiles cannot be read. It shows nothing of values.
type FileError struct {
	Path    string
	Line    int // from 1, 0 where there is none
	Problem string
}

func (e *FileError) Error() string {
	if e.Line == 0 {
		return e.Path + ": " + e.Problem
	}
	return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Problem)
}
