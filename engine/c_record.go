package engine

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/conceptmap"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

// record is a published entry with what was made of it so far. It is shared between
// the states of the catalogue.
type record struct {
	*Entry
	layer layer
	seq   uint64 // order of publication; unique in an engine and its overlays

	index    lazy[*codesystem.Index]
	valueSet lazy[*r4.ValueSet]
	compiled lazy[*mapIndex]

	languagePack lazy[bool]
	refsetMaps   sync.Map // of a code system: *conceptmap.Refset by code
}

// canonical returns url|version.
func (r *record) canonical() string { return r4.JoinCanonical(r.Header.URL, r.Header.Version) }

// codeSystem returns the index, made on first use.
func (r *record) codeSystem() (*codesystem.Index, error) {
	x, err := r.index.get(r.CodeSystem)
	if err != nil {
		return nil, fmt.Errorf("code system %s: %w", r.canonical(), err)
	}
	return x, nil
}

// content returns the index unless the code system is one without content.
func (r *record) content() (*codesystem.Index, error) {
	if r.Content == "not-present" {
		return nil, fmt.Errorf("%w: %w: %s", issue.ErrUnknownSystem, issue.ErrNoContent, r.canonical())
	}
	return r.codeSystem()
}

// hasCodes reports that codes can be looked up in a code system: it is all there, or a
// part of it is. Examples of codes count as a part unless strict.
func (r *record) hasCodes(strict bool) bool {
	switch r.Content {
	case "not-present", "supplement":
		return false
	case "example":
		return !strict
	}
	return true
}

// definition returns the value set, read on first use.
func (r *record) definition() (*r4.ValueSet, error) {
	vs, err := r.valueSet.get(r.ValueSet)
	if err != nil {
		return nil, fmt.Errorf("value set %s: %w", r.canonical(), err)
	}
	return vs, nil
}

// mapIndex is a concept map ready for use, with the value sets it goes between.
type mapIndex struct {
	conceptmap.Translator
	source, target string
}

// conceptMap returns the index of the map, made on first use.
func (r *record) conceptMap() (*mapIndex, error) {
	m, err := r.compiled.get(func() (*mapIndex, error) {
		m, err := r.ConceptMap()
		if err != nil {
			return nil, err
		}
		x, err := conceptmap.New(m)
		if err != nil {
			return nil, err
		}
		return &mapIndex{Translator: x, source: m.Source(), target: m.Target()}, nil
	})
	if err != nil {
		return nil, fmt.Errorf("concept map %s: %w", r.canonical(), err)
	}
	return m, nil
}

// isLanguagePack reports that a supplement is one of displays only, to be used without
// being asked for.
func (r *record) isLanguagePack() bool {
	is, _ := r.languagePack.get(func() (bool, error) {
		list, err := r4.DecodeExtensions(r.Header.Extension)
		return err == nil && list.Text(supplementType) == languagePack, nil
	})
	return is
}

// lazy holds a value that is made when first asked for. Reading a value that is there
// takes one atomic load; making it happens once at a time and again only after an error.
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
