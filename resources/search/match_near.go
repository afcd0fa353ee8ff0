package search

import "math"

// earthKm is the mean radius of the earth.
const earthKm = 6371.0088

// holds reports that a position is within the circle: distances are those on a sphere.
func (n *Near) holds(latitude, longitude float64) bool {
	rad := func(degrees float64) float64 { return degrees * math.Pi / 180 }
	a, b := rad(n.Latitude), rad(latitude)
	sinLat, sinLon := math.Sin((b-a)/2), math.Sin(rad(longitude-n.Longitude)/2)
	h := sinLat*sinLat + math.Cos(a)*math.Cos(b)*sinLon*sinLon
	return 2*earthKm*math.Asin(math.Sqrt(min(h, 1))) <= n.Km
}
