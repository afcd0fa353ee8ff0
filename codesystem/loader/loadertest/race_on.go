//go:build race

package loadertest

// raceDetector reports whether the race detector is on: everything takes ten times as long.
const raceDetector = true
