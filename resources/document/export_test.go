package document

// ParseMost is Parse with another limit of values.
var ParseMost = parse
