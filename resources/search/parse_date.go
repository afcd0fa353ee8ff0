package search

import (
	"math"
	"strings"
	"time"

	"github.com/roget-health/roget/resources/index"
)

// date reads a date with its prefix (https://hl7.org/fhir/R4/search.html#date).
func (p *parser) date(a *Alternative) string {
	var text string
	a.Prefix, text = index.CutPrefix(a.Text)
	var ok bool
	if a.Date, ok = interval(text); !ok {
		return "a date is wanted, such as 2024, 2024-05, ge2024-05-17 or 2024-05-17T10:30:00Z"
	}
	if a.Prefix == index.Approximately {
		a.Date = widen(a.Date, p.options.Now)
	}
	return ""
}

// widen makes an interval longer by a tenth of its distance from the present, to each side.
func widen(i Interval, now time.Time) Interval {
	middle := i.Low + (i.High-i.Low)/2
	margin := int64(math.Abs(float64(now.UnixMilli()-middle)) / 10)
	return Interval{Low: i.Low - margin, High: i.High + margin}
}

// interval gives the time a date or dateTime of any precision covers. What has no time zone
// is in UTC. A + that a form turned into a blank is understood.
func interval(text string) (Interval, bool) {
	if i := strings.LastIndexByte(text, ' '); i > len("2006-01-02T") {
		text = text[:i] + "+" + text[i+1:]
	}
	for _, f := range [...]struct {
		layout string
		next   func(time.Time) time.Time
	}{
		{"2006", func(t time.Time) time.Time { return t.AddDate(1, 0, 0) }},
		{"2006-01", func(t time.Time) time.Time { return t.AddDate(0, 1, 0) }},
		{"2006-01-02", func(t time.Time) time.Time { return t.AddDate(0, 0, 1) }},
		{"2006-01-02T15:04", func(t time.Time) time.Time { return t.Add(time.Minute) }},
		{"2006-01-02T15:04Z07:00", func(t time.Time) time.Time { return t.Add(time.Minute) }},
		{"2006-01-02T15:04:05", nil},
		{"2006-01-02T15:04:05Z07:00", nil},
	} {
		t, err := time.Parse(f.layout, text)
		if err != nil {
			continue
		}
		if f.next != nil {
			return Interval{Low: t.UnixMilli(), High: f.next(t).UnixMilli()}, true
		}
		step := int64(1000)
		if strings.Contains(text, ".") {
			step = 1
		}
		return Interval{Low: t.UnixMilli(), High: t.UnixMilli() + step}, true
	}
	return Interval{}, false
}
