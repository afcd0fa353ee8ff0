// Package engine is the façade a library user meets.
package engine

import (
	"context"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// Entry is one terminology resource the engine answers from. Header is always there;
// exactly one of CodeSystem, ValueSet, ConceptMap is set, and may do its work late:
// the engine calls it at most once at a time and keeps the result.
type Entry struct {
	Header      r4.Header
	Content     string // CodeSystem.content
	Supplements string // CodeSystem.supplements
	Concepts    int    // CodeSystem: number of concepts
	Origin      string // where it came from, for people: a file, "stored", "built in"
	Stored      bool   // kept in the resource store: may be changed and deleted over HTTP
	CodeSystem  func() (*codesystem.Index, error)
	ValueSet    func() (*r4.ValueSet, error)
	ConceptMap  func() (*r4.ConceptMap, error)
	// Document gives the JSON as sent; nil when only the index is there (a CodeSystem
	// from a snapshot is then written from its index).
	Document func() ([]byte, error)
}

// Engine answers terminology operations from the resources published to it. Safe for
// concurrent use; Publish swaps atomically while requests run.
type Engine struct{}

// Option configures New.
type Option func(*Engine)

// New makes an engine.
func New(opts ...Option) *Engine { panic("skeleton") }

// Publish adds entries in one atomic step. An entry of the same type and id replaces;
// of the same url|version too (the later published wins; stored ones beat loaded ones).
func (e *Engine) Publish(entries ...*Entry) error { panic("skeleton") }

// Withdraw removes the stored entry of a type and id, uncovering a loaded one it shadowed.
func (e *Engine) Withdraw(typ, id string) { panic("skeleton") }

// Entries lists what is published of a type ("CodeSystem", "ValueSet", "ConceptMap"), by url then version.
func (e *Engine) Entries(typ string) []*Entry { panic("skeleton") }

// Entry finds one by type and id.
func (e *Engine) Entry(typ, id string) (*Entry, bool) { panic("skeleton") }

// Prepare checks and compiles a CodeSystem, ValueSet or ConceptMap document that is about
// to be stored, and returns the step that publishes it. Nothing changes before publish is
// called. It satisfies resources.Listener. body nil prepares a deletion.
func (e *Engine) Prepare(ctx context.Context, typ, id string, body []byte) (publish func(), err error) {
	panic("skeleton")
}
