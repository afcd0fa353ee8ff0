package platform

import (
	"testing"
	"time"
)

// TestParseVersion: platform toolkit, section 2.2, step 2.
func TestParseVersion(t *testing.T) {
	for text, want := range map[string]Version{
		"2.42.4": {42, 4, 0, ""}, "2.41.8.1": {41, 8, 1, ""}, "2.43-SNAPSHOT": {43, 0, 0, "SNAPSHOT"}, "2.43.0-rc-1": {43, 0, 0, "rc-1"},
	} {
		if got, err := ParseVersion(text); got != want || err != nil {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "2", "2.", "2.x", "42.1", "2.42.", "2.42-", "2.42.1.2.3", "2.4200000", " 2.42", "2.42.-1", "2.+1"} {
		if got, err := ParseVersion(text); err == nil {
			t.Errorf("%q: %+v", text, got)
		}
	}
	for text, want := range map[string]Major{"v41": 41, "42": 42, "v43": 43, "44": 0, "": 0, "V42": 0, "v": 0} {
		if got, err := ParseMajor(text); got != want || (err == nil) != (want != 0) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

// TestParseTime: times without an offset are in UTC.
func TestParseTime(t *testing.T) {
	want := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, text := range []string{"2026-01-02T03:04:05", "2026-01-02T03:04:05.000", "2026-01-02T03:04:05Z", "2026-01-02T05:04:05.000+0200", "2026-01-02T05:04:05+02:00", "1767323045000"} {
		if got, err := ParseTime(text); err != nil || !got.Equal(want) || got.Location() != time.UTC {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	if got, err := ParseTime(""); err != nil || !got.IsZero() {
		t.Error(got, err)
	}
	for _, text := range []string{"soon", "2026", "2026-13-01"} {
		if _, err := ParseTime(text); err == nil {
			t.Errorf("%s is a time", text)
		}
	}
	for text, want := range map[string]bool{"Usr00000001": true, "abcdefghijk": true, "1sr00000001": false, "Usr0000000": false, "Usr0000000_": false, "Usr000000012": false} {
		if IsUID(text) != want {
			t.Errorf("%s", text)
		}
	}
}
