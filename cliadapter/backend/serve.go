package backend

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/adapters/agreement"
	"github.com/roget-health/roget/adapters/datadir"
	"github.com/roget-health/roget/adapters/postgres"
	"github.com/roget-health/roget/adapters/sqlite"
	"github.com/roget-health/roget/adapters/tracing"
	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/httpadapter"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/export"
)

// Serve publishes all sources, then listens until ctx ends.
func (Backend) Serve(ctx context.Context, o cliadapter.ServeOptions, obs cliadapter.Observer, ready func(url string)) error {
	if err := checkEdge(&o); err != nil {
		return err
	}
	if err := checkMemory(&o, os.DirFS("/")); err != nil {
		return err
	}
	hangups, release := catchHangups()
	defer release()
	logStart(o)
	defer ballast(planFor(o).ballast)()
	leaving := new(leaving)
	ctx, end := leaving.after(ctx, o.ShutdownDelay, o.Logger)
	defer end()
	secure, err := openCertificate(&o)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", o.Addr)
	if err != nil {
		return fmt.Errorf("%w; choose another address with --addr, port 0 picks a free one", err)
	}
	listener = limitConnections(listener, o)
	front := startFront(ctx, listener, o, secure.config())
	svc, err := open(ctx, o, obs, listener, leaving)
	if err != nil {
		front.stop()
		return err
	}
	defer svc.Close()
	if !svc.memory.limit() {
		o.Logger.Warn("the terminology in memory leaves too little for requests; raise --memory, or compile large sources with roget load", "memory", svc.memory.total)
	}
	defer svc.damages.start(ctx)()
	defer svc.startScrub(ctx, o.Logger)()
	defer svc.startMaintenance(ctx)()
	defer svc.startReindex(ctx)()
	defer svc.startJobs(ctx)()
	defer svc.startSubscriptions(ctx, o)()
	defer startSettle(ctx, svc.handler.Settled)()
	defer svc.startWalk(ctx, o.Logger)()
	defer svc.health.start(ctx, svc.store, o.Logger)()
	stopOperations, err := svc.startOperations(ctx, o)
	if err != nil {
		front.stop()
		return err
	}
	defer stopOperations()
	defer secure.watch(ctx, svc)()
	handler, err := svc.forwarding(&o, svc.afterWrites(o.SeqWait, svc.inAgreement(svc.handler)))
	if err != nil {
		front.stop()
		return err
	}
	front.open(leaving.handler(handler))
	leaving.serving.Store(true)
	svc.logListening(o, secure.url(listener.Addr()))
	defer svc.access.start(ctx)()
	warnIfOpen(o, listener.Addr())
	warnIfReadable(o)
	ready(secure.url(listener.Addr()))
	defer svc.startReload(ctx, hangups, o)()
	defer svc.puller.start(ctx)()
	defer svc.startAgreement(ctx)()
	defer startWatchdog(ctx, o.Logger, svc.alive)()
	notifyReady(o.Logger)
	defer context.AfterFunc(ctx, func() {
		o.Logger.Info("shutting down", "drain", o.Drain.String())
	})()
	err = front.wait()
	if ctx.Err() != nil && errors.Is(err, context.DeadlineExceeded) {
		o.Logger.Warn("shutdown interrupted requests that took longer than the drain timeout", "drain", o.Drain)
		return nil
	}
	return err
}

// A Service is an assembled server without a listener.
type Service struct {
	handler   *httpadapter.Handler
	dir       *datadir.Dir
	store     resources.Store
	resources *resources.Service
	checks    []httpadapter.Check   // of /readyz; complete when the handler is made
	damage    atomic.Pointer[error] // found by the scrub
	walked    atomic.Pointer[error] // found by the walk of the store
	damages   *damages              // for the audit
	health    storeHealth
	notes     *postgres.Notes   // shared by the servers that agree on the edition, nil if this one is alone
	agreement *agreement.Server // nil without notes
	puller    *puller           // of published packs, nil without
	access    accessControl
	memory    memoryPlan

	tracer      *tracing.Tracer // nil without traces
	reloadables []reloadable
	reloads     reloadCount
	facts       []slog.Attr // about the service, for the log at its start
	audit       auditing
	jobs        []*export.Jobs // of $export and $import
	listener    net.Listener   // of clients, nil if there is none
	log         *slog.Logger
}

