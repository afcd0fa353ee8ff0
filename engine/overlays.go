package engine

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/resolve"
	"github.com/roget-health/roget/valueset"
)

// OverlayLimits are limits for resources that come with requests. A zero field means the default.
type OverlayLimits struct {
	// MaxResources bounds the resources of one request, including those of the cache it names;
	// default 1,000.
	MaxResources int
	// MaxBytes bounds the total size of these documents; default 16 MiB.
	MaxBytes int64
	// CacheBytes is the size of the cache of overlays; default 128 MiB, which is enough for the
	// largest overlay.
	CacheBytes int64
	// MaxRemembered bounds the caches that clients start; default 100. More are refused.
	MaxRemembered int
	// RememberedBytes bounds the total size of the documents in these caches; default 64 MiB. What
	// exceeds it is refused. The index that replaces a document in memory usually has one to three
	// times its size.
	RememberedBytes int64
	// Idle is the time after which an unused cache ends; default 30 minutes.
	Idle time.Duration
}

// DefaultOverlayLimits returns the default limits.
func DefaultOverlayLimits() OverlayLimits {
	return OverlayLimits{
		MaxResources:    1000,
		MaxBytes:        16 << 20,
		CacheBytes:      128 << 20,
		MaxRemembered:   100,
		RememberedBytes: 64 << 20,
		Idle:            30 * time.Minute,
	}
}

func (l OverlayLimits) orDefaults() OverlayLimits {
	d := DefaultOverlayLimits()
	if l.MaxResources <= 0 {
		l.MaxResources = d.MaxResources
	}
	if l.MaxBytes <= 0 {
		l.MaxBytes = d.MaxBytes
	}
	if l.CacheBytes <= 0 {
		l.CacheBytes = d.CacheBytes
	}
	if l.MaxRemembered <= 0 {
		l.MaxRemembered = d.MaxRemembered
	}
	if l.RememberedBytes <= 0 {
		l.RememberedBytes = d.RememberedBytes
	}
	if l.Idle <= 0 {
		l.Idle = d.Idle
	}
	return l
}

// Overlays makes engines for requests that come with resources (tx-resource of the terminology
// ecosystem). It caches them, because clients send the same resources with many requests. It is
// safe for concurrent use.
type Overlays struct {
	base   *Engine
	limits OverlayLimits
	caches *caches

	mu     sync.Mutex
	source *resolve.Source // that all cached overlays are made from
	kept   *valueset.Cache[digest, *Engine]
}

// A digest is the SHA-256 of a document, of the digests of several documents, or of a CacheKey.
type digest [sha256.Size]byte

// A document is a resource that came with a request.
type document struct {
	sum   digest
	size  int64
	entry *Entry // nil if the type is not one of terminology
}

// NewOverlays returns Overlays on base.
func NewOverlays(base *Engine, limits OverlayLimits) *Overlays {
	limits = limits.orDefaults()
	return &Overlays{
		base:   base,
		limits: limits,
		caches: newCaches(limits, base.family.settings.Now),
		kept:   valueset.NewCache[digest, *Engine](limits.CacheBytes),
	}
}

// Limits returns the limits with the defaults filled in.
func (o *Overlays) Limits() OverlayLimits { return o.limits }

// For returns the engine for a request: the base with the resources of the request, which take
// precedence. name is the parameter of the resources, for errors, which are *ParameterError.
func (o *Overlays) For(name string, resources []json.RawMessage) (*Engine, error) {
	if len(resources) == 0 {
		return o.base, nil
	}
	sums, err := o.sums(name, resources)
	if err != nil {
		return nil, err
	}
	return o.overlay(sums, func() ([]*document, error) { return read(name, resources, sums, nil) })
}

