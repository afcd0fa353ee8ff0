package cliadapter

// PlatformCommands are the paths of the commands of the platform that do something.
func (c *CLI) PlatformCommands() (paths []string) {
	for _, cmd := range tree(c.commands) {
		if cmd.ofPlatform && len(cmd.commands) == 0 {
			paths = append(paths, cmd.path)
		}
	}
	return paths
}
