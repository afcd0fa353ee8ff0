//go:build !linux

package httpadapter

// process writes nothing: only Linux tells of a process in files.
func (e *exposition) process() {}
