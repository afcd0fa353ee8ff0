package platform

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// A Timestamp is a point in time in the platform's format: ISO 8601, in UTC if it has no offset, or
// milliseconds since 1970. It is written as it was read. A text that cannot be parsed is the zero
// time, and is written unchanged.
type Timestamp struct {
	time.Time
	raw json.RawMessage
}

// NewTimestamp returns a timestamp that is written in UTC with milliseconds.
func NewTimestamp(t time.Time) Timestamp { return Timestamp{Time: t.UTC()} }

// UnmarshalJSON reads a text or a number of milliseconds.
func (t *Timestamp) UnmarshalJSON(data []byte) error {
	*t = Timestamp{}
	if data = bytes.TrimSpace(data); string(data) == "null" {
		return nil
	}
	t.raw = bytes.Clone(data)
	text := string(data)
	if data[0] == '"' {
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
	}
	t.Time, _ = ParseTime(text) // raw has the text if it cannot be parsed
	return nil
}

// MarshalJSON writes the text that was read, or else the time in UTC, or else null.
func (t Timestamp) MarshalJSON() ([]byte, error) {
	switch {
	case t.raw != nil:
		return t.raw, nil
	case t.Time.IsZero():
		return []byte("null"), nil
	}
	return json.Marshal(t.UTC().Format("2006-01-02T15:04:05.000"))
}

// IsZero reports whether there is neither a time nor a text. The omitzero option of encoding/json calls
// it.
func (t Timestamp) IsZero() bool { return t.raw == nil && t.Time.IsZero() }

// String returns the time in UTC to the second, or the text that cannot be parsed.
func (t Timestamp) String() string {
	if !t.Time.IsZero() {
		return t.UTC().Format("2006-01-02T15:04:05Z")
	}
	var text string
	if json.Unmarshal(t.raw, &text) != nil {
		return string(t.raw)
	}
	return text
}

// ParseTime reads a time in the platform's format: ISO 8601, in UTC if it has no offset, or
// milliseconds since 1970. An empty text is the zero time.
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
