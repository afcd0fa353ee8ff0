package profile

import (
	"fmt"
	"strings"
)

// An Error is an error in the choice of a profile. Platform toolkit, section 2.5.
type Error interface {
	error
	ProfileError()
}

type mark struct{}

// ProfileError marks an error as an Error.
func (mark) ProfileError() {}

// A NoProfileError is returned when neither an argument, nor the environment, nor a file chooses a
// profile.
type NoProfileError struct{ mark }

func (*NoProfileError) Error() string { return "no profile is chosen" }

// Hint returns what to do.
func (*NoProfileError) Hint() string {
	return "create a profile with `profile add`, or set PLATFORM_URL with PLATFORM_PAT, or with PLATFORM_USERNAME and PLATFORM_PASSWORD"
}

// An UnknownProfileError is returned when no profile has a name.
type UnknownProfileError struct {
	mark
	Name  string
	Known []string // sorted
}

func (e *UnknownProfileError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("there is no profile %q; no profile exists yet", e.Name)
	}
	return fmt.Sprintf("there is no profile %q; the profiles are: %s", e.Name, strings.Join(e.Known, ", "))
}

// An InvalidNameError is returned when a name breaks the rule for profile names.
type InvalidNameError struct {
	mark
	Name string
}

func (e *InvalidNameError) Error() string {
	return fmt.Sprintf("%q cannot be the name of a profile: a name is a letter, then letters, digits and _, at most %d characters", e.Name, maxName)
}

// An ExistsError is returned when a name is taken.
type ExistsError struct {
	mark
	Name string
	Path string // of the file with that profile
}

func (e *ExistsError) Error() string {
	return fmt.Sprintf("%s already has a profile %q; choose another name, or remove it first", e.Path, e.Name)
}

// A VersionMismatchError is returned when the version in a profile is not the server's.
type VersionMismatchError struct {
	mark
	Name, Profile, Server string // versions look like v42
}

func (e *VersionMismatchError) Error() string {
	return fmt.Sprintf("profile %q has version %s, but the server has %s; correct version in the profile, or remove it", e.Name, e.Profile, e.Server)
}

// A FileError is returned when a profile file cannot be read. It shows no values.
type FileError struct {
	Path    string
	Line    int // counted from 1; 0 if unknown
	Problem string
}

func (e *FileError) Error() string {
	if e.Line == 0 {
		return e.Path + ": " + e.Problem
	}
	return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Problem)
}
