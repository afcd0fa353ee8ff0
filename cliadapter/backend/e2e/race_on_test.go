//go:build race

package e2e_test

// raceDetector reports that the tests are watched for races, which makes them slower.
const raceDetector = true
