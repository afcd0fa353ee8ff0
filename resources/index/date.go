package index

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// The ends of time, for spans without a beginning or an end.
const (
	Earliest int64 = math.MinInt64
	Latest   int64 = math.MaxInt64
)

// ErrDate is returned for text that is not a date, dateTime or instant.
var ErrDate = errors.New("malformed date")

const (
	second = 1000
	minute = 60 * second
	hour   = 60 * minute
	day    = 24 * hour
)

// ParseDate returns the span of a date, dateTime or instant, by its precision: 2024 is the whole
// year, 2024-02-03T10:15 a minute. Dates, and times without a zone, are in UTC. Fractions of
// seconds are truncated to milliseconds. Its errors are ErrDate.
//
// Source: https://hl7.org/fhir/R4/datatypes.html#dateTime, search.html#date.
func ParseDate(text string) (Span[int64], error) {
	if s, ok := parseDate(text); ok {
		return s, nil
	}
	return Span[int64]{}, fmt.Errorf("%w: %q", ErrDate, clip(text))
}

func parseDate(s string) (Span[int64], bool) {
	year, ok := digits(s, 0, 4)
	if !ok || year == 0 {
		return Span[int64]{}, false
	}
	if len(s) == 4 {
		return Span[int64]{daysOf(year, 1, 1) * day, daysOf(year+1, 1, 1) * day}, true
	}
	month, ok := digits(s, 5, 2)
	if !ok || s[4] != '-' || month < 1 || month > 12 {
		return Span[int64]{}, false
	}
	if len(s) == 7 {
		return Span[int64]{daysOf(year, month, 1) * day, daysOf(year, month+1, 1) * day}, true
	}
	date, ok := digits(s, 8, 2)
	if !ok || s[7] != '-' || date < 1 || date > daysIn(year, month) {
		return Span[int64]{}, false
	}
	at := daysOf(year, month, date) * day
	if len(s) == 10 {
		return Span[int64]{at, at + day}, true
	}
	if s[10] != 'T' {
		return Span[int64]{}, false
	}
	within, width, rest, ok := clock(s[11:])
	if !ok {
		return Span[int64]{}, false
	}
	offset, ok := zone(rest)
	at += within - offset
	return Span[int64]{at, at + width}, ok
}

// clock parses hh:mm, hh:mm:ss or hh:mm:ss.fff. It returns the milliseconds of the day, and how
// many the precision spans. A second of 60 is the first of the next minute.
func clock(s string) (at, width int64, rest string, ok bool) {
	h, ok1 := digits(s, 0, 2)
	m, ok2 := digits(s, 3, 2)
	if !ok1 || !ok2 || s[2] != ':' || h > 23 || m > 59 {
		return 0, 0, "", false
	}
	at, s = h*hour+m*minute, s[5:]
	if s == "" || s[0] != ':' {
		return at, minute, s, true
	}
	sec, ok := digits(s, 1, 2)
	if !ok || sec > 60 {
		return 0, 0, "", false
	}
	at, s = at+sec*second, s[3:]
	if s == "" || s[0] != '.' {
		return at, second, s, true
	}
	width = second
	i, unit := 1, int64(100)
	for ; i < len(s) && '0' <= s[i] && s[i] <= '9'; i++ {
		if unit > 0 {
			at, width, unit = at+int64(s[i]-'0')*unit, unit, unit/10
		}
	}
	return at, width, s[i:], i > 1
}

// zone parses Z, +hh:mm, -hh:mm or nothing. It returns the milliseconds by which local time is
// ahead.
func zone(s string) (ahead int64, ok bool) {
	if s == "" || s == "Z" {
		return 0, true
	}
	h, ok1 := digits(s, 1, 2)
	m, ok2 := digits(s, 4, 2)
	if len(s) != 6 || !ok1 || !ok2 || s[3] != ':' || h > 14 || m > 59 {
		return 0, false
	}
	ahead = h*hour + m*minute
	switch s[0] {
	case '+':
		return ahead, true
	case '-':
		return -ahead, true
	}
	return 0, false
}

// digits parses n digits at an index.
func digits(s string, at, n int) (int64, bool) {
	if len(s) < at+n {
		return 0, false
	}
	var v int64
	for _, c := range []byte(s[at : at+n]) {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = v*10 + int64(c-'0')
	}
	return v, true
}

// daysIn returns the number of days of a month.
func daysIn(year, month int64) int64 { return daysOf(year, month+1, 1) - daysOf(year, month, 1) }

// daysOf returns the days from 1970-01-01 to a date of the Gregorian calendar. Month 13 is January
// of the next year.
func daysOf(year, month, date int64) int64 {
	// Years begin in March here, so that the leap day comes last.
	y, m := year, month-3
	if month < 3 {
		y, m = year-1, month+9
	}
	leaps := y/4 - y/100 + y/400
	return y*365 + leaps + (153*m+2)/5 + date - 1 - 719468
}

// DateAsked returns the time that a search value matches: the span of its precision, which
// Approximately widens on each side by a tenth of its distance from now.
func DateAsked(p Prefix, text string, now time.Time) (Span[int64], error) {
	s, err := ParseDate(text)
	if err != nil || p != Approximately {
		return s, err
	}
	gap := now.UnixMilli() - s.Low
	by := max(gap, -gap) / 10
	return Span[int64]{s.Low - by, s.High + by}, nil
}
