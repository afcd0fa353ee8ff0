//go:build !race

package loadertest

// raceDetector tells that the race detector watches.
const raceDetector = false
