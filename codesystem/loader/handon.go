package loader

import (
	"fmt"

	"github.com/roget-health/roget/codesystem"
)

// HandOn builds the index of a builder and hands it to the sink, for formats with one code system
// in a file. Errors name the origin.
func (r *Reading) HandOn(b *codesystem.Builder, origin Origin, sink Sink) error {
	index, err := b.Build(r.ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", origin, err)
	}
	if err := sink.CodeSystem(index, origin); err != nil {
		return fmt.Errorf("%s: %w", origin, err)
	}
	r.Count(0, 1, 0)
	return nil
}
