package index

import "cmp"

// Span is a stretch of times or numbers: Low <= x < High. Times are milliseconds since
// 1970, UTC, with Earliest and Latest for what is open; numbers are of type Number, with
// Least and Greatest.
type Span[T cmp.Ordered] struct{ Low, High T }

// Holds reports that a value found, v, compares with what is asked for, s, as a prefix says.
func (s Span[T]) Holds(p Prefix, v Span[T]) bool {
	switch p {
	case Equal:
		return s.contains(v)
	case NotEqual:
		return !s.contains(v)
	case Greater:
		return v.High > s.High
	case Less:
		return v.Low < s.Low
	case GreaterEqual:
		return v.High > s.High || s.contains(v)
	case LessEqual:
		return v.Low < s.Low || s.contains(v)
	case StartsAfter:
		return v.Low >= s.High
	case EndsBefore:
		return v.High <= s.Low
	case Approximately:
		return v.Low < s.High && s.Low < v.High
	}
	return false
}

func (s Span[T]) contains(v Span[T]) bool { return s.Low <= v.Low && v.High <= s.High }
