package synth

import (
	"testing"
	"time"
)

// The calendar agrees with package time for all dates that can be generated, and some around
// them.
func TestCalendar(t *testing.T) {
	for d := day(-200_000); d < 60_000; d++ {
		want := time.Unix(int64(d)*oneDay, 0).UTC()
		year, month, dayOfMonth := d.civil()
		if year != want.Year() || month != int(want.Month()) || dayOfMonth != want.Day() {
			t.Fatalf("day %d is %d-%d-%d, not %v", d, year, month, dayOfMonth, want)
		}
		if back := dayOf(year, month, dayOfMonth); back != d {
			t.Fatalf("%v is day %d, not %d", want, back, d)
		}
	}
	for _, m := range []moment{1, 951_782_399, asOf, asOf - 1, -1, -86_401} {
		want := time.Unix(int64(m), 0).UTC().Format(time.RFC3339)
		if got := string(appendMoment(nil, m)); got != want {
			t.Errorf("moment %d is written %s, not %s", m, got, want)
		}
	}
	born := dayOf(2000, 2, 29)
	for _, row := range []struct{ y, m, d, want int }{{2001, 2, 28, 0}, {2001, 3, 1, 1}, {2004, 2, 28, 3}, {2004, 2, 29, 4}} {
		if got := born.years(dayOf(row.y, row.m, row.d)); got != row.want {
			t.Errorf("years to %v: %d", row, got)
		}
	}
}
