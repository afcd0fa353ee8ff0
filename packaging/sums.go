package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
)

// sums writes the checksums of all results in the form of sha256sum.
func (r *release) sums() error {
	entries, err := os.ReadDir(r.out) // in the order of names
	if err != nil {
		return err
	}
	var list strings.Builder
	for _, entry := range entries {
		data, err := os.ReadFile(r.path(entry.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&list, "%x  %s\n", sha256.Sum256(data), entry.Name())
	}
	return os.WriteFile(r.path("SHA256SUMS"), []byte(list.String()), 0o644)
}
