// Package pack writes what package packed reads. Only generators use it.
package pack

import (
	"bytes"
	"fmt"
	"os/exec"
)

// Frame returns a text as a frame that states its size. It calls the command zstd (Debian's package
// zstd), which packs a tenth tighter than any encoder in Go.
func Frame(text []byte) ([]byte, error) {
	zstd := exec.Command("zstd", "--ultra", "-22", "--no-check", "--single-thread", fmt.Sprintf("--stream-size=%d", len(text)), "-c") //nolint:gosec // a number
	zstd.Stdin = bytes.NewReader(text)
	frame, err := zstd.Output()
	if err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	return frame, nil
}
