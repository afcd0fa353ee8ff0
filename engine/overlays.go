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

// OverlayLimits bound what requests may bring along. Zero fields mean the defaults.
type OverlayLimits struct {
	// MaxResources is the number of resources of one request, those remembered for its
	// cache-id included; default 1,000.
	MaxResources int
	// MaxBytes bounds the documents of one request together; default 16 MiB.
	MaxBytes int64
	// CacheBytes is the memory for overlays that requests alike share; default 128 MiB, which
	// is enough to keep the largest one.
	CacheBytes int64
	// MaxRemembered is the number of cache-ids; default 100. The one not used for longest goes.
	MaxRemembered int
	// RememberedBytes bounds the documents remembered for all of them; default 64 MiB. What
	// is made of a document takes its place, and mostly one to three times its size.
	RememberedBytes int64
	// Idle is how long a cache-id that nobody uses is remembered; default 30 minutes.
	Idle time.Duration
}

// DefaultOverlayLimits are the limits of a server that sets none.
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

// Overlays makes the engines that answer requests which bring resources along
// (tx-resource of the terminology ecosystem), and keeps those made last: clients send
// the same resources with one request after the other. It is safe for concurrent use.
type Overlays struct {
	base       *Engine
	limits     OverlayLimits
	remembered *txCache

	mu     sync.Mutex
	source *resolve.Source // the one that all kept overlays are made from
	kept   *valueset.Cache[digest, *Engine]
}

// digest is the SHA-256 of a document, of the digests of several, or of a cache-id.
type digest [sha256.Size]byte

// document is a resource that came with a request.
type document struct {
	sum   digest
	size  int64
	entry *Entry // nil: of a type that is of no use here
}

// NewOverlays makes overlays on base.
func NewOverlays(base *Engine, limits OverlayLimits) *Overlays {
	limits = limits.orDefaults()
	return &Overlays{
		base:       base,
		limits:     limits,
		remembered: newTxCache(limits, base.settings.Now),
		kept:       valueset.NewCache[digest, *Engine](limits.CacheBytes),
	}
}

// Limits returns the limits with the defaults filled in.
func (o *Overlays) Limits() OverlayLimits { return o.limits }

// For returns the engine for a request: the base with its resources before everything else,
// and with those that earlier requests of the same cacheID have sent; "" remembers
// nothing. name is the parameter the resources came in, for errors, which are *ParameterError.
func (o *Overlays) For(name, cacheID string, resources []json.RawMessage) (*Engine, error) {
	if len(resources) == 0 && cacheID == "" {
		return o.base, nil
	}
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
	if cacheID == "" {
		return o.overlay(sums, func() ([]*document, error) { return read(name, resources, sums, nil) })
	}
	// A request with a cache-id answers from all that was sent with it so far.
	id := digest(sha256.Sum256([]byte(cacheID))) // names may be of any length
	documents, err := read(name, resources, sums, o.remembered.known(id))
	if err != nil {
		return nil, err
	}
	documents, size = o.remembered.add(id, documents)
	if err := o.within(name, len(documents), size); err != nil {
		return nil, err
	}
	all := make([]digest, len(documents))
	for i := range documents {
		all[i] = documents[i].sum
	}
	return o.overlay(all, func() ([]*document, error) { return documents, nil })
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

// overlay returns the engine of a list of documents, from the cache where it is there.
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
	src, err := base.With(entriesOf(list))
	if err != nil {
		return nil, err
	}
	e := o.base.on(src)
	// Who brings resources along wants whole expansions, by the defaults of FHIR, and codes
	// checked in their code systems.
	e.settings.DefaultCount, src.Strict = 0, true
	kept.Add(key, e, overlayCost(list))
	return e, nil
}

// current returns the cache of overlays on the state of this moment. When something was
// published, those of the former state are dropped together with it.
func (o *Overlays) current() (*valueset.Cache[digest, *Engine], *resolve.Source) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if src := o.base.source.Load(); src != o.source {
		o.source, o.kept = src, valueset.NewCache[digest, *Engine](o.limits.CacheBytes)
	}
	return o.kept, o.source
}

// read makes the documents of a request. known are documents read before.
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

// entriesOf lists the entries of documents.
func entriesOf(documents []*document) []*Entry {
	list := make([]*Entry, 0, len(documents))
	for _, d := range documents {
		if d.entry != nil {
			list = append(list, d.entry)
		}
	}
	return list
}

// What an overlay weighs in the cache, in bytes: its part of the catalogue, and its
// documents, or what is made of them. An index has mostly one to three times the size of
// its document; displays of many short words, each in few concepts, bring it to six.
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
