package cliadapter

import (
	"context"
	"fmt"
	"runtime"
	"strings"
)

func (c *CLI) versionCommand() *command {
	return &command{
		name: "version", group: groupOther, access: accessRead, summary: "Print the version",
		doc: "Prints the version of the program, the commit it was built from, and the version of Go; and the version " +
			"of the platform that is assumed without asking a server: that of the profile, else of PLATFORM_VERSION, else v42.",
		options: options{outputOptions()[0], outputOptions()[1]},
		run: func(_ context.Context, inv *invocation) error {
			v, tree := c.config.Version, c.offlineMajor(inv.global)
			if inv.text("output") == "json" {
				return inv.writeValue(map[string]any{
					"version": v.Version, "revision": v.Revision, "time": v.Time, "modified": v.Modified,
					"go": v.Go, "platform": runtime.GOOS + "/" + runtime.GOARCH, "tree": tree.String(),
				})
			}
			var b strings.Builder
			fmt.Fprintf(&b, "roget %s", v.Version)
			if v.Revision != "" {
				fmt.Fprintf(&b, " (%.12s", v.Revision)
				if v.Time != "" {
					b.WriteString(", " + v.Time)
				}
				if v.Modified {
					b.WriteString(", changed")
				}
				b.WriteString(")")
			}
			fmt.Fprintf(&b, " %s %s/%s, platform %s\n", v.Go, runtime.GOOS, runtime.GOARCH, tree)
			return write(inv.streams.Out, []byte(b.String()))
		},
	}
}
