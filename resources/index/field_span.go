package index

import "math"

// Dates returns the ranges of the times that compare with what is asked for as a prefix says,
// and few others.
func (f Field) Dates(p Prefix, asked Span[int64]) []Range {
	if f.whole {
		return f.Has()
	}
	var dst []Range
	least := int64(0) // width of a class is more than this
	for class, most := range classes {
		low, high, ok := lows(p, asked, least, most)
		least = most
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

// lows bounds the Low of values that match and are wider than least, but not than most:
// low <= Low < high, Latest meaning that there is no bound.
func lows(p Prefix, asked Span[int64], least, most int64) (low, high int64, ok bool) {
	if most == math.MaxInt64 {
		least = 0 // what ends at no time may begin at any
	}
	equal := minus(asked.High, asked.Low) > least // such a value can be within
	reach := plusOne(minus(asked.High, most))     // from here on a value can end behind what is asked for
	switch p {
	case Equal:
		return asked.Low, asked.High, equal
	case Approximately:
		return plusOne(minus(asked.Low, most)), asked.High, true
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

// minus is a - b, at least Earliest; b is not negative, or both are ends of a span.
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

// Numbers returns the ranges of the numbers, and quantities of whatever unit, that compare
// with what is asked for as a prefix says, and few others.
func (f Field) Numbers(p Prefix, asked Span[Number]) []Range {
	return f.numbers(keyNumber, keySpan, nil, p, asked)
}

// Canonical returns the ranges of the quantities that compare with what is asked for as a
// prefix says, in a canonical unit of UCUM, and few others.
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
