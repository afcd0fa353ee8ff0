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

// Load reads the CodeSystems, ValueSets and ConceptMaps in files, folders and archives of any
// format that package formats supports, and publishes them in one step. If there is an error,
// nothing is published. It returns the errors of formats.Load and Publish.
func (e *Engine) Load(ctx context.Context, paths ...string) error {
	var c Collector
	if err := formats.Load(ctx, paths, formats.Options{}, &c); err != nil {
		return err
	}
	return e.Publish(c.Entries...)
}

// Prepare checks and compiles a CodeSystem, ValueSet or ConceptMap document that is about
// to be stored, and returns the function that publishes it. Nothing changes before publish is
// called. Prepare implements resources.Listener: a nil body prepares a deletion, and other
// types are ignored.
//
// A value set may name code systems and value sets that do not exist yet: this is an error
// when it is used, not when it is stored. Errors wrap ErrInvalidResource, and a
// *r4.SyntaxError, an error of codesystem.Builder, a *valueset.Error or a
// *conceptmap.Error with the position.
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

// A Collector is a loader.Sink that collects entries, to publish them together. It is not safe for
// concurrent use.
type Collector struct {
	// Entries are the collected entries, in the order in which they were read.
	Entries []*Entry
	// BuiltIn marks the entries as built in.
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
