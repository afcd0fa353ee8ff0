package uiadapter

// A room is a part of the page: a file of handlers and, unless it is reached from other rooms only,
// an entry in the navigation.
type room struct {
	// name is the prefix of the keys of its texts, and the name of its files. The text name.nav is
	// its entry in the navigation.
	name string
	// link is the address of its entry in the navigation, "" for none.
	link string
	// types are the resource types that a request must be permitted to read or search. Terminology that
	// is published is for everybody who may use its type; resources have permissions of their own.
	types []string
	// stored is true for rooms that need a server that stores resources.
	stored bool
	// routes are the handlers by their patterns (net/http.ServeMux).
	routes map[string]func(*Page) error
}

// rooms returns the table of rooms, in the order of the navigation.
func rooms() []*room {
	return []*room{
		findRoom(),
		treeRoom(),
		conceptRoom(),
		usesRoom(),
		valueSetRoom(),
		eclRoom(),
		mapRoom(),
		basketRoom(),
		dataRoom(),
		serverRoom(),
		apiRoom(),
		loginRoom(),
	}
}
