package cliadapter

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
)

func (c builder) manualCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "manual", Category: groupOther, Usage: "Write the manual pages",
		Description: "Writes the manual pages of roget and of all its commands to a folder, where man finds them if it is a folder man1 " +
			"of the manual path. The folder is created if it does not exist. Packages of roget contain the pages already.",
	}, command.Details{
		Access:   command.Writes,
		Args:     []command.Argument{{Name: "DIR", Required: true, Usage: "Folder for the pages."}},
		Examples: []string{"roget manual ~/.local/share/man/man1", "man roget-serve"},
		Run: func(_ context.Context, inv *command.Invocation) error {
			folder := inv.Args()[0]
			pages := c.program.Manual(command.Edition{Date: c.config.Version.date(), Version: c.config.Version.Version})
			if err := writePages(folder, pages); err != nil {
				return fmt.Errorf("write the manual: %w", err)
			}
			return command.Write(inv.Out, fmt.Appendf(nil, "%s in %s\n", command.Counted(len(pages), "page"), folder))
		},
	})
}

// date returns the date of the commit, or today if it is not known.
func (v Version) date() time.Time {
	if at, err := time.Parse(time.RFC3339, v.Time); err == nil {
		return at
	}
	return time.Now()
}

func writePages(folder string, pages map[string][]byte) error {
	if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // manual pages are for everyone
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		if err := os.WriteFile(filepath.Join(folder, name), pages[name], 0o644); err != nil { //nolint:gosec // as above
			return err
		}
	}
	return nil
}
