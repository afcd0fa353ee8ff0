package fhirpath

import (
	"cmp"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/roget-health/roget/resources/document"
)

// A moment is a date, a time, or both, as far as it is precise.
type moment struct {
	parts [6]int // year, month, day, hour, minute, nanoseconds of the minute
	count int    // of parts; those of a time begin at hour
	clock bool   // a time without a date
	zoned bool
	zone  int // minutes east of UTC
}

// parseMoment parses a date, dateTime, instant or time. Its parts are in their usual ranges.
func parseMoment(text string) (m moment, ok bool) {
	rest := text
	part := func(index, width, lowest, highest int) bool {
		if len(rest) < width {
			return false
		}
		n, err := strconv.ParseUint(rest[:width], 10, 32)
		if err != nil || int(n) < lowest || int(n) > highest {
			return false
		}
		m.parts[index], m.count, rest = int(n), index+1, rest[width:]
		return true
	}
	next := func(separator byte) bool {
		if rest == "" || rest[0] != separator {
			return false
		}
		rest = rest[1:]
		return true
	}
	if len(text) > 2 && text[2] == ':' || len(text) == 2 {
		m.clock = true
	} else {
		if !part(0, 4, 1, 9999) {
			return m, false
		}
		for i, highest := range [...]int{12, 31} {
			if i+1 == m.count && next('-') && !part(i+1, 2, 1, highest) {
				return m, false
			}
		}
		if rest == "" {
			return m, true
		}
		if !next('T') || m.count < 3 {
			return m, false
		}
	}
	if !part(3, 2, 0, 23) {
		return m, false
	}
	if next(':') && !part(4, 2, 0, 59) {
		return m, false
	}
	if m.count == 5 && next(':') {
		end := len(rest) - len(strings.TrimLeft(rest, ".0123456789"))
		whole, _, _ := strings.Cut(rest[:end], ".")
		seconds, err := strconv.ParseFloat(rest[:end], 64)
		if err != nil || seconds >= 61 || len(whole) != 2 || rest[end-1] == '.' {
			return m, false
		}
		m.parts[5], m.count, rest = int(seconds*1e9+0.5), 6, rest[end:]
	}
	if rest == "" || m.clock {
		return m, rest == ""
	}
	m.zoned = true
	if rest == "Z" {
		return m, true
	}
	if len(rest) != len("+hh:mm") || rest[3] != ':' {
		return m, false
	}
	hours, err := strconv.ParseUint(rest[1:3], 10, 8)
	minutes, other := strconv.ParseUint(rest[4:], 10, 8)
	if m.zone = int(hours*60 + minutes); rest[0] == '-' {
		m.zone = -m.zone
	}
	return m, err == nil && other == nil && hours <= 14 && minutes < 60 && (m.count > 4 || minutes == 0) && (rest[0] == '-' || rest[0] == '+')
}

// inUTC returns a time with a zone in UTC.
func (m moment) inUTC() moment {
	if m.zone == 0 {
		return m
	}
	t := time.Date(m.parts[0], time.Month(m.parts[1]), m.parts[2], m.parts[3], m.parts[4]-m.zone, 0, 0, time.UTC)
	m.parts = [6]int{t.Year(), int(t.Month()), t.Day(), t.Hour(), t.Minute(), m.parts[5]}
	m.zone = 0
	return m
}

// compareMoments orders two dates, or two times. It is not known if they are equal as far as the less
// precise one goes and the other goes further.
func compareMoments(a, b string) (order int, known bool) {
	x, is := parseMoment(a)
	y, both := parseMoment(b)
	if !is || !both || x.clock != y.clock {
		return 0, false
	}
	if x.count > 3 && y.count > 3 {
		x, y = x.inUTC(), y.inUTC()
	}
	for i := range min(x.count, y.count) {
		if order := cmp.Compare(x.parts[i], y.parts[i]); order != 0 {
			return order, true
		}
	}
	return 0, x.count == y.count
}

