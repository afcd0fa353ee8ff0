//go:build race

package codesystem

const raceEnabled = true
