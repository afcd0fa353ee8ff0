package backend

import (
	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/mcpadapter"
	"github.com/roget-health/roget/mcpadapter/platformtools"
)

// platformTools returns the tools of the platform.
func platformTools(o *cliadapter.MCPOptions) mcpadapter.Toolset {
	return platformtools.New(platformtools.Config{
		Getenv: o.Getenv, Folder: o.Platform.Folder, Home: o.Platform.Home, Transport: o.Platform.Transport,
		Profile: o.Profile, ReadOnly: o.ReadOnly, Version: o.Version.Version, Logger: o.Logger,
	})
}
