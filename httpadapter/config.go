package httpadapter

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
)

// Resources keeps the resources that clients create, update and delete. resources.Service
// is one. Implementations are safe for concurrent use; what they return is the caller's.
type Resources interface {
	// Create stores a new resource under an id of its own making.
	Create(ctx context.Context, typ string, body []byte, opts resources.CreateOptions) (resources.Outcome, error)
	// Read gives the current version; resources.ErrNotFound, resources.ErrGone.
	Read(ctx context.Context, typ, id string) (resources.Version, error)
	// Update stores a version under id, which may be new; resources.ErrConflict. Content that
	// is stored already keeps its version.
	Update(ctx context.Context, typ, id string, body []byte, opts resources.UpdateOptions) (resources.Outcome, error)
	// Delete deletes; that there was nothing to delete is no error.
	Delete(ctx context.Context, typ, id string, opts resources.UpdateOptions) (resources.Outcome, error)
	// ReadVersion gives a former version, History all, newest first. resources.ErrNoHistory
	// when former versions are not kept.
	ReadVersion(ctx context.Context, typ, id string, versionID int64) (resources.Version, error)
	History(ctx context.Context, r resources.HistoryRequest) (resources.HistoryPage, error)
	// Types are the resource types that are kept.
	Types() []string
}

// A HistoryKeeper is a Resources that tells whether it gives former versions, for the
// CapabilityStatement. Any other is taken to give them.
type HistoryKeeper interface {
	KeepsHistory() bool
}

// Config says what to serve and how. Only Engine is required.
type Config struct {
	// Engine answers the operations.
	Engine *engine.Engine
	// Resources keeps what clients write. nil makes a server that only reads.
	Resources Resources
	// Operations is the table; nil means operation.All().
	Operations []*operation.Operation
	// Logger gets the access log (at Debug, or at Info with AccessLog) and errors. nil
	// means none.
	Logger *slog.Logger
	// AccessLog writes a line for each request at Info.
	AccessLog bool
	// Metrics serves counters at /metrics in the format of Prometheus.
	Metrics bool
	// Limits bound requests; zero fields mean the defaults.
	Limits Limits
	// CORSOrigins may use the server from a browser: "https://app.example", or "*" for all.
	CORSOrigins []string
	// Name and Version of the software, for the CapabilityStatement. Name "" means Roget.
	Name, Version string
	// Released is the date of that version, such as 2026-11-21; "" takes the day the server
	// was made.
	Released string
	// BaseURL is the scheme and host clients see, for links: "https://tx.example". "" takes
	// them from the request.
	BaseURL string
	// Ready reports why the server cannot answer yet, for /readyz. nil means always ready.
	Ready func(ctx context.Context) error
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Limits bound what one request may ask. A zero field means its default.
type Limits struct {
	// MaxBody is the largest body of a request in bytes; default 16 MiB. More is 413.
	MaxBody int64
	// MaxURL is the longest path and query in bytes; default 16 KiB. More is 414.
	MaxURL int
	// Timeout is how long one request may work; default 30 s. More is 503.
	Timeout time.Duration
	// PageSize is the number of entries of a search page; default 50.
	PageSize int
	// MaxCount is the largest page of a search that _count may ask; default 1,000.
	MaxCount int
	// Overlays bound the resources that requests bring along (tx-resource, cache-id).
	Overlays engine.OverlayLimits
}

// DefaultLimits are the limits of a server that sets none.
func DefaultLimits() Limits {
	return Limits{
		MaxBody:  16 << 20,
		MaxURL:   16 << 10,
		Timeout:  30 * time.Second,
		PageSize: 50,
		MaxCount: 1000,
	}
}

func (l Limits) orDefaults() Limits {
	d := DefaultLimits()
	if l.MaxBody <= 0 {
		l.MaxBody = d.MaxBody
	}
	if l.MaxURL <= 0 {
		l.MaxURL = d.MaxURL
	}
	if l.Timeout <= 0 {
		l.Timeout = d.Timeout
	}
	if l.PageSize <= 0 {
		l.PageSize = d.PageSize
	}
	if l.MaxCount <= 0 {
		l.MaxCount = d.MaxCount
	}
	return l
}

// complete checks a Config and fills in the defaults.
func (c Config) complete() (Config, error) {
	if c.Engine == nil {
		return c, errors.New("httpadapter: Config.Engine is nil")
	}
	if c.Operations == nil {
		c.Operations = operation.All()
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Name == "" {
		c.Name = "Roget"
	}
	if c.Version == "" {
		c.Version = "devel"
	}
	c.Version, _, _ = strings.Cut(c.Version, "+") // without build metadata it is a token
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.BaseURL != "" {
		u, err := url.Parse(c.BaseURL)
		if err != nil || u.Scheme == "" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
			return c, fmt.Errorf("httpadapter: Config.BaseURL %q is not of the form https://host", c.BaseURL)
		}
		c.BaseURL = strings.TrimRight(c.BaseURL, "/")
	}
	c.Limits = c.Limits.orDefaults()
	return c, nil
}
