package engine

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/formats"
	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

// Load reads the CodeSystems, ValueSets and ConceptMaps of files, folders and archives of
// any format that package formats knows, and publishes them in one step. Nothing is
// published on error; errors are those of formats.Load and Publish.
func (e *Engine) Load(ctx context.Context, paths ...string) error {
	var c Collector
	if err := formats.Load(ctx, paths, formats.Options{}, &c); err != nil {
		return err
	}
	return e.Publish(c.Entries...)
}

// Prepare checks and compiles a CodeSystem, ValueSet or ConceptMap document that is about
// to be stored, and returns the step that publishes it. Nothing changes before publish is
// called. It satisfies resources.Listener: body nil prepares a deletion, and types that
// are not of terminology are none of its business.
//
// A value set may name code systems and value sets that are not there (yet): that is an
// error of using it, not of storing it. Errors wrap ErrInvalidResource, and a
// *r4.SyntaxError, an error of codesystem.Builder, a *valueset.Error or a
// *conceptmap.Error that tells the place.
func (e *Engine) Prepare(ctx context.Context, typ, id string, body []byte) (publish func(), err error) {
	k, ok := catalog.KindOf(typ)
	if !ok {
		return func() {}, nil
	}
	if body == nil {
		return func() { e.Withdraw(typ, id) }, nil
	}
	entry, err := catalog.Prepare(ctx, k, typ+"/"+id, body)
	if err != nil {
		return nil, err
	}
	entry.Header.ID = id
	entry.Stored = true
	entry.Document = func() ([]byte, error) { return body, nil }
	return func() { e.publish(entry) }, nil
}

// Collector is a loader.Sink that makes entries of what is read, to publish them
// together. Not safe for concurrent use.
type Collector struct {
	// Entries are what was read, in order.
	Entries []*Entry
	// BuiltIn marks the entries as such.
	BuiltIn bool
}

// CodeSystem keeps an index.
func (c *Collector) CodeSystem(index *codesystem.Index, origin loader.Origin) error {
	c.add(CodeSystemEntry(index, ""), origin)
	return nil
}

// Document keeps a value set or concept map; it is decoded when it is first asked.
func (c *Collector) Document(kind string, header *r4.Header, body []byte, origin loader.Origin) error {
	e := &Entry{
		Header:   *header,
		Document: func() ([]byte, error) { return body, nil },
	}
	if kind == "ConceptMap" {
		e.ConceptMap = func() (*r4.ConceptMap, error) { return r4.DecodeConceptMap(body) }
	} else {
		e.ValueSet = func() (*r4.ValueSet, error) { return r4.DecodeValueSet(body) }
	}
	c.add(e, origin)
	return nil
}

func (c *Collector) add(e *Entry, origin loader.Origin) {
	e.BuiltIn = c.BuiltIn
	e.Origin = OriginText(origin)
	if c.BuiltIn {
		e.Origin = "built in"
	}
	c.Entries = append(c.Entries, e)
}

// CheckDocument reports what is wrong with a ValueSet or ConceptMap document in itself,
// as Prepare does: that it names things not published is no error.
func CheckDocument(kind string, body []byte) error {
	k, ok := catalog.KindOf(kind)
	if !ok || k == catalog.KindCodeSystem {
		return fmt.Errorf("%w: %s is not a value set or concept map", issue.ErrInvalidResource, kind)
	}
	_, err := catalog.Prepare(context.Background(), k, kind, body)
	return err
}

// OriginText names the place a resource was read from, for people: without the folders
// above its file.
func OriginText(o loader.Origin) string {
	o.Path = filepath.Base(o.Path)
	return o.String()
}
