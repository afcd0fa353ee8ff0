package platform

import "context"

// A Posture is the relation of a version to the supported majors.
type Posture string

// The postures.
const (
	PostureSupported   Posture = "supported"
	PostureOlder       Posture = "older"       // refused
	PostureNewer       Posture = "newer"       // may work as the highest supported major
	PostureUnparseable Posture = "unparseable" // cannot be parsed
)

// A VersionPosture classifies the version of a server without asking for a list of releases. Platform
// client, section 2.4.
type VersionPosture struct {
	Version   string  `json:"version"`         // as reported by the server
	Major     Major   `json:"major,omitempty"` // 0 if the version cannot be parsed
	Posture   Posture `json:"posture"`
	Supported []Major `json:"supported"`
}

// ClassifyVersion classifies a version such as 2.42.4.
func ClassifyVersion(version string) VersionPosture {
	p := VersionPosture{Version: version, Posture: PostureUnparseable, Supported: Majors()}
	read, err := ParseVersion(version)
	if err != nil {
		return p
	}
	p.Major = read.Major
	switch {
	case read.Major.Supported():
		p.Posture = PostureSupported
	case read.Major < p.Supported[0]:
		p.Posture = PostureOlder
	default:
		p.Posture = PostureNewer
	}
	return p
}

// VersionPosture classifies the version in the system information.
func (s System) VersionPosture(ctx context.Context) (VersionPosture, error) {
	info, err := s.Info(ctx)
	if err != nil {
		return VersionPosture{}, err
	}
	return ClassifyVersion(info.Version), nil
}
