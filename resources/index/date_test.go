package index

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseDate(t *testing.T) {
	for _, c := range []struct{ text, low, high string }{
		{"2024", "2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z"},
		{"2024-02", "2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z"},
		{"2023-12", "2023-12-01T00:00:00Z", "2024-01-01T00:00:00Z"},
		{"2024-02-29", "2024-02-29T00:00:00Z", "2024-03-01T00:00:00Z"},
		{"2024-02-03T10:15", "2024-02-03T10:15:00Z", "2024-02-03T10:16:00Z"},
		{"2024-02-03T10:15Z", "2024-02-03T10:15:00Z", "2024-02-03T10:16:00Z"},
		{"2024-02-03T10:15:07+02:00", "2024-02-03T08:15:07Z", "2024-02-03T08:15:08Z"},
		{"2024-02-03T10:15:07-05:30", "2024-02-03T15:45:07Z", "2024-02-03T15:45:08Z"},
		{"2024-02-03T10:15:07.5Z", "2024-02-03T10:15:07.5Z", "2024-02-03T10:15:07.6Z"},
		{"2024-02-03T10:15:07.123Z", "2024-02-03T10:15:07.123Z", "2024-02-03T10:15:07.124Z"},
		{"2024-02-03T10:15:07.123999-00:00", "2024-02-03T10:15:07.123Z", "2024-02-03T10:15:07.124Z"},
		{"2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z", "2017-01-01T00:00:01Z"},
		{"0001", "0001-01-01T00:00:00Z", "0002-01-01T00:00:00Z"},
	} {
		got, err := ParseDate(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		low, _ := time.Parse(time.RFC3339, c.low)
		high, _ := time.Parse(time.RFC3339, c.high)
		if want := (Span[int64]{low.UnixMilli(), high.UnixMilli()}); got != want {
			t.Errorf("%s: %v, want %v", c.text, got, want)
		}
	}
	for _, text := range []string{
		"", "2", "202", "20245", "0000", "2024-", "2024-1", "2024-00", "2024-13", "2024-02-30", "2023-02-29",
		"2024-02-03T", "2024-02-03T10", "2024-02-03T24:00", "2024-02-03T10:60", "2024-02-03T10:15:61",
		"2024-02-03T10:15:07.", "2024-02-03T10:15:07.Z", "2024-02-03T10:15:07+2", "2024-02-03T10:15:07+15:00",
		"2024-02-03T10:15:07 02:00", "2024-02-03 10:15", "2024/02/03", "2024-02/03", "gestern", "２０２４", "2024-02-03T10:15:07+02:00x",
	} {
		if got, err := ParseDate(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
	for _, text := range []string{"2020", "2020-05", "2020-05-17", "2020-05-17T10:20Z", "2020-05-17T10:20:30.5+01:00"} {
		for i := range text {
			for _, c := range "x/ " {
				if got, err := ParseDate(text[:i] + string(c) + text[i+1:]); err == nil {
					t.Errorf("%s with %q at %d: %v", text, c, i, got)
				}
			}
		}
	}
}

func TestParseDateAgreesWithTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const day = 24 * 60 * 60 * 1000 // within the years 1 to 9999, whatever the zone
		ms := rapid.Int64Range(-62135596800000+day, 253402300799999-day).Draw(t, "ms")
		zone := time.FixedZone("", rapid.IntRange(-14*60, 14*60).Draw(t, "zone")*60)
		at := time.UnixMilli(ms).In(zone)
		got, err := ParseDate(at.Format("2006-01-02T15:04:05.000Z07:00"))
		if err != nil || got != (Span[int64]{ms, ms + 1}) {
			t.Fatalf("%v: %v, %v", at, got, err)
		}
		noon := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC)
		got, err = ParseDate(noon.Format(time.DateOnly))
		if err != nil || got != (Span[int64]{noon.UnixMilli(), noon.AddDate(0, 0, 1).UnixMilli()}) {
			t.Fatalf("%v: %v, %v", noon, got, err)
		}
	})
}

func FuzzParseDate(f *testing.F) {
	f.Add("2024-02-03T10:15:07.123+02:00")
	f.Add("2024-02")
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := ParseDate(text); err == nil && s.Low >= s.High {
			t.Errorf("%q: %v", text, s)
		}
	})
}
