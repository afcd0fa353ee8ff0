package httpadapter

import (
	"strings"
	"time"
)

// span is the interval that a date of some precision stands for. It includes low and excludes high.
type span struct{ low, high time.Time }

// parseSpan reads a FHIR date, dateTime or instant. Dates without a zone are UTC.
func parseSpan(s string) (span, bool) {
	for _, form := range []struct {
		layout              string
		years, months, days int
		length              time.Duration
	}{
		{layout: "2006", years: 1},
		{layout: "2006-01", months: 1},
		{layout: "2006-01-02", days: 1},
		{layout: "2006-01-02T15:04Z07:00", length: time.Minute},
		{layout: "2006-01-02T15:04", length: time.Minute},
		{layout: "2006-01-02T15:04:05Z07:00", length: time.Second},
		{layout: "2006-01-02T15:04:05", length: time.Second},
	} {
		low, err := time.Parse(form.layout, s)
		if err != nil {
			continue
		}
		high := low.AddDate(form.years, form.months, form.days).Add(form.length)
		if low.Nanosecond() != 0 { // the text has a fraction of a second
			high = low.Add(time.Millisecond)
		}
		return span{low, high}, true
	}
	return span{}, false
}

// dateTest compiles a value of a date parameter with its prefix to a test
// (R4 search.html#date, #prefix).
func dateTest(name, want string) (func(string) bool, error) {
	prefix, text := "eq", want
	if len(want) > 2 && strings.Contains(" eq ne gt lt ge le sa eb ap ", " "+want[:2]+" ") {
		prefix, text = want[:2], want[2:]
	}
	s, ok := parseSpan(text)
	if !ok {
		return nil, badSearch(name, "%q is not a date such as 2026-01-31", cut(want))
	}
	return func(value string) bool {
		v, ok := parseSpan(value)
		return ok && compareSpans(prefix, v, s)
	}, nil
}

func compareSpans(prefix string, v, s span) bool {
	within := !v.low.Before(s.low) && !v.high.After(s.high)
	switch prefix {
	case "ne":
		return !within
	case "gt":
		return v.high.After(s.high)
	case "lt":
		return v.low.Before(s.low)
	case "ge":
		return within || v.high.After(s.high)
	case "le":
		return within || v.low.Before(s.low)
	case "sa":
		return !v.low.Before(s.high)
	case "eb":
		return !v.high.After(s.low)
	case "ap":
		length := s.high.Sub(s.low)
		return v.low.Before(s.high.Add(length)) && v.high.After(s.low.Add(-length))
	}
	return within
}
