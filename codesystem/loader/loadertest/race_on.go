//go:build race

package loadertest

// raceDetector tells that the race detector watches: everything takes ten times as long.
const raceDetector = true
