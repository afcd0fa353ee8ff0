package synth

// A moment is a time in seconds since 1970-01-01T00:00:00Z, always in UTC. The zero moment means
// "no time".
type moment int64

// A day is a date in days since 1970-01-01. The zero day means "no date".
type day int64

const (
	minute = 60
	hour   = 60 * minute
	oneDay = 24 * hour
)

// asOf is the present of the generated data: no past event is later.
const asOf = moment(20_089 * oneDay) // 2025-01-01T00:00:00Z

// day returns the date of a moment.
func (m moment) day() day {
	d := int64(m) / oneDay
	if int64(m)%oneDay < 0 {
		d--
	}
	return day(d)
}

// at returns the moment at a time of the day.
func (d day) at(hours, minutes int) moment {
	return moment(int64(d)*oneDay + int64(hours)*hour + int64(minutes)*minute)
}

// civil returns the year, month and day of a date in the Gregorian calendar. It counts years from
// March, in eras of 400 years, which all have the same number of days.
func (d day) civil() (year, month, dayOfMonth int) {
	z := int64(d) + 719_468 // days since 0000-03-01
	era := z / 146_097
	if z < 0 {
		era = (z - 146_096) / 146_097
	}
	n := z - era*146_097 // day of the era
	y := (n - n/1_460 + n/36_524 - n/146_096) / 365
	n -= 365*y + y/4 - y/100 // day of the year
	m := (5*n + 2) / 153     // month, March is 0
	dayOfMonth = int(n - (153*m+2)/5 + 1)
	if month = int(m) + 3; month > 12 {
		month -= 12
	}
	year = int(y + era*400)
	if month <= 2 {
		year++
	}
	return year, month, dayOfMonth
}

// dayOf returns the date for a year, month and day of the Gregorian calendar.
func dayOf(year, month, dayOfMonth int) day {
	y, m := int64(year), int64(month)
	if m <= 2 {
		y--
		m += 12
	}
	era := y / 400
	if y < 0 {
		era = (y - 399) / 400
	}
	y -= era * 400
	n := (153*(m-3)+2)/5 + int64(dayOfMonth) - 1
	return day(era*146_097 + y*365 + y/4 - y/100 + n - 719_468)
}

// years returns the number of full years between two dates.
func (d day) years(to day) int {
	y1, m1, d1 := d.civil()
	y2, m2, d2 := to.civil()
	n := y2 - y1
	if m2 < m1 || m2 == m1 && d2 < d1 {
		n--
	}
	return n
}

// appendDate appends a date such as 2024-02-29.
func appendDate(dst []byte, d day) []byte {
	year, month, dayOfMonth := d.civil()
	dst = appendDigits(dst, year, 4)
	dst = appendDigits(append(dst, '-'), month, 2)
	return appendDigits(append(dst, '-'), dayOfMonth, 2)
}

// appendMoment appends a dateTime or instant such as 2024-02-29T10:15:00Z.
func appendMoment(dst []byte, m moment) []byte {
	d := m.day()
	dst = append(appendDate(dst, d), 'T')
	dst = appendTime(dst, int(int64(m)-int64(d)*oneDay))
	return append(dst, 'Z')
}

// appendTime appends a time of day such as 10:15:00.
func appendTime(dst []byte, seconds int) []byte {
	dst = appendDigits(dst, seconds/hour, 2)
	dst = appendDigits(append(dst, ':'), seconds/minute%60, 2)
	return appendDigits(append(dst, ':'), seconds%60, 2)
}

// appendDigits appends a number, padded with zeros to width digits. The number must not have more
// digits.
func appendDigits(dst []byte, n, width int) []byte {
	for range width {
		dst = append(dst, '0')
	}
	for i := len(dst) - 1; n > 0; i-- {
		dst[i] = byte('0' + n%10)
		n /= 10
	}
	return dst
}
