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
)

// Config says what to serve and how. Only Engine is required.
type Config struct {
	// Engine answers the operations.
	Engine *engine.Engine
	// Resources keeps what clients write. nil makes a server that only reads.
	Resources Resources
	// Operations is the table; nil means operation.All(). To offer $generate, append
	// operation.Generate() to it.
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
	// DeleteMany lets a conditional delete (DELETE /T?…) delete all that it finds; else it
	// refuses to choose among several.
	DeleteMany bool
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
	// MaxEntries is the number of entries that a batch or transaction may have; default
	// 10,000. More is 413.
	MaxEntries int
	// Overlays bound the resources that requests bring along (tx-resource, cache-id).
	Overlays engine.OverlayLimits
}

// DefaultLimits are the limits of a server that sets none.
func DefaultLimits() Limits {
	return Limits{
		MaxBody:    16 << 20,
		MaxURL:     16 << 10,
		Timeout:    30 * time.Second,
		PageSize:   50,
		MaxCount:   1000,
		MaxEntries: 10_000,
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
	if l.MaxEntries <= 0 {
		l.MaxEntries = d.MaxEntries
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
