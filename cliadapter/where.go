package cliadapter

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/roget-health/roget/cliadapter/command"
)

// where says what is answered from, for people.
func (s Sources) where() string {
	var from []string
	if s.Data != "" {
		folder := "the data folder " + absolute(s.Data)
		if _, err := os.Stat(s.Data); s.Optional && errors.Is(err, fs.ErrNotExist) {
			folder = "the built-in samples, because there is no folder " + absolute(s.Data) + ": name one with --data or ROGET_DATA"
		}
		from = append(from, folder)
	}
	for _, path := range s.Load {
		from = append(from, absolute(path))
	}
	return strings.Join(from, ", ")
}

// absolute returns the absolute form of a path, so that it says where something is to people who do
// not know in which folder the program was started.
func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

// note prints a line about what a command does on Err, unless --quiet is given.
func (inv *invocation) note(text string) {
	if !inv.Is("quiet") {
		fmt.Fprintf(inv.Err, "roget: %s: %s\n", inv.Parsed.Command.Name, command.Printable(text))
	}
}
