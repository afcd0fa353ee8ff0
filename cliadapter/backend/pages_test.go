package backend

import (
	"os"
	"strings"
	"testing"
)

// TestConformanceFigure compares the figure on the page about the server with that of the README.
func TestConformanceFigure(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := "<!-- conformance -->" + conformance + "<!-- /conformance -->"; !strings.Contains(string(readme), want) {
		t.Errorf("the README does not have %s", want)
	}
}
