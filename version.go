package main

import (
	"runtime/debug"

	"github.com/roget-health/roget/cliadapter"
)

// version is set when a release is built: -ldflags "-X main.version=v1.2.3".
var version string

// buildVersion tells which build this is: the version of the release, else that of
// the module, and the commit where the build knows it.
func buildVersion() cliadapter.Version {
	v := cliadapter.Version{Version: version}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v.Go = info.GoVersion
	if v.Version == "" {
		v.Version = info.Main.Version
	}
	if v.Version == "" || v.Version == "(devel)" {
		v.Version = "devel"
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.time":
			v.Time = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}
