package httpadapter

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/index"
)

// Config describes what a Handler serves and how. Only Engine is required.
type Config struct {
	// Engine runs the operations.
	Engine *engine.Engine
	// Resources stores what clients write. With nil the server is read-only.
	Resources Resources
	// Written returns the Seq of the last write of this process, which answers to writes name. nil: they
	// do not.
	Written func() index.Seq
	// Forwards says that what the Resources refuse while they only read is done by another server.
	Forwards bool
	// Exports runs bulk exports. With nil the server has no $export.
	Exports Jobs
	// Imports runs bulk imports. With nil the server has no $import.
	Imports Jobs
	// Closures keeps the tables of $closure. With nil the server does not have that operation.
	Closures operation.Closures
	// Operations is the operation table; nil means operation.All(). To offer $generate,
	// append operation.Generate() to it.
	Operations []*operation.Operation
	// Logger receives errors and the access log (at Debug, or at Info with AccessLog). nil
	// disables logging.
	Logger *slog.Logger
	// AccessLog logs each request at Info.
	AccessLog bool
	// LogPaths adds the path to the log of a request. It may hold the id of a patient.
	LogPaths bool
	// Metrics keeps Prometheus metrics, and serves them at /metrics unless MetricsApart is set.
	Metrics bool
	// MetricsApart leaves it to OperationsHandler to serve the metrics.
	MetricsApart bool
	// Figures are further metrics.
	Figures []Figure
	// Steps are metrics of the steps within requests; nil: there are none.
	Steps *Steps
	// Tracer observes requests, for traces. nil: nobody does.
	Tracer Tracer
	// Limits bounds requests; zero fields mean the defaults.
	Limits Limits
	// Rates bounds how many requests a client may send.
	Rates Rates
	// DeleteMany lets a conditional delete (DELETE /T?…) delete every match. Without it, a
	// conditional delete with several matches fails.
	DeleteMany bool
	// CORSOrigins lists the origins whose pages may use the server from a browser:
	// "https://app.example", or "*" for all.
	CORSOrigins []string
	// Name and Version identify the software in the CapabilityStatement. Name "" means Roget.
	Name, Version string
	// Released is the release date of that version, such as 2026-11-21; "" means the day the
	// handler was created.
	Released string
	// BaseURL is the public address of the server, without which links have the address that a
	// request was sent to: "https://tx.example", or with a path "https://host.example/fhir".
	// Requests may have the path or not, as the proxy before the server leaves or removes it.
	BaseURL string
	// Authenticators find out who makes a request. The first that finds credentials of its kind
	// decides. With neither Authenticators nor an Authorizer everybody may do everything.
	Authenticators []Authenticator
	// Authorizer decides what a request may do. nil means that a principal may do what its scopes
	// permit, and that a request without credentials may do nothing.
	Authorizer Authorizer
	// SMART returns where clients get tokens, for .well-known/smart-configuration and metadata. It
	// returns an error that wraps access.ErrUnavailable while the issuer cannot be asked. nil means
	// that the server does not support SMART App Launch.
	SMART func(ctx context.Context) (*SMARTConfiguration, error)
	// Hosts are the names under which the server answers, besides the host of BaseURL. A request for
	// another host is a 421. nil means every name.
	Hosts *Hosts
	// OperationsHosts are the same for OperationsHandler, which has an address of its own.
	OperationsHosts *Hosts
	// HSTS is how long browsers that came over HTTPS shall use nothing else
	// (Strict-Transport-Security); 0 does not set the header.
	HSTS time.Duration
	// TrustedProxies are the networks of the reverse proxies whose headers are believed:
	// X-Forwarded-For, -Proto, -Host and -Prefix. The headers of other clients are ignored.
	TrustedProxies []netip.Prefix
	// ForwardedHeader reads Forwarded (RFC 7239) instead of X-Forwarded-For, -Proto and -Host. Only
	// one of the two is read, because a proxy that writes one may pass on the other as the client
	// forged it.
	ForwardedHeader bool
	// Audit records what requests read and change before they are answered. nil records nothing.
	Audit Auditor
	// AuditPurpose is the name of the request header that states the purpose of use for Audit.
	AuditPurpose string
	// Pages makes the handler of the pages for browsers at /ui, to which a browser at the root is sent.
	// nil means that there are none.
	Pages func(PageServices) (http.Handler, error)
	// Ready lists the checks of /readyz, which responds with 503 and their names while one fails.
	// Without checks the server is always ready.
	Ready []Check
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Limits bounds what one request may use. A zero field means its default.
type Limits struct {
	// MaxBody is the largest request body in bytes; default 16 MiB. A larger one is a 413.
	MaxBody int64
	// MaxURL is the longest path and query in bytes; default 16 KiB. A longer one is a 414.
	MaxURL int
	// Timeout is the longest time for one request; default 30 s. A slower one is a 503.
	Timeout time.Duration
	// PageSize is the number of entries on a search page; default 50.
	PageSize int
	// MaxCount is the largest search page that _count may request; default 1,000.
	MaxCount int
	// MaxEntries is the largest number of entries in a batch or transaction; default 10,000.
	// More is a 413.
	MaxEntries int
	// AnswerMemory is the number of bytes that all requests together may use for answers being made,
	// and RequestMemory that for bodies being read and worked on; default 256 MiB each. A request that
	// finds no room in its time is a 503.
	AnswerMemory, RequestMemory int64
	// Overlays bounds the resources that requests carry (tx-resource, cache-id).
	Overlays engine.OverlayLimits
}

// DefaultLimits returns the defaults of Limits. Overlays is left zero.
func DefaultLimits() Limits {
	return Limits{
		MaxBody:    16 << 20,
		MaxURL:     16 << 10,
		Timeout:    30 * time.Second,
		PageSize:   50,
		MaxCount:   1000,
		MaxEntries: 10_000,

		AnswerMemory:  256 << 20,
		RequestMemory: 256 << 20,
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
	if l.AnswerMemory <= 0 {
		l.AnswerMemory = d.AnswerMemory
	}
	if l.RequestMemory <= 0 {
		l.RequestMemory = d.RequestMemory
	}
	if l.MaxEntries <= 0 {
		l.MaxEntries = d.MaxEntries
	}
	return l
}

// complete returns a checked Config with its defaults filled in.
func (c Config) complete() (Config, error) {
	if c.Engine == nil {
		return c, errors.New("httpadapter: Config.Engine is nil")
	}
	if c.Operations == nil {
		c.Operations = operation.All()
	}
	if c.Closures == nil {
		c.Operations = slices.DeleteFunc(slices.Clone(c.Operations), func(op *operation.Operation) bool { return op.Stored })
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Name == "" {
		c.Name = "Roget"
	}
	if c.guarded() && c.Authorizer == nil {
		var err error
		if c.Authorizer, err = newScopesAuthorizer(); err != nil {
			return c, err
		}
	}
	if c.Version == "" {
		c.Version = "devel"
	}
	c.Version, _, _ = strings.Cut(c.Version, "+") // without build metadata it is a plain token
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.BaseURL != "" {
		public, err := parsePublicURL(c.BaseURL)
		if err != nil {
			return c, fmt.Errorf("httpadapter: Config.BaseURL %q %w", c.BaseURL, err)
		}
		c.BaseURL = public.text
	}
	for _, origin := range c.CORSOrigins {
		if err := CheckOrigin(origin); err != nil {
			return c, fmt.Errorf("httpadapter: Config.CORSOrigins: %w", err)
		}
	}
	c.Limits = c.Limits.orDefaults()
	return c, nil
}
