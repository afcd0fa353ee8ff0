package platform

import "context"

// Posture is how a version stands to the majors that the client supports.
type Posture string

// The postures.
const (
	PostureSupported   Posture = "supported"
	PostureOlder       Posture = "older"       // end of life, refused
	PostureNewer       Posture = "newer"       // usable as the highest supported major, perhaps
	PostureUnparseable Posture = "unparseable" // nothing is known of it
)

// VersionPosture is what the version of a server tells by itself: no list of releases is
// asked for. Platform client, section 2.4.
type VersionPosture struct {
	Version   string  `json:"version"`         // as the server says it
	Major     Major   `json:"major,omitempty"` // 0 where the version cannot be read
	Posture   Posture `json:"posture"`
	Supported []Major `json:"supported"`
}

// ClassifyVersion tells how a version, such as 2.42.4, stands to the supported majors.
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
