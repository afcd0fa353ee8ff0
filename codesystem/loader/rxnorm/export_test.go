package rxnorm

import (
	"context"

	"github.com/roget-health/roget/codesystem/loader"
)

// LoadFiles is Load for files in memory.
func LoadFiles(ctx context.Context, files []loader.File, sink loader.Sink) error {
	reading := loader.Begin(ctx, loader.Options{})
	defer func() { _ = reading.Close() }()
	return read(reading, "r", files, loader.Identity{}, sink)
}
