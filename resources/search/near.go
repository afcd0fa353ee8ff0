package search

import (
	"math"
	"strconv"

	"github.com/roget-health/roget/codesystem/grammar/ucum"
	"github.com/roget-health/roget/resources/r4"
)

// defaultKm is the default distance.
const defaultKm = 50

// parseNear parses latitude|longitude|distance|unit (https://hl7.org/fhir/R4/location.html#search,
// near). The unit is a UCUM unit of length, by default km.
func parseNear(a *Alternative) string {
	const form = "expected latitude|longitude|distance|unit, such as 42.25|-83.69|11.2|km"
	parts := cut(a.Text, '|')
	if len(parts) < 2 || len(parts) > 4 {
		return form
	}
	latitude, ok1 := degrees(parts[0], 90)
	longitude, ok2 := degrees(parts[1], 180)
	if !ok1 || !ok2 {
		return form
	}
	a.Near = Near{Latitude: latitude, Longitude: longitude, Km: defaultKm}
	if len(parts) > 2 && parts[2] != "" {
		unit := "km"
		if len(parts) == 4 && parts[3] != "" {
			unit = parts[3]
		}
		km, ok := kilometres(parts[2], unit)
		if !ok || km < 0 {
			return form
		}
		a.Near.Km = km
	}
	return ""
}

// degrees parses an angle.
func degrees(text string, limit float64) (float64, bool) {
	if _, err := r4.ParseDecimal(text); err != nil {
		return 0, false
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil && -limit <= f && f <= limit
}

// kilometres parses a distance in a UCUM unit.
func kilometres(text, unit string) (float64, bool) {
	from, err := ucum.Parse(unit)
	if err != nil || from.Canonical() != "m" {
		return 0, false
	}
	distance, err := r4.ParseDecimal(text)
	if err != nil {
		return 0, false
	}
	metres, err := from.ToCanonical(distance.Rat())
	if err != nil {
		return 0, false
	}
	f, _ := metres.Float64()
	return f / 1000, true
}

// earthKm is the mean radius of the earth.
const earthKm = 6371.0088

// holds reports whether a position is within the circle, with distances on a sphere.
func (n *Near) holds(latitude, longitude float64) bool {
	rad := func(degrees float64) float64 { return degrees * math.Pi / 180 }
	a, b := rad(n.Latitude), rad(latitude)
	sinLat, sinLon := math.Sin((b-a)/2), math.Sin(rad(longitude-n.Longitude)/2)
	h := sinLat*sinLat + math.Cos(a)*math.Cos(b)*sinLon*sinLon
	return 2*earthKm*math.Asin(math.Sqrt(min(h, 1))) <= n.Km
}
