package definitions

// Unpack unpacks the tables again.
func Unpack() *Tables { return unpackTables() }
