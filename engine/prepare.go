package engine

import (
	"context"

	"github.com/roget-health/roget/codesystem"
)

// readCodeSystem builds the index of a CodeSystem document.
func readCodeSystem(ctx context.Context, data []byte) (*codesystem.Index, error) {
	panic("skeleton")
}

// Prepare checks and compiles a CodeSystem, ValueSet or ConceptMap document that is about
// to be stored, and returns the step that publishes it. Nothing changes before publish is
// called. It satisfies resources.Listener. body nil prepares a deletion.
func (e *Engine) Prepare(ctx context.Context, typ, id string, body []byte) (publish func(), err error) {
	panic("skeleton")
}
