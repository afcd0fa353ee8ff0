package rf2

import (
	"context"

	"github.com/roget-health/roget/codesystem/loader"
)

// IsDelta reports whether a folder or zip archive only holds the Delta of a release, so that Load
// also needs the paths of that release.
func IsDelta(name string) bool {
	r := loader.Begin(context.Background(), loader.Options{})
	defer func() { _ = r.Close() }()
	files, err := r.Files(name)
	if err != nil {
		return false
	}
	found := false
	for i := range files {
		n, ok := parseName(files[i].Base())
		if !ok {
			continue
		}
		if n.release != delta {
			return false
		}
		found = true
	}
	return found
}
