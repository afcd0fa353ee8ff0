package datadir

import (
	"errors"
	"fmt"
)

var (
	// ErrInUse is returned by Claim for a folder that somebody uses.
	ErrInUse = errors.New("a server or another command uses it; stop it first")
	// ErrClaimed is returned by Open and Use for a folder whose content is being replaced.
	ErrClaimed = errors.New("roget restore is replacing its content; try again when it has finished")
)

// Use states that this process uses a folder until release is called, or the process ends. An open
// Dir does so. The error wraps ErrClaimed.
//
// The folder itself is locked, and nothing is written to it. A file system that cannot lock folders,
// as some on networks, and Windows let everybody use and claim a folder.
func Use(path string) (release func(), err error) {
	return lockedFolder(path, false, ErrClaimed)
}

// Claim is Use for a process that nobody else may use the folder beside. The error wraps ErrInUse.
func Claim(path string) (release func(), err error) {
	return lockedFolder(path, true, ErrInUse)
}

func lockedFolder(path string, exclusive bool, refusal error) (release func(), err error) {
	release, free := lockFolder(path, exclusive)
	if !free {
		return nil, fmt.Errorf("data folder %s: %w", path, refusal)
	}
	return release, nil
}
