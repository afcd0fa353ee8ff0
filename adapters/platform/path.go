package platform

import "fmt"

// pathOf makes a path of names below a base. A name that servers take for a step between
// folders is refused.
func pathOf(base string, names ...string) (string, error) {
	for _, name := range names {
		if name == "" || name == "." || name == ".." {
			return "", fmt.Errorf("%q cannot be a name below %s", name, base)
		}
		base += "/" + segment(name)
	}
	return base, nil
}
