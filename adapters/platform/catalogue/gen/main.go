// Command gen packs embedded.txt as embedded.txt.lzma, which is built into the program.
package main

import (
	"fmt"
	"os"

	"github.com/roget-health/roget/codesystem/packed/pack"
)

func main() {
	text, err := os.ReadFile("embedded.txt")
	if err == nil {
		text, err = pack.Text(text)
	}
	if err == nil {
		err = os.WriteFile("embedded.txt.lzma", text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}
