//go:build race

package loadertest

// raceDetector reports whether the race detector watches: everything takes ten times as long.
const raceDetector = true