// Open opens the data folder and the resource store, publishes all sources, and assembles the
// HTTP handler. The caller closes the service. Open does not start background work.
func Open(ctx context.Context, o cliadapter.ServeOptions, obs cliadapter.Observer) (*Service, error) {
	return open(ctx, o, obs, nil, new(leaving))
}

// open is Open for a service whose clients come from a listener, nil if there is none, and which is not
// ready when it leaves.
func open(ctx context.Context, o cliadapter.ServeOptions, obs cliadapter.Observer, from net.Listener, leaving *leaving) (*Service, error) {
	svc := &Service{memory: planFor(o), log: o.Logger, listener: from, damages: newDamages(o.Logger)}
	svc.checks = append(svc.checks, leaving.check())
	if err := svc.open(ctx, o, obs); err != nil {
		svc.Close()
		return nil, err
	}
	return svc, nil
}

// Handler returns the HTTP handler of the service.
func (s *Service) Handler() http.Handler { return s.handler }

func (s *Service) open(ctx context.Context, o cliadapter.ServeOptions, obs cliadapter.Observer) error {
	if err := s.openStorage(ctx, o); err != nil {
		return err
	}
	if err := s.openTracer(ctx, o); err != nil {
		return err
	}
	watch := &watcher{tracer: s.tracer}
	if o.Metrics {
		watch.steps = httpadapter.NewSteps()
	}
	options := []engine.Option{
		engine.WithLogger(o.Logger),
		engine.WithDefaultCount(o.ExpandDefaultCount),
		engine.WithExpandLimit(o.ExpandLimit),
		engine.WithExactSearch(o.ExactSearch),
		engine.WithCacheBytes(s.memory.cache),
	}
	if s.tracer != nil {
		options = append(options, engine.WithObserver(terminologyWatcher{watch}))
	}
	eng := engine.New(options...)
	loaded, err := publish(ctx, eng, s.dir, o.Load, builtIn{samples: o.Samples, base: o.Base}, obs)
	if err != nil {
		return err
	}
	if err := s.openAgreement(ctx, &o); err != nil {
		return err
	}
	reload := s.reloadData(eng, loaded, o.Logger)
	s.onReload("data folder", reload, s.dir.Stale)
	if err := s.openPuller(&o, reload); err != nil {
		return err
	}
	s.fact(slog.Bool("metrics", o.Metrics), slog.Bool("accessLog", o.AccessLog))
	s.resources = newResources(s.store, eng, o, &s.memory, watch)
	restored, failed, err := s.resources.Restore(ctx)
	if err != nil {
		return fmt.Errorf("read the resource store: %w", err)
	}
	o.Logger.Info("published", "stored", restored, "refused", len(failed),
		"codeSystems", len(eng.Entries("CodeSystem")), "valueSets", len(eng.Entries("ValueSet")), "conceptMaps", len(eng.Entries("ConceptMap")))

	if err := s.resources.OpenIndex(ctx, true); err != nil {
		return fmt.Errorf("open the resource store: %w", err)
	}
	if err := populate(ctx, s.resources, o); err != nil {
		return err
	}
	operations := operation.All()
	if o.Generate {
		operations = append(operations, operation.Generate()...)
	}
	s.checks = append(s.checks, httpadapter.Check{
		Name: "integrity", Problem: "stored data is damaged or cannot be read", Test: s.intact,
	})
	s.checks = append(s.checks, s.health.checks()...)
	s.checks = append(s.checks, httpadapter.Check{
		Name: "index", Test: func(context.Context) error { return nil }, Progress: s.resources.Indexing,
	})
	checkScope := func(scope access.Scope) error { return s.resources.CheckScope(context.WithoutCancel(ctx), scope) }
	if s.access, err = openAccess(o, checkScope); err != nil {
		return err
	}
	if s.access.policy != nil {
		s.onReload("policy", func(context.Context) error { return s.access.policy.Reload() }, nil)
	}
	if err := s.openAudit(ctx, &o); err != nil {
		return err
	}
	exports, imports, err := s.openJobs(&o)
	if err != nil {
		return err
	}
	s.handler, err = httpadapter.New(httpadapter.Config{
		Exports:         exports,
		Imports:         imports,
		Authenticators:  s.access.authenticators,
		Authorizer:      s.access.authorizer,
		SMART:           s.access.smart.source(),
		Engine:          eng,
		Resources:       s.resources,
		Written:         s.written(),
		Forwards:        o.Writer != "",
		Closures:        closuresIn(s.store, eng),
		Operations:      operations,
		Logger:          o.Logger,
		AccessLog:       o.AccessLog,
		LogPaths:        o.LogPaths,
		Audit:           s.auditor(),
		AuditPurpose:    o.Audit.Purpose,
		Metrics:         o.Metrics,
		MetricsApart:    o.Operations.Addr != "",
		Figures:         s.figures(eng, o),
		Steps:           watch.steps,
		Tracer:          s.requestTracer(),
		CORSOrigins:     o.CORSOrigins,
		BaseURL:         o.Edge.BaseURL,
		Hosts:           acceptedHosts(&o),
		OperationsHosts: operationsHosts(&o),
		HSTS:            o.Edge.HSTS,
		TrustedProxies:  o.Edge.TrustedProxies,
		ForwardedHeader: o.Edge.ForwardedHeader,
		Version:         o.Version.Version,
		Released:        o.Version.Time,
		Ready:           s.checks,
		Pages:           s.pages(eng, o),
		Rates:           httpadapter.Rates{Requests: o.Rates.Requests, Burst: o.Rates.Burst, FailedLogins: o.Rates.FailedLogins},
		DeleteMany:      o.DeleteMany,
		Limits: httpadapter.Limits{
			MaxBody: o.MaxBody, Timeout: orForever(o.Timeout),
			AnswerMemory: s.memory.answers, RequestMemory: s.memory.requests, Overlays: s.memory.overlays,
		},
	})
	return err
}

