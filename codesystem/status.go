package codesystem

import "time"

// Status returns the status of a concept as a code, or "" when none is stated: the value of its
// property status; else deprecated, inactive or retired, whichever the first of the properties
// deprecated, deprecationDate (a day in the past), inactive and retired states; else its standards
// status (the extension). Properties are recognized by their usual code and by the uri they are
// declared with.
func (x *Index) Status(o Ord) string {
	if x.flags[o]&flagStatus == 0 {
		return ""
	}
	pairs := x.props.list(o)
	for _, pair := range pairs {
		if x.props.roles[x.props.number(pair)] == roleStatus {
			return valueText(x.props.values.at(pair))
		}
	}
	for _, pair := range pairs {
		r := x.props.roles[x.props.number(pair)]
		if s := statusByRole(r, valueText(x.props.values.at(pair))); s != "" {
			return s
		}
	}
	return x.Extensions(o).Text(standardsStatus)
}

// statusByRole returns the status that a property other than status states.
func statusByRole(r role, text string) string {
	switch {
	case r == roleDeprecated && text == "true":
		return "deprecated"
	case r == roleDeprecationDate && isPast(text):
		return "deprecated"
	case r == roleInactive && text == "true":
		return "inactive"
	case r == roleRetired && text == "true":
		return "retired"
	}
	return ""
}

// isPast reports whether a dateTime of FHIR, with any precision, is before now.
func isPast(text string) bool {
	for _, layout := range []string{time.RFC3339, time.DateOnly, "2006-01", "2006"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.Before(time.Now())
		}
	}
	return false
}
