package platform

import (
	"fmt"
	"strconv"
	"time"
)

// ParseTime reads a time as the platform writes it: ISO 8601, without an offset in UTC, or
// milliseconds since 1970. The zero time is "".
func ParseTime(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{"2006-01-02T15:04:05", time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02", "2006-01-02 15:04:05"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), nil
		}
	}
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil && len(text) > 8 {
		return time.UnixMilli(ms).UTC(), nil
	}
	return time.Time{}, fmt.Errorf("%.80q is not a time", text)
}