// openStorage opens the data folder and the store. PostgreSQL comes first, so that a start that fails
// because it is down leaves no new data folder.
func (s *Service) openStorage(ctx context.Context, o cliadapter.ServeOptions) error {
	open := func(dir *datadir.Dir) error {
		store, err := openStore(ctx, o.Store, dir, o.Logger, sqlite.WithCacheBytes(s.memory.store))
		if err != nil {
			return err
		}
		s.store = store
		if reporter, ok := store.(resources.DamageReporter); ok {
			reporter.OnDamage(s.damages.read)
		}
		return nil
	}
	if isPostgres(o.Store) {
		if err := awaitStore(ctx, o); err != nil {
			return err
		}
		if err := open(nil); err != nil {
			return err
		}
	}
	reporting := func(d *datadir.Options) {
		d.Unusable = func(err *datadir.PackError) { s.damages.pack(foundByOpen, err) }
	}
	dir, err := openData(ctx, o.Data, dataServe, o.Logger, reporting)
	if err != nil {
		return err
	}
	s.dir = dir
	if s.store == nil {
		return open(dir)
	}
	return nil
}

// Close closes the resource store and the data folder.
func (s *Service) Close() {
	s.closeTracer()
	s.audit.close(s.log)
	if s.notes != nil {
		closing(s.notes)
	}
	if s.store != nil {
		closing(s.store)
	}
	if s.dir != nil {
		closing(s.dir)
	}
}

// baseURL returns the URL of a listener.
func baseURL(addr net.Addr) string {
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("http://localhost:%d", tcp.Port)
	}
	return "http://" + addr.String()
}

// orForever returns d, or a year if d is not positive: no limit.
func orForever(d time.Duration) time.Duration {
	if d <= 0 {
		return 365 * 24 * time.Hour
	}
	return d
}
