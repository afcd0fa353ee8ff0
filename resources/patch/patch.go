package patch

import (
	"errors"
	"fmt"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
)

// The errors of this package wrap one of these.
var (
	// ErrMalformed is wrapped if the patch itself is malformed (400).
	ErrMalformed = errors.New("malformed patch")
	// ErrTest is wrapped if a test operation of a JSON Patch fails (409).
	ErrTest = errors.New("a test of the patch failed")
	// ErrPath is wrapped if the patch cannot be applied to the resource: a path that selects
	// nothing, a list that is shorter, an id that would change (422).
	ErrPath = errors.New("the patch cannot be applied")
)

const (
	maxOperations = 10_000
	// maxGrowth is how many bytes larger than the document the result may be.
	maxGrowth = 16 << 20
	// maxWork is how many bytes of documents the operations of a patch may process.
	maxWork = 256 << 20
)

// A Patch is a parsed patch. It is safe for concurrent use.
type Patch interface {
	// Apply returns the changed resource: a new slice, or doc if nothing changes. It applies all
	// operations or none. Errors wrap ErrTest or ErrPath, or are *r4.SyntaxError if doc is not
	// JSON.
	Apply(doc []byte) ([]byte, error)
}

// An operation is a step of a patch. It returns the text after it, nil if nothing changes.
type operation interface {
	apply(d *document.Document) ([]byte, error)
	// name describes the operation for messages: "replace /name/0".
	name() string
}

// operations are a patch that is applied step by step.
type operations []operation

// Apply implements Patch.
func (list operations) Apply(doc []byte) ([]byte, error) { return list.apply(doc, maxGrowth, maxWork) }

func (list operations) apply(doc []byte, maxGrowth, maxWork int) ([]byte, error) {
	before, err := document.Parse(doc, r4.Limits{})
	if err != nil {
		return nil, err
	}
	now, work := before, 0
	for i, op := range list {
		text, err := op.apply(now)
		if err != nil {
			return nil, fmt.Errorf("%w: operation %d (%s)", err, i, op.name())
		}
		if work += len(now.Source()); work > maxWork {
			return nil, fmt.Errorf("%w: too many operations for a resource of this size", ErrPath)
		}
		if text == nil {
			continue
		}
		if now, err = reread(text, len(doc)+maxGrowth); err != nil {
			return nil, fmt.Errorf("%w: operation %d (%s)", err, i, op.name())
		}
	}
	return now.Source(), sameResource(before, now)
}

// reread parses the result of an operation, which may have up to limit bytes.
func reread(text []byte, limit int) (*document.Document, error) {
	if len(text) > limit {
		return nil, fmt.Errorf("%w: the resource grows too large", ErrPath)
	}
	d, err := document.Parse(text, r4.Limits{})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPath, err)
	}
	return d, nil
}

// sameResource checks that a patch has not changed id and resourceType.
func sameResource(before, after *document.Document) error {
	if after.Root().Kind() != document.Object {
		return fmt.Errorf("%w: the result must be a resource, not %v", ErrPath, after.Root().Kind())
	}
	for _, name := range [...]string{"resourceType", "id"} {
		if !document.Equal(before.Root().Get(name), after.Root().Get(name)) {
			return fmt.Errorf("%w: a patch cannot change %s", ErrPath, name)
		}
	}
	return nil
}

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrMalformed}, args...)...)
}

func unfit(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrPath}, args...)...)
}

// JSON parses a patch whose kind its content tells, media type application/json: an array is a JSON
// Patch, Parameters are a FHIRPath Patch, and any other object is a JSON Merge Patch, such as the part of
// a resource that some clients send. Errors wrap ErrMalformed.
func JSON(t *definitions.Tables, body []byte) (Patch, error) {
	root, err := read(body)
	switch {
	case err != nil:
		return nil, err
	case root.Kind() == document.Array:
		return JSONPatch(body)
	case root.Get("resourceType").Is("Parameters"):
		return FHIRPath(t, body)
	}
	return MergePatch(body)
}

// read parses the body of a patch.
func read(body []byte) (document.Value, error) {
	d, err := document.Parse(body, r4.Limits{})
	if err != nil {
		return document.Value{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return d.Root(), nil
}
