package document

// ParseMost is Parse with another limit on the number of values.
var ParseMost = parse
