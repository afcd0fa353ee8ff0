//go:build race

package main_test

// raceDetector reports that the tests are watched for races, which makes them slower.
const raceDetector = true
