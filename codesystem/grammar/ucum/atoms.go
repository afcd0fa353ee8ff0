package ucum

// URL is the canonical of UCUM as a code system.
const URL = "http://unitsofmeasure.org"

// Version is the version of the published table, as Edition returns it, without reading the table.
const Version = "2.2"

// An Atom is a unit with its own symbol, as published.
type Atom struct {
	Code, Name, Property       string
	Metric, Special, Arbitrary bool
}

// Atoms lists the units with their own symbol, base units first, in the order of the published
// table.
func Atoms() ([]Atom, error) {
	t, err := load()
	if err != nil {
		return nil, err
	}
	out := make([]Atom, len(t.order))
	for i, a := range t.order {
		out[i] = Atom{a.code, a.name, a.property, a.metric, a.special, a.arbitrary}
	}
	return out, nil
}

// Edition returns the version of the published table ("2.2") and its date (2024-06-17).
func Edition() (version, date string, err error) {
	t, err := load()
	if err != nil {
		return "", "", err
	}
	return t.version, t.date, nil
}
