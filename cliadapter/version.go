package cliadapter

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
)

func (c builder) versionCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "version", Category: groupOther, Usage: "Print the version",
		Description: "Prints the version of roget, the commit it was built from, and the version of Go. It also prints the version of " +
			"the platform that roget assumes when it asks no server: the version in the profile, or else PLATFORM_VERSION, or else v42.",
		Flags: []cli.Flag{
			outputOptions()[0],
			outputOptions()[1],
			c.config.Platform.Flags(c.config.Getenv)[0],
		},
	}, command.Details{
		Access:   command.Reads,
		Examples: []string{"roget version", "roget version --output json"},
		Run: c.run(func(_ context.Context, inv *invocation) error {
			v, tree := c.config.Version, c.config.Platform.OfflineMajor(inv.Getenv, inv.Nearest("profile"))
			if inv.Text("output") == "json" {
				return inv.WriteValue(map[string]any{
					"version": v.Version, "revision": v.Revision, "time": v.Time, "modified": v.Modified,
					"go": v.Go, "platform": runtime.GOOS + "/" + runtime.GOARCH, "tree": tree.String(),
				})
			}
			var b strings.Builder
			fmt.Fprintf(&b, "roget %s (%s %s/%s)\n", v.Version, v.Go, runtime.GOOS, runtime.GOARCH)
			if v.Revision != "" {
				fmt.Fprintf(&b, "commit %.12s", v.Revision)
				if v.Time != "" {
					b.WriteString(" of " + v.Time)
				}
				if v.Modified {
					b.WriteString(", with local changes")
				}
				b.WriteString("\n")
			}
			fmt.Fprintf(&b, "platform %s is assumed when no server is asked\n", tree)
			return command.Write(inv.Out, []byte(b.String()))
		}),
	})
}