// calendarUnit returns the first letter of a unit of calendars, M for months and i for minutes, 0 for
// another word.
func calendarUnit(word string) byte {
	switch strings.TrimSuffix(word, "s") {
	case "year", "week", "day", "hour", "second":
		return word[0]
	case "month":
		return 'M'
	case "minute":
		return 'i'
	case "millisecond":
		return 'm'
	}
	return 0
}

// layouts are how moments are written, by their number of parts.
var layouts = [...]string{1: "2006", 2: "2006-01", 3: "2006-01-02", 4: "2006-01-02T15", 5: "2006-01-02T15:04", 6: "2006-01-02T15:04:05"}

// coarser converts a duration to the precision of a moment of some parts, if its unit, a letter of
// calendarUnit, is finer. What is left over does not count.
//
// Source: FHIRPath N1, 6.7 Date/Time Arithmetic, and 5.5.7 for the factors.
func coarser(n int, unit byte, parts int) (int, byte) {
	for {
		switch {
		case unit == 'm' && parts < 6:
			n, unit = n/1000, 's'
		case unit == 's' && parts < 6:
			n, unit = n/60, 'i'
		case unit == 'i' && parts < 5:
			n, unit = n/60, 'h'
		case unit == 'h' && parts < 4:
			n, unit = n/24, 'd'
		case unit == 'w':
			n, unit = 7*n, 'd'
		case unit == 'd' && parts == 1:
			n, unit = n/365, 'y' // not twelve months of 30 days
		case unit == 'd' && parts == 2:
			n, unit = n/30, 'M'
		case unit == 'M' && parts == 1:
			n, unit = n/12, 'y'
		default:
			return n, unit
		}
	}
}

// shifted adds a duration to a date or dateTime, or subtracts it. The result has the same precision.
func shifted(at, by Item, back bool) (Item, bool, error) {
	m, ok := parseMoment(at.Text())
	value, _, name := by.measure()
	n, err := strconv.Atoi(value.Text())
	unit := calendarUnit(name)
	const most = 10_000_000 // of any unit
	if !ok || err != nil || n > most || n < -most || unit == 0 || m.clock {
		return Item{}, false, errors.New("only whole numbers of years to milliseconds can be added to a date")
	}
	n, unit = coarser(n, unit, m.count)
	if back {
		n = -n
	}
	p := m.parts
	t := time.Date(p[0], time.Month(max(p[1], 1)), max(p[2], 1), p[3], p[4], 0, p[5], time.FixedZone("", m.zone*60))
	switch unit {
	case 'y':
		n *= 12
		fallthrough
	case 'M':
		// The last day of the month if it has not as many.
		first := time.Date(t.Year(), t.Month()+time.Month(n), 1, t.Hour(), t.Minute(), 0, p[5], t.Location())
		t = first.AddDate(0, 0, min(t.Day(), first.AddDate(0, 1, -1).Day())-1)
	case 'd':
		t = t.AddDate(0, 0, n)
	case 'h':
		t = t.Add(time.Duration(n) * time.Hour)
	case 'i':
		t = t.Add(time.Duration(n) * time.Minute)
	case 's':
		t = t.Add(time.Duration(n) * time.Second)
	default:
		t = t.Add(time.Duration(n) * time.Millisecond)
	}
	if t.Year() < 1 || t.Year() > 9999 {
		return Item{}, false, nil
	}
	layout := layouts[m.count]
	if m.count == 6 && (p[5]%1e9 != 0 || unit == 'm') {
		layout += ".000"
	}
	if m.zoned {
		layout += "Z07:00"
	}
	result := momentItem(t.Format(layout))
	result.dateTime = at.dateTime
	return result, true, nil
}

func momentItem(text string) Item { return Item{kind: document.String, text: text, moment: true} }

func now(*Scope, Item, []Item) (Item, bool, error) {
	return momentItem(time.Now().Format("2006-01-02T15:04:05.000Z07:00")), true, nil
}

func today(*Scope, Item, []Item) (Item, bool, error) {
	return momentItem(time.Now().Format(time.DateOnly)), true, nil
}

func timeOfDay(*Scope, Item, []Item) (Item, bool, error) {
	return momentItem(time.Now().Format("15:04:05.000")), true, nil
}
