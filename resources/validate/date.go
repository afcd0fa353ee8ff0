package validate

// dateProblem checks that a text is YYYY, YYYY-MM or YYYY-MM-DD with an existing day.
func dateProblem(text string) string {
	if rest, _, ok := cutDate(text); !ok || rest != "" {
		return "expected YYYY, YYYY-MM or YYYY-MM-DD with an existing day"
	}
	return ""
}

// dateTimeProblem checks a date, or a full date with a time and a zone.
func dateTimeProblem(text string) string {
	rest, whole, ok := cutDate(text)
	if ok && rest == "" || ok && whole && isTimeWithZone(rest) {
		return ""
	}
	return "expected a date, or YYYY-MM-DDThh:mm:ss and a time zone"
}

// instantProblem checks a full date with a time and a zone.
func instantProblem(text string) string {
	if rest, whole, ok := cutDate(text); !ok || !whole || !isTimeWithZone(rest) {
		return "expected YYYY-MM-DDThh:mm:ss and a time zone"
	}
	return ""
}

// cutDate cuts a date off the front of a text. whole reports whether it has a day.
func cutDate(text string) (rest string, whole, ok bool) {
	year, rest, ok := cutDigits(text, 4)
	if !ok || year == 0 {
		return text, false, false
	}
	if rest == "" || rest[0] != '-' {
		return rest, false, true
	}
	month, rest, ok := cutDigits(rest[1:], 2)
	if !ok || month < 1 || month > 12 {
		return text, false, false
	}
	if rest == "" || rest[0] != '-' {
		return rest, false, true
	}
	day, rest, ok := cutDigits(rest[1:], 2)
	if !ok || day < 1 || day > daysIn(year, month) {
		return text, false, false
	}
	return rest, true, true
}

func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// cutDigits cuts a number of n digits off the front of a text.
func cutDigits(text string, n int) (number int, rest string, ok bool) {
	if len(text) < n {
		return 0, text, false
	}
	for i := range n {
		if text[i] < '0' || text[i] > '9' {
			return 0, text, false
		}
		number = 10*number + int(text[i]-'0')
	}
	return number, text[n:], true
}

// cutTime cuts hh:mm:ss with any fraction off the front of a text. A second of 60 is a leap second.
func cutTime(text string) (rest string, ok bool) {
	hour, rest, ok := cutDigits(text, 2)
	if !ok || hour > 23 || rest == "" || rest[0] != ':' {
		return text, false
	}
	minute, rest, ok := cutDigits(rest[1:], 2)
	if !ok || minute > 59 || rest == "" || rest[0] != ':' {
		return text, false
	}
	second, rest, ok := cutDigits(rest[1:], 2)
	if !ok || second > 60 {
		return text, false
	}
	if rest == "" || rest[0] != '.' {
		return rest, true
	}
	digits := 1
	for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
		digits++
	}
	return rest[digits:], digits > 1
}

// isTimeWithZone reports whether a text is "Thh:mm:ss" with a zone: Z, or an offset of up to
// fourteen hours.
func isTimeWithZone(text string) bool {
	if text == "" || text[0] != 'T' {
		return false
	}
	zone, ok := cutTime(text[1:])
	if !ok || zone == "" {
		return false
	}
	if zone == "Z" {
		return true
	}
	if zone[0] != '+' && zone[0] != '-' {
		return false
	}
	hour, rest, ok := cutDigits(zone[1:], 2)
	if !ok || rest == "" || rest[0] != ':' {
		return false
	}
	minute, rest, ok := cutDigits(rest[1:], 2)
	return ok && rest == "" && minute <= 59 && (hour < 14 || hour == 14 && minute == 0)
}
