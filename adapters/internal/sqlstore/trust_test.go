package sqlstore

import (
	"testing"
	"time"

	"github.com/roget-health/roget/resources"
)

// TestTrust lists when a former version is not looked for.
func TestTrust(t *testing.T) {
	render := func(int64, time.Time) ([]byte, error) { return nil, nil }
	for _, row := range []struct {
		name                     string
		write                    resources.Write
		knows, doubts, forgetful bool // by a Follower, by one in doubt, by another Database
	}{
		{"fresh id", resources.Write{Fresh: true, Render: render}, true, true, true},
		{"just read", resources.Write{JustRead: true, IfVersion: new(int64), Render: render}, true, false, false},
		{"deletion", resources.Write{JustRead: true, IfVersion: new(int64)}, false, false, false},
		{"any version", resources.Write{JustRead: true, Render: render}, false, false, false},
		{"read before", resources.Write{IfVersion: new(int64), Render: render}, false, false, false},
	} {
		var sure, doubting, other trust
		sure.follows, doubting.follows = true, true
		doubting.doubt()
		if got := [...]bool{sure.knows(&row.write), doubting.knows(&row.write), other.knows(&row.write)}; got != [...]bool{row.knows, row.doubts, row.forgetful} {
			t.Errorf("%s: %v", row.name, got)
		}
		if doubting.until.Store(time.Now().UnixNano()); doubting.knows(&row.write) != row.knows {
			t.Errorf("%s: doubted for ever", row.name)
		}
	}
}
