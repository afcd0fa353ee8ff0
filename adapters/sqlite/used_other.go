//go:build !darwin && !linux

package sqlite

// Used reports nothing on this system, where an open file may not be renamed.
func Used(string) (bool, error) { return false, nil }
