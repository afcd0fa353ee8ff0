package cliadapter

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/formats"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/synth"
)

// Backend does the work behind the commands: it opens sources and runs the server.
// The composition root implements it, and it alone names drivers. Every method stops
// when ctx is cancelled and reports progress to obs, which is never nil.
type Backend interface {
	// Query publishes the sources in src to a new engine and passes the engine to ask. It returns
	// the error of ask unchanged. The engine is not used after ask returns. Other errors name the
	// file, and the line if there is one.
	Query(ctx context.Context, src Sources, obs Observer, ask func(*engine.Engine) error) error
	// Load compiles sources into one pack of a data folder, all or nothing: when it
	// returns an error the folder is as before. With KeepGoing, files with errors are
	// reported to obs and left out.
	Load(ctx context.Context, req LoadRequest, obs Observer) error
	// Verify reads every pack of a data folder and every version in a resource store. The error
	// names what is damaged.
	Verify(ctx context.Context, req VerifyRequest) (Verified, error)
	// Backup copies a data folder with its resource store, which a server may be using, into a new
	// folder below req.Target, all or nothing.
	Backup(ctx context.Context, req BackupRequest) (BackedUp, error)
	// Restore makes a data folder from a backup, all or nothing.
	Restore(ctx context.Context, req RestoreRequest) (BackedUp, error)
	// Publish copies the packs of a data folder into the folder req.Target, with a manifest that is written
	// last, for servers that take them up.
	Publish(ctx context.Context, req BackupRequest) (BackedUp, error)
	// Resources opens the resource store that o names and passes a service on it to use,
	// whose error it returns unchanged. It is not used after use returns.
	Resources(ctx context.Context, o StoreOptions, obs Observer, use func(svc *resources.Service) error) error
	// Closures opens the resource store that o names and passes its closure tables to use, whose
	// error it returns unchanged. They are not used after use returns.
	Closures(ctx context.Context, o StoreOptions, obs Observer, use func(operation.Closures) error) error
	// Serve runs the HTTP service until ctx is cancelled, then drains it. It calls
	// ready once, with the base URL, when the service accepts requests.
	Serve(ctx context.Context, o ServeOptions, obs Observer, ready func(url string)) error
	// CheckServe returns an error for options that Serve refuses before it opens a store or a
	// listener. It changes nothing.
	CheckServe(ctx context.Context, o ServeOptions) error
	// Scopes publishes the sources in src and passes a service without resources on them to use, which
	// asks it what a server would permit. It returns the error of use unchanged.
	Scopes(ctx context.Context, src Sources, obs Observer, use func(svc *resources.Service) error) error
	// AuditLines passes the lines of audit logs to fn, without their line feeds, and where they are
	// from. The sources are folders, files, and - for stdin. It returns the error of fn unchanged.
	AuditLines(ctx context.Context, sources []string, stdin io.Reader, fn func(where string, line []byte) error) error
	// VerifyAudit verifies the sums of an audit log.
	VerifyAudit(ctx context.Context, v AuditVerification) (AuditVerified, error)
	// MCP runs the tool server for assistants until ctx is cancelled or its input ends. It
	// calls ready once, when it answers: with its URL, or "" on standard input and output.
	MCP(ctx context.Context, o MCPOptions, obs Observer, ready func(url string)) error
}

// Sources lists the sources of a query.
type Sources struct {
	// Load lists files and folders to read directly.
	Load []string
	// Data is a data folder made by load or serve; "" for none. Optional lets it be absent.
	Data     string
	Optional bool
	// Store is the address of the resource store whose code systems, value sets and concept maps are
	// published, too; "" for that of the data folder, if there is one.
	Store string
	// Samples adds the built-in sample code systems.
	Samples bool
	// Base adds the built-in code systems and value sets of FHIR R4 core.
	Base bool
}

// LoadRequest is the request of Backend.Load.
type LoadRequest struct {
	Paths     []string
	Data      string
	KeepGoing bool
	Settings  formats.Settings
}

// ServeOptions configures the HTTP service. Sizes are in bytes.
type ServeOptions struct {
	Addr    string
	Data    string
	Load    []string
	Store   string        // address of the resource store; "" for SQLite in the data folder
	Wait    time.Duration // longest wait for a PostgreSQL store that is down, 0 for none
	Agree   string        // address of the database in which servers agree on the edition; "" for a server alone
	Lease   time.Duration // how long it answers without that
	Packs   string        // folder or address of published packs, "" for none
	Writer  string        // address of the server that writes while the store is a standby, "" for none
	SeqWait time.Duration // longest wait of a read for the Seq that it names
	// PacksEvery is the time between two looks for published packs.
	PacksEvery time.Duration
	Samples    bool
	Base       bool

	Relaxed    bool // store whatever parses
	Profiles   bool // check the profiles that resources claim before they are stored
	Lifecycle  resources.Lifecycle
	DeleteMany bool // conditional deletes delete all that they find
	Generate   bool // offer $generate
	Page       bool // offer the page for browsers at /ui
	// Population is stored before the service listens.
	Population synth.PopulationOptions

	ExpandDefaultCount int
	ExpandLimit        int
	ExactSearch        bool  // see engine.WithExactSearch
	CacheSize          int64 // negative for the default
	MaxBody            int64
	Timeout            time.Duration
	Drain              time.Duration
	ShutdownDelay      time.Duration
	CORSOrigins        []string
	SubscriptionHosts  []string
	Metrics            bool
	Edge               EdgeOptions
	Rates              RateOptions
	Access             AccessOptions
	Bounds             BoundsOptions
	AccessLog          bool
	LogPaths           bool // in the access log
	Operations         OperationsOptions
	Audit              AuditOptions
	Exports            ExportOptions

	Logger   *slog.Logger
	LogLevel *slog.LevelVar // of Logger
	Version  Version
	// ConfigFile is the path of the configuration file; "" for none.
	ConfigFile string
	// Reload reads the configuration again and applies what can change while the server runs. It
	// returns the names of the settings that have changed and need a restart. nil: nothing changes.
	Reload func() (pending []string, err error)
}

// An Observer receives reports while sources are read. Its methods are called from one goroutine at
// a time.
type Observer interface {
	// Progress reports how much of a source has been read.
	Progress(p loader.Progress)
	// Resource reports a resource that was read, or written to a pack.
	Resource(r Loaded)
	// Skipped reports, after each source, how many resources of other types were skipped.
	Skipped(n int)
	// Warned reports something about a source that was read, although not as its user may
	// expect.
	Warned(text string)
	// Failed reports an error that did not stop the work (KeepGoing).
	Failed(err error)
}

// Loaded describes one resource that was read.
type Loaded struct {
	Kind     string // CodeSystem, ValueSet, ConceptMap
	URL      string
	Version  string
	Concepts int           // concepts of a CodeSystem
	Time     time.Duration // reading and compiling
	Size     int64         // bytes in the pack
	File     string        // path of the file it was in
}

// Version describes the build.
type Version struct {
	Version  string // "v1.2.3", or "devel"
	Revision string // commit, "" when not known
	Time     string // of the commit, RFC 3339
	Modified bool   // built from a changed tree
	Go       string // version of Go
}
