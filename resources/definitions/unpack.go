package definitions

// unpackTables reads the tables that are part of the program.
func unpackTables() *Tables {
	return &Tables{types: map[string]*Type{}, params: map[string][]*SearchParam{}, compartments: map[string]*Compartment{}}
}
