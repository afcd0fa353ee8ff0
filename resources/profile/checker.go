package profile

import (
	"context"
	"errors"
	"sync"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
)

// A Source has StructureDefinitions. It must be safe for concurrent use.
type Source interface {
	// Definition returns the JSON of the StructureDefinition with a url, and of any version if
	// version is ""; nil if there is none.
	Definition(ctx context.Context, url, version string) ([]byte, error)
	// Generation returns a text that changes whenever an answer of Definition may have changed.
	Generation(ctx context.Context) (string, error)
}

// Terminology has the codes of value sets. *engine.Engine implements it.
type Terminology interface {
	// CodesIn returns the codes of a value set, named by its canonical (url or url|version).
	CodesIn(ctx context.Context, valueSet string) (r4.Codes, error)
}

// Resolve returns the resource that a reference names, nil if it is not known. Contained resources,
// and resources of the same Bundle, are found without it.
type Resolve func(ctx context.Context, reference string) (*document.Document, error)

// Limits of the compiled definitions that a Checker keeps: their number, and approximately their
// bytes.
const (
	maxKept      = 1000
	maxKeptBytes = 64 << 20
	nodeBytes    = 500
)

// A Checker checks documents against profiles. It is safe for concurrent use.
type Checker struct {
	tables      *definitions.Tables
	source      Source
	terminology Terminology // nil: bindings are not checked

	mu         sync.Mutex
	generation string
	kept       map[string]verdict // by canonical
	bytes      int                // of kept
}

// A verdict is a compiled definition, or why there is none.
type verdict struct {
	p   *compiled
	err error
}

// A sourceError is an error of the Source, which says nothing about a definition.
type sourceError struct{ err error }

func (e *sourceError) Error() string { return e.err.Error() }

func (e *sourceError) Unwrap() error { return e.err }

// New returns a Checker. terminology may be nil: then a warning says that bindings are not checked.
func New(t *definitions.Tables, source Source, terminology Terminology) *Checker {
	return &Checker{tables: t, source: source, terminology: terminology}
}

// refresh forgets compiled definitions if definitions have changed since.
func (c *Checker) refresh(ctx context.Context) error {
	now, err := c.source.Generation(ctx)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil || c.generation != now {
		c.generation, c.kept, c.bytes = now, map[string]verdict{}, 0
	}
	return nil
}

// lookup returns a compiled definition, from those that are kept if it is there.
func (c *Checker) lookup(ctx context.Context, canonical string) (*compiled, error) {
	c.mu.Lock()
	v, found := c.kept[canonical]
	generation := c.generation
	c.mu.Unlock()
	if found {
		return v.p, v.err
	}
	p, err := c.compile(ctx, canonical, nil)
	if _, failed := errors.AsType[*sourceError](err); failed || ctx.Err() != nil {
		return nil, err
	}
	size := nodeBytes
	if p != nil {
		size = p.bytes + nodeBytes*p.root.size()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.generation == generation {
		if len(c.kept) >= maxKept || c.bytes+size > maxKeptBytes {
			c.kept, c.bytes = map[string]verdict{}, 0
		}
		c.kept[canonical] = verdict{p, err}
		c.bytes += size
	}
	return p, err
}
