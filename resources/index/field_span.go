package index

import "math"

// Dates returns the ranges of the times that compare with the requested time as a prefix requires,
// and of few others.
func (f Field) Dates(p Prefix, asked Span[int64]) []Range {
	if f.whole {
		return f.Has()
	}
	var dst []Range
	least := int64(0) // widths of the class are greater than this
	for class, limit := range classes {
		low, high, ok := lows(p, asked, least, limit)
		least = limit
		if !ok {
			continue
		}
		from := appendTime(nil, low)
		var to []byte
		if high != Latest {
			to = appendTime(nil, high)
		}
		dst = f.bounds(dst, keyDate, []byte{byte(class)}, from, to)
	}
	return ordered(dst)
}

// lows bounds the Low of matching values that are wider than least but not wider than limit: low <=
// Low < high, with Latest for no bound.
func lows(p Prefix, asked Span[int64], least, limit int64) (low, high int64, ok bool) {
	if limit == math.MaxInt64 {
		least = 0 // a value without end may begin at any time
	}
	equal := minus(asked.High, asked.Low) > least // whether such a value can be within
	reach := plusOne(minus(asked.High, limit))    // from here on a value can end after the requested time
	switch p {
	case Equal:
		return asked.Low, asked.High, equal
	case Approximately:
		return plusOne(minus(asked.Low, limit)), asked.High, true
	case Greater:
		return reach, Latest, true
	case GreaterEqual:
		return min(asked.Low, reach), Latest, true
	case Less:
		return Earliest, asked.Low, true
	case LessEqual:
		return Earliest, asked.High, true
	case StartsAfter:
		return asked.High, Latest, true
	case EndsBefore:
		return Earliest, minus(asked.Low, least), true
	}
	return Earliest, Latest, true
}

// minus returns a - b, at least Earliest. b is not negative, or both are ends of a span.
func minus(a, b int64) int64 {
	switch d := a - b; {
	case b >= 0 && d > a:
		return Earliest
	case b < 0 && d < a:
		return Latest
	default:
		return d
	}
}

func plusOne(a int64) int64 {
	if a == Latest || a == Earliest {
		return a
	}
	return a + 1
}

// Numbers returns the ranges of the numbers, and quantities of any unit, that compare with the
// requested span as a prefix requires, and of few others.
func (f Field) Numbers(p Prefix, asked Span[Number]) []Range {
	return f.numbers(keyNumber, keySpan, nil, p, asked)
}

// Canonical returns the ranges of the quantities in a canonical UCUM unit that compare with the
// requested span as a prefix requires, and of few others.
func (f Field) Canonical(p Prefix, asked Span[Number], unit string) []Range {
	return f.numbers(keyCanonical, keyWide, appendUnit(nil, unit), p, asked)
}

func (f Field) numbers(point, wide byte, unit []byte, p Prefix, asked Span[Number]) []Range {
	if f.whole {
		return f.Has()
	}
	low, high := []byte(asked.Low), []byte(asked.High)
	var dst []Range
	switch p {
	case Equal:
		dst = f.bounds(dst, point, unit, low, high)
		dst = f.bounds(dst, wide, unit, low, high)
	case Approximately:
		dst = f.bounds(dst, point, unit, low, high)
		dst = f.bounds(dst, wide, unit, nil, high)
	case Greater:
		dst = f.bounds(dst, point, unit, high, nil)
		dst = f.bounds(dst, wide, unit, nil, nil)
	case GreaterEqual:
		dst = f.bounds(dst, point, unit, low, nil)
		dst = f.bounds(dst, wide, unit, nil, nil)
	case StartsAfter:
		dst = f.bounds(dst, point, unit, high, nil)
		dst = f.bounds(dst, wide, unit, high, nil)
	case Less, EndsBefore:
		dst = f.bounds(dst, point, unit, nil, low)
		dst = f.bounds(dst, wide, unit, nil, low)
	case LessEqual:
		dst = f.bounds(dst, point, unit, nil, high)
		dst = f.bounds(dst, wide, unit, nil, high)
	default:
		dst = f.bounds(dst, point, unit, nil, low)
		dst = f.bounds(dst, point, unit, high, nil)
		dst = f.bounds(dst, wide, unit, nil, nil)
	}
	return ordered(dst)
}

// Near returns the ranges of positions that may be within a distance.
func (f Field) Near(latitude, km float64) []Range {
	degrees := km/110.5 + 1e-6 // a degree of latitude is 110.6 to 111.7 km
	from := appendDegrees(nil, max(latitude-degrees, -180))
	return f.bounds(nil, keyPosition, nil, from, after(appendDegrees(nil, min(latitude+degrees, 180))))
}
