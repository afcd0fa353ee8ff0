package cliadapter

import (
	"os"
	"slices"

	"github.com/roget-health/roget/auth/profile"
	"github.com/roget-health/roget/cliadapter/bridge"
	"github.com/roget-health/roget/cliadapter/command"
)

// Bridge returns a bridge to the commands of this program. Platform toolkit, section 6.3.
func (c *CLI) Bridge() (*bridge.Bridge, error) { return c.bridge(os.LookupEnv) }

func (c *CLI) bridge(lookup func(string) (string, bool)) (*bridge.Bridge, error) {
	executable, err := os.Executable()
	if err != nil {
		executable = "" // the program is then looked for in PATH
	}
	getenv := c.config.Getenv
	return bridge.New(bridge.Config{
		Tree:       func() *command.Tree { return c.program.Tree(Streams{}) },
		Offered:    offeredByBridge,
		LookupEnv:  lookup,
		Executable: executable,
		Name:       programName,
		Profiles: func() (*profile.Registry, error) {
			return profile.Open(profile.Options{Getenv: getenv, Folder: c.config.Platform.Folder, Home: c.config.Platform.Home})
		},
	})
}

// bridgedData are the commands about loaded code systems that the bridge offers beside the
// questions about codes.
var bridgedData = [...]string{"list", "stats", "version"}

// offeredByBridge reports whether the bridge offers a command: all of the platform, and
// questions about codes. Stored resources and tables, which may be about patients, and commands that
// load, serve or draw on a terminal are not offered. The category is that of the group that the command
// is in.
func offeredByBridge(path, category string) bool {
	question := category == groupQuery && path != annotateName && path != browseName
	return category == groupPlatform || question || slices.Contains(bridgedData[:], path)
}
