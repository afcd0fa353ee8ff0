package uiadapter

import "time"

// layouts are the precisions of dates in FHIR.
var layouts = [...]string{time.RFC3339, "2006-01-02", "2006-01", "2006"}

// moment returns the beginning of a date of FHIR.
func moment(s string) (t time.Time, ok bool) {
	for _, layout := range layouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return t, false
}

// A scale places moments on a line of a width.
type scale struct {
	from, to time.Time
	width    float64
}

// x returns where a moment is.
func (s *scale) x(t time.Time) float64 {
	span := s.to.Sub(s.from)
	if span <= 0 {
		return s.width / 2
	}
	return s.width * min(max(float64(t.Sub(s.from))/float64(span), 0), 1)
}

// A Mark is a moment on an axis with its name.
type Mark struct {
	X, Y int
	Text string
}

// marks returns moments with names for an axis, most of them at most: years, months or days.
func (s *scale) marks(most int) []Mark {
	var list []Mark
	days := s.to.Sub(s.from).Hours() / 24
	step := func(years, months, day int, layout string) []Mark {
		list = nil
		t := time.Date(s.from.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
		switch {
		case day > 0:
			t = time.Date(s.from.Year(), s.from.Month(), s.from.Day(), 0, 0, 0, 0, time.UTC)
		case years > 0:
			t = time.Date(s.from.Year()/years*years, 1, 1, 0, 0, 0, 0, time.UTC)
		}
		for ; !t.After(s.to) && len(list) <= most; t = t.AddDate(years, months, day) {
			if !t.Before(s.from) {
				list = append(list, Mark{X: int(s.x(t)), Text: t.Format(layout)})
			}
		}
		return list
	}
	if days <= 0 {
		return []Mark{{X: int(s.width / 2), Text: s.from.Format("2006-01-02")}}
	}
	for _, every := range [...]struct {
		least               float64 // days
		years, months, days int
		layout              string
	}{
		{0, 0, 0, 1, "01-02"},
		{0, 0, 0, 7, "01-02"},
		{40, 0, 1, 0, "2006-01"},
		{200, 0, 3, 0, "2006-01"},
		{300, 0, 6, 0, "2006-01"},
		{400, 1, 0, 0, "2006"},
		{800, 2, 0, 0, "2006"},
		{2000, 5, 0, 0, "2006"},
		{4000, 10, 0, 0, "2006"},
		{9000, 25, 0, 0, "2006"},
		{30000, 100, 0, 0, "2006"},
	} {
		if days < every.least {
			break
		}
		if found := step(every.years, every.months, every.days, every.layout); len(found) <= most && len(found) > 0 {
			return found
		}
	}
	return []Mark{{X: 0, Text: s.from.Format("2006-01-02")}, {X: int(s.width), Text: s.to.Format("2006-01-02")}}
}
