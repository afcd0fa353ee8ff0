package platform

import (
	"fmt"
	"strconv"
	"strings"
)

// A Major is a major version of the platform, such as 42 of 2.42.4. Zero means none.
type Major int

// Majors returns the supported majors, lowest first.
func Majors() []Major { return []Major{41, 42, 43} }

// Supported reports whether the client supports the major.
func (m Major) Supported() bool { return m >= 41 && m <= 43 }

// String returns the major as in v42.
func (m Major) String() string { return "v" + strconv.Itoa(int(m)) }

// ParseMajor reads a supported major, such as v42 or 42.
func ParseMajor(text string) (Major, error) {
	for _, major := range Majors() {
		if name := major.String(); text == name || text == name[1:] {
			return major, nil
		}
	}
	return 0, fmt.Errorf("%q is not a version; write v41, v42 or v43", text)
}

// A Version is a version of the platform: 2.<major>[.<patch>[.<hotfix>]][-SUFFIX]. Platform toolkit,
// section 2.2.
type Version struct {
	Major         Major
	Patch, Hotfix int    // 0 if absent
	Suffix        string // without the hyphen, such as SNAPSHOT
}

// ParseVersion reads a version that a server reports.
func ParseVersion(text string) (Version, error) {
	refuse := func() (Version, error) {
		return Version{}, fmt.Errorf("%.80q is not a version of the platform, such as 2.42.4", text)
	}
	numbers, suffix, hyphen := strings.Cut(text, "-")
	parts := strings.Split(numbers, ".")
	if parts[0] != "2" || len(parts) < 2 || len(parts) > 4 || hyphen && suffix == "" || len(text) > 80 {
		return refuse()
	}
	var figures [3]int
	for i, part := range parts[1:] {
		if strings.Trim(part, "0123456789") != "" || len(part) > 6 {
			return refuse()
		}
		figure, err := strconv.Atoi(part)
		if err != nil {
			return refuse()
		}
		figures[i] = figure
	}
	return Version{Major(figures[0]), figures[1], figures[2], suffix}, nil
}

// bind returns the major to which a client binds, given the version that the server reports. Platform
// toolkit, section 2.2, step 3.
func bind(reported string, options Options) (Major, error) {
	version, err := ParseVersion(reported)
	pin, readable := options.Pin, err == nil
	switch {
	case pin != 0 && (!readable || version.Major == pin || options.AllowMismatch):
		return pin, nil
	case pin != 0:
		return 0, &VersionPinMismatchError{Pinned: pin, Reported: reported}
	case !readable:
		return 0, &UnsupportedVersionError{Version: reported, Available: Majors(), why: "it cannot be read; check that the base URL is the URL of a platform"}
	case version.Major.Supported():
		return version.Major, nil
	case version.Major < Majors()[0]:
		return 0, &UnsupportedVersionError{Version: reported, Available: Majors(), why: "it is older than 41, end of life"}
	case !options.AllowFallback:
		return 0, &UnsupportedVersionError{Version: reported, Available: Majors(), why: "it is newer than this client; allow the fallback, or pin a major and allow the mismatch"}
	}
	fallback := Major(0)
	for _, major := range Majors() {
		if major <= version.Major {
			fallback = major
		}
	}
	return fallback, nil
}
