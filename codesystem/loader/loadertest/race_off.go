//go:build !race

package loadertest

// raceDetector reports whether the race detector is on.
const raceDetector = false
