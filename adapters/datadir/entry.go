package datadir

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// Types of the resources in a pack.
const (
	typeCodeSystem = "CodeSystem"
	typeValueSet   = "ValueSet"
	typeConceptMap = "ConceptMap"
)

// Entries returns the terminology resources in the folder for engine.Publish, in the order they
// were added. Of entries with the same type, url and version it returns only the last one.
// Entries read and check their bytes on first use.
func (d *Dir) Entries() []*engine.Entry {
	d.mu.Lock()
	packs := slices.Clone(d.packs)
	d.mu.Unlock()

	total := 0
	for _, p := range packs {
		total += len(p.records)
	}
	entries := make([]*engine.Entry, 0, total)
	for n, p := range packs {
		for i := range p.records {
			if !superseded(packs[n+1:], p.records[i].identity()) {
				entries = append(entries, d.entry(p, i))
			}
		}
	}
	return entries
}

// Content returns a checksum of what Entries returns, whatever packs it is in, and the number of the newest
// pack, which grows with each load.
func (d *Dir) Content() (digest string, newest uint64) {
	d.mu.Lock()
	packs := slices.Clone(d.packs)
	d.mu.Unlock()

	var lines []string
	for n, p := range packs {
		newest = max(newest, packNumber(p.path))
		for i := range p.records {
			if r := &p.records[i]; !superseded(packs[n+1:], r.identity()) {
				lines = append(lines, fmt.Sprintf("%q %d %x\n", r.identity(), r.length, r.checks))
			}
		}
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "")))
	return hex.EncodeToString(sum[:12]), newest
}

// superseded reports whether one of the newer packs contains the identity too.
func superseded(newer []*pack, id identity) bool {
	for _, p := range newer {
		if _, ok := p.identities()[id]; ok {
			return true
		}
	}
	return false
}

func (d *Dir) entry(p *pack, i int) *engine.Entry {
	r := &p.records[i]
	e := &engine.Entry{
		Header:      r.header,
		Content:     r.content,
		Supplements: r.supplements,
		AllCodes:    r.allCodes,
		Concepts:    r.concepts,
		Origin:      r.origin,
	}
	document := func() ([]byte, error) {
		return readEntry(d, p, i, (*pack).bytes)
	}
	switch r.header.ResourceType {
	case typeCodeSystem:
		e.CodeSystem = func() (*codesystem.Index, error) { return readEntry(d, p, i, (*pack).index) }
	case typeValueSet:
		e.Document = document
		e.ValueSet = func() (*r4.ValueSet, error) { return decode(document, r4.DecodeValueSet) }
	case typeConceptMap:
		e.Document = document
		e.ConceptMap = func() (*r4.ConceptMap, error) { return decode(document, r4.DecodeConceptMap) }
	}
	return e
}

func decode[T any](document func() ([]byte, error), decode func([]byte) (*T, error)) (*T, error) {
	body, err := document()
	if err != nil {
		return nil, err
	}
	return decode(body)
}

// readEntry reads an entry of a pack with read. If its blob turns out to be unusable, the pack is
// recompiled from its sources, if possible.
func readEntry[T any](d *Dir, p *pack, i int, read func(*pack, int) (T, error)) (T, error) {
	v, err := read(p, i)
	if err == nil {
		return v, nil
	}
	var none T
	id := p.records[i].identity()
	if !unusable(err) {
		return none, fmt.Errorf("%s: %s: %w", p.path, id.url, err)
	}
	fresh, err := d.repair(context.Background(), p, fmt.Errorf("%s: %w", id.url, err))
	if err != nil {
		return none, &PackError{Path: p.path, Err: err}
	}
	j, ok := fresh.identities()[id]
	if !ok {
		return none, &PackError{Path: p.path, Err: corrupted("its sources no longer contain %s %s", id.typ, id.url)}
	}
	return read(fresh, j)
}
