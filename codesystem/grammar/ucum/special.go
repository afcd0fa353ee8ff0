package ucum

import "math"

// scale is the function of a special unit: it converts from the number on the scale to the number
// of the underlying unit, and back. A shift is exact; everything else is computed in floating
// point.
type scale struct {
	shift            string // the summand for the number on the scale; "" when the scale is not a shift
	toLinear, onward func(float64) float64
}

// scaleOf returns the scale for a function name of the table, or nil.
func scaleOf(name string) *scale {
	shift := func(by string) *scale { return &scale{shift: by} }
	// power is the scale of numbers that are per times the logarithm to a base.
	power := func(base, per float64) *scale {
		return &scale{
			toLinear: func(x float64) float64 { return math.Pow(base, x/per) },
			onward:   func(y float64) float64 { return per * math.Log(y) / math.Log(base) },
		}
	}
	switch name {
	case "Cel":
		return shift("273.15")
	case "degF":
		return shift("459.67")
	case "degRe":
		return shift("218.52")
	case "pH", "hpX":
		return power(10, -1)
	case "hpC":
		return power(100, -1)
	case "hpM":
		return power(1000, -1)
	case "hpQ":
		return power(50000, -1)
	case "ln":
		return power(math.E, 1)
	case "lg":
		return power(10, 1)
	case "lgTimes2":
		return power(10, 2)
	case "ld":
		return power(2, 1)
	case "tanTimes100", "100tan":
		return &scale{
			toLinear: func(x float64) float64 { return math.Atan(x / 100) },
			onward:   func(y float64) float64 { return 100 * math.Tan(y) },
		}
	case "sqrt":
		return &scale{
			toLinear: func(x float64) float64 { return x * x },
			onward:   math.Sqrt,
		}
	}
	return nil
}
