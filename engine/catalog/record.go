package catalog

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/conceptmap"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

// A Record is a published entry with the data derived from it so far. States share records.
type Record struct {
	*Entry
	layer layer
	Seq   uint64 // sequence number, unique in an engine and its overlays

	index    lazy[*codesystem.Index]
	valueSet lazy[*r4.ValueSet]
	compiled lazy[*Map]

	languagePack lazy[bool]
	refsetMaps   sync.Map // of a code system: *conceptmap.Refset by code
}

// FromRequest reports whether the record came with the request.
func (r *Record) FromRequest() bool { return r.layer == layerRequest }

// Canonical returns url|version.
func (r *Record) Canonical() string { return r4.JoinCanonical(r.Header.URL, r.Header.Version) }

// Index returns the index of a code system, built on first use.
func (r *Record) Index() (*codesystem.Index, error) {
	x, err := r.index.get(r.CodeSystem)
	if err != nil {
		return nil, fmt.Errorf("code system %s: %w", r.Canonical(), err)
	}
	return x, nil
}

// PresentIndex is Index, with an error for a code system without content.
func (r *Record) PresentIndex() (*codesystem.Index, error) {
	if r.Content == "not-present" {
		return nil, fmt.Errorf("%w: %w: %s", issue.ErrUnknownSystem, issue.ErrNoContent, r.Canonical())
	}
	return r.Index()
}

// Definition returns the value set, decoded on first use.
func (r *Record) Definition() (*r4.ValueSet, error) {
	vs, err := r.valueSet.get(r.ValueSet)
	if err != nil {
		return nil, fmt.Errorf("value set %s: %w", r.Canonical(), err)
	}
	return vs, nil
}

// A Map is an indexed concept map with its source and target value sets.
type Map struct {
	conceptmap.Translator
	Source, Target string
}

// Map returns the indexed concept map, built on first use.
func (r *Record) Map() (*Map, error) {
	m, err := r.compiled.get(func() (*Map, error) {
		m, err := r.ConceptMap()
		if err != nil {
			return nil, err
		}
		x, err := conceptmap.New(m)
		if err != nil {
			return nil, err
		}
		return &Map{Translator: x, Source: m.Source(), Target: m.Target()}, nil
	})
	if err != nil {
		return nil, fmt.Errorf("concept map %s: %w", r.Canonical(), err)
	}
	return m, nil
}

// isLanguagePack reports whether a supplement is a language pack, which is used without being
// requested.
func (r *Record) isLanguagePack() bool {
	is, _ := r.languagePack.get(func() (bool, error) {
		list, err := r4.DecodeExtensions(r.Header.Extension)
		return err == nil && list.Text(supplementType) == languagePack, nil
	})
	return is
}

// A lazy is a value that is made on first use. Reading an existing value takes one atomic load.
// The value is never made concurrently, and made again only after an error.
type lazy[T any] struct {
	value atomic.Pointer[T]
	mu    sync.Mutex
}

func (l *lazy[T]) get(mk func() (T, error)) (T, error) {
	if v := l.value.Load(); v != nil {
		return *v, nil
	}
	return l.make(mk)
}

func (l *lazy[T]) make(mk func() (T, error)) (T, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if v := l.value.Load(); v != nil {
		return *v, nil
	}
	v, err := mk()
	if err != nil {
		var none T
		return none, err
	}
	l.value.Store(&v)
	return v, nil
}
