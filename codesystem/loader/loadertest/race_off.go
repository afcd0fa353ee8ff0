//go:build !race

package loadertest

// raceDetector reports whether the race detector watches.
const raceDetector = false
