package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/samber/lo"
)

// A platform is an operating system and a processor, by Go's names.
type platform struct{ os, arch string }

// platforms are those that releases are built for.
var platforms = [...]platform{
	{"linux", "amd64"},
	{"linux", "arm64"},
	{"darwin", "amd64"},
	{"darwin", "arm64"},
	{"windows", "amd64"},
	{"windows", "arm64"},
}

func platformNames() []string {
	return lo.Map(platforms[:], func(p platform, _ int) string { return p.String() })
}

func parsePlatforms(list string) (chosen []platform, err error) {
	for name := range strings.SplitSeq(list, ",") {
		i := slices.Index(platformNames(), name)
		if i < 0 {
			return nil, fmt.Errorf("platform %q is not one of %s", name, strings.Join(platformNames(), ", "))
		}
		chosen = append(chosen, platforms[i])
	}
	return chosen, nil
}

func (p platform) String() string { return p.os + "/" + p.arch }

// program returns the name of the program's file.
func (p platform) program() string {
	if p.os == "windows" {
		return "roget.exe"
	}
	return "roget"
}
