//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package datadir

// lockFolder locks nothing on systems that cannot lock a folder.
func lockFolder(string, bool) (release func(), free bool) { return func() {}, true }