// sums checks the limits of one request and returns the digests of its resources.
func (o *Overlays) sums(name string, resources []json.RawMessage) ([]digest, error) {
	var size int64
	for _, body := range resources {
		size += int64(len(body))
	}
	if err := o.within(name, len(resources), size); err != nil {
		return nil, err
	}
	sums := make([]digest, len(resources))
	for i, body := range resources {
		sums[i] = sha256.Sum256(body)
	}
	return sums, nil
}

// documents decodes the resources of a request. known are documents decoded before.
func (o *Overlays) documents(name string, resources []json.RawMessage, known map[digest]*document) ([]*document, error) {
	sums, err := o.sums(name, resources)
	if err != nil {
		return nil, err
	}
	return read(name, resources, sums, known)
}

// within checks the limits of one request.
func (o *Overlays) within(name string, n int, size int64) error {
	switch {
	case n > o.limits.MaxResources:
		return issue.Invalid(name, fmt.Sprintf("%d resources, more than the %d a request may bring", n, o.limits.MaxResources))
	case size > o.limits.MaxBytes:
		return issue.Invalid(name, fmt.Sprintf("the resources have %d bytes, more than the %d a request may bring", size, o.limits.MaxBytes))
	}
	return nil
}

// overlay returns the engine of a list of documents, from the cache if possible.
func (o *Overlays) overlay(sums []digest, documents func() ([]*document, error)) (*Engine, error) {
	if len(sums) == 0 {
		return o.base, nil
	}
	h := sha256.New()
	for i := range sums {
		_, _ = h.Write(sums[i][:]) // a hash never fails
	}
	key := digest(h.Sum(nil))
	kept, base := o.current()
	if e, ok := kept.Get(key); ok {
		return e, nil
	}
	list, err := documents()
	if err != nil {
		return nil, err
	}
	e, err := o.engine(base, list)
	if err != nil {
		return nil, err
	}
	kept.Add(key, e, overlayCost(list))
	return e, nil
}

// engine returns an engine with documents on top of a state of the base.
func (o *Overlays) engine(base *resolve.Source, list []*document) (*Engine, error) {
	src, err := base.With(entriesOf(list))
	if err != nil {
		return nil, err
	}
	return o.base.on(src), nil
}

// current returns the cache of overlays on the current state. If something was published, the
// overlays of the former state are dropped.
func (o *Overlays) current() (*valueset.Cache[digest, *Engine], *resolve.Source) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if src := o.base.source(); src != o.source {
		o.source, o.kept = src, valueset.NewCache[digest, *Engine](o.limits.CacheBytes)
	}
	return o.kept, o.source
}

// read decodes the documents of a request. known are documents decoded before.
func read(name string, resources []json.RawMessage, sums []digest, known map[digest]*document) ([]*document, error) {
	documents := make([]*document, len(resources))
	for i, body := range resources {
		if d := known[sums[i]]; d != nil {
			documents[i] = d
			continue
		}
		place := fmt.Sprintf("%s[%d]", name, i)
		typ, err := catalog.DocumentType(place, body)
		if err != nil {
			return nil, err
		}
		entry, err := catalog.DocumentEntry(place, typ, body)
		if err != nil {
			return nil, err
		}
		documents[i] = &document{sum: sums[i], size: int64(len(body)), entry: entry}
	}
	return documents, nil
}

// entriesOf returns the entries of documents.
func entriesOf(documents []*document) []*Entry {
	list := make([]*Entry, 0, len(documents))
	for _, d := range documents {
		if d.entry != nil {
			list = append(list, d.entry)
		}
	}
	return list
}

// Cost of an overlay in the cache, in bytes: its part of the catalogue, and its documents or their
// indexes. An index usually has one to three times the size of its document; displays with many
// rare short words make it up to six times as large.
const (
	costOverlay  = 16 << 10
	costDocument = 1 << 10
	costFactor   = 6
)

func overlayCost(documents []*document) int64 {
	cost := int64(costOverlay)
	for _, d := range documents {
		cost += costDocument + costFactor*d.size
	}
	return cost
}
