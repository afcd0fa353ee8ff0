package platform

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// Timestamp is a point in time as the platform writes it: ISO 8601, often without an
// offset, which stands for UTC, or milliseconds since 1970. It is written as it was read.
// What cannot be understood is the zero time with its text kept.
type Timestamp struct {
	time.Time
	wire json.RawMessage
}

// NewTimestamp makes a timestamp, which is written in UTC with milliseconds.
func NewTimestamp(t time.Time) Timestamp { return Timestamp{Time: t.UTC()} }

// UnmarshalJSON reads a text or a number of milliseconds.
func (t *Timestamp) UnmarshalJSON(data []byte) error {
	*t = Timestamp{}
	if data = bytes.TrimSpace(data); string(data) == "null" {
		return nil
	}
	t.wire = bytes.Clone(data)
	text := string(data)
	if data[0] == '"' {
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
	}
	t.Time, _ = ParseTime(text) // what is no time is kept as it is
	return nil
}

// MarshalJSON writes what was read, else the time in UTC, else null.
func (t Timestamp) MarshalJSON() ([]byte, error) {
	switch {
	case t.wire != nil:
		return t.wire, nil
	case t.Time.IsZero():
		return []byte("null"), nil
	}
	return json.Marshal(t.UTC().Format("2006-01-02T15:04:05.000"))
}

// IsZero reports whether nothing was said; the option omitzero of encoding/json asks it.
func (t Timestamp) IsZero() bool { return t.wire == nil && t.Time.IsZero() }

// String is for people: the time in UTC to the second, or the text that was not understood.
func (t Timestamp) String() string {
	if !t.Time.IsZero() {
		return t.UTC().Format("2006-01-02T15:04:05Z")
	}
	var text string
	if json.Unmarshal(t.wire, &text) != nil {
		return string(t.wire)
	}
	return text
}

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
