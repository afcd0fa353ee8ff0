package audit

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A ParsedVersion is major.line[.patch[.hotfix]][-SUFFIX], as in 2.42.4.1-SNAPSHOT.
type ParsedVersion struct {
	Major      int    `json:"major"`
	Line       int    `json:"line"`
	Patch      int    `json:"patch"`
	Hotfix     int    `json:"hotfix"`
	IsSnapshot bool   `json:"is_snapshot"`
	Raw        string `json:"raw"`
}

// parseVersion reads a version.
func parseVersion(text string) (*ParsedVersion, bool) {
	number, suffix, _ := strings.Cut(text, "-")
	parts := strings.Split(number, ".")
	if len(parts) < 2 || len(parts) > 4 || len(text) > 80 {
		return nil, false
	}
	var figures [4]int
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || strings.Trim(part, "0123456789") != "" || len(part) > 6 {
			return nil, false
		}
		figures[i] = n
	}
	return &ParsedVersion{
		Major: figures[0], Line: figures[1], Patch: figures[2], Hotfix: figures[3],
		IsSnapshot: strings.Contains(strings.ToUpper(suffix), "SNAPSHOT"), Raw: text,
	}, true
}

// below reports whether the version has a lower patch and hotfix.
func (v *ParsedVersion) below(patch, hotfix int) bool {
	return cmp.Or(cmp.Compare(v.Patch, patch), cmp.Compare(v.Hotfix, hotfix)) < 0
}

// minLine is the lowest line that this program supports.
const minLine = 41

// A floor is the first version of a line in which known advisories are fixed.
type floor struct {
	line, patch, hotfix int
	advisories          []string
}

// floors were reviewed on floorsReviewed against the product's published advisories. Platform toolkit,
// section 5.6.
var floors = []floor{
	{41, 8, 2, []string{"GHSA-pwmg-mvjw-4m23"}},
	{42, 5, 1, []string{"GHSA-pwmg-mvjw-4m23", "GHSA-3fr2-wvqx-cmr5", "GHSA-6785-hj47-c27h"}},
	{43, 0, 1, []string{"GHSA-pwmg-mvjw-4m23", "GHSA-3fr2-wvqx-cmr5", "GHSA-6785-hj47-c27h"}},
}

const floorsReviewed = "2026-06-18"

// A Release is a line in the feed of releases.
type Release struct {
	Line          int
	Supported     bool
	Latest        bool
	Patch, Hotfix int // of the latest version of the line
}

// Releases are the lines of the feed.
type Releases []Release

// maxReleases limits the lines of the feed.
const maxReleases = 1000

// ParseReleases reads the feed of releases: {"versions":[{"name":...,"version":42,"supported":true,
// "latest":true,"latestPatchVersion":4,"latestHotfixVersion":null}]}. An entry whose line cannot be read
// is left out; a feed without a readable line is an error.
func ParseReleases(feed []byte) (Releases, error) {
	var document struct {
		Versions []json.RawMessage `json:"versions"`
	}
	if err := json.Unmarshal(feed, &document); err != nil {
		return nil, errors.New("the feed of releases does not have the expected form")
	}
	var list Releases
	for _, raw := range document.Versions[:min(len(document.Versions), maxReleases)] {
		var entry struct {
			Name      string          `json:"name"`
			Version   json.RawMessage `json:"version"`
			Supported bool            `json:"supported"`
			Latest    bool            `json:"latest"`
			Patch     *int            `json:"latestPatchVersion"`
			Hotfix    *int            `json:"latestHotfixVersion"`
		}
		if json.Unmarshal(raw, &entry) != nil {
			continue
		}
		line, ok := lineOf(strings.Trim(string(entry.Version), `"`))
		if !ok {
			line, ok = lineOf(entry.Name)
		}
		if ok {
			list = append(list, Release{line, entry.Supported, entry.Latest, figure(entry.Patch), figure(entry.Hotfix)})
		}
	}
	if list == nil {
		return nil, errors.New("the feed of releases has no line that can be read")
	}
	return list, nil
}

// lineOf reads a line: 42, or 2.42.
func lineOf(text string) (int, bool) {
	line, err := strconv.Atoi(strings.TrimPrefix(strings.TrimSpace(text), "2."))
	return line, err == nil && line > 0 && line < 1000
}

func figure(n *int) int {
	if n == nil || *n < 0 {
		return 0
	}
	return *n
}

// line returns the entry of a line, or nil.
func (r Releases) line(line int) *Release {
	if i := slices.IndexFunc(r, func(e Release) bool { return e.Line == line }); i >= 0 {
		return &r[i]
	}
	return nil
}

// latest returns the latest line: the highest that is flagged, else the highest of all.
func (r Releases) latest() int {
	flagged, highest := 0, 0
	for _, e := range r {
		highest = max(highest, e.Line)
		if e.Latest {
			flagged = max(flagged, e.Line)
		}
	}
	return cmp.Or(flagged, highest)
}

// A VersionPosture is the security posture that follows from a version alone, without the feed of releases.
type VersionPosture struct {
	Version  string         `json:"version"`
	Parsed   *ParsedVersion `json:"parsed,omitempty"`
	Findings []Finding      `json:"findings"`
}

// ClassifyVersion returns the posture of a version.
func ClassifyVersion(version string) VersionPosture {
	parsed, _ := parseVersion(version)
	r := reduceVersion(versionInput{version: version, feedProblem: "not consulted"})
	return VersionPosture{Version: printable(version), Parsed: parsed, Findings: r.Findings}
}

func (v *ParsedVersion) text() string {
	if v.Hotfix > 0 {
		return fmt.Sprintf("%d.%d.%d.%d", v.Major, v.Line, v.Patch, v.Hotfix)
	}
	return fmt.Sprintf("%d.%d.%d", v.Major, v.Line, v.Patch)
}
