// Package subscriptions notifies the endpoints of Subscriptions of R4 about changes (channel rest-hook).
//
// Each change that matches is sent at least once, in the order in which changes were stored. How far an
// endpoint has been notified is kept in a journal of the store, so that a server that was killed goes on
// from there.
package subscriptions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/roget-health/roget/access/audit"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/patch"
	"github.com/roget-health/roget/resources/search"
)

// ErrHost is returned for an endpoint whose host is not allowed.
var ErrHost = errors.New("host is not allowed")

// Hosts are the hosts that may be notified, each with or without a port.
type Hosts []string

// Allow returns ErrHost unless an endpoint is on one of the hosts.
func (h Hosts) Allow(endpoint *url.URL) error {
	host := strings.ToLower(endpoint.Host)
	if slices.ContainsFunc(h, func(allowed string) bool {
		allowed = strings.ToLower(allowed)
		return allowed == host || allowed == strings.ToLower(endpoint.Hostname())
	}) {
		return nil
	}
	return fmt.Errorf("%w: the server notifies no endpoint on %.100q; allow it with --subscription-hosts", ErrHost, endpoint.Host)
}

// Check returns an error for what is not a host.
func (h Hosts) Check() error {
	for _, host := range h {
		u, err := url.Parse("http://" + host)
		if err != nil || u.Host != host || u.Hostname() == "" {
			return fmt.Errorf("%q is not a host such as hooks.example.org or 127.0.0.1:9000", host)
		}
	}
	return nil
}

// Options configure a Notifier. The zero Options are valid.
type Options struct {
	Logger *slog.Logger
	// Audit records a notification before it is sent; one that cannot be recorded is not sent.
	Audit func(ctx context.Context, r audit.Record) error
	// Poll is how often the store is asked for changes; 0 means 250 ms.
	Poll time.Duration
	// FirstRetry and LastRetry are the shortest and longest wait after a failure; 0 means 10 ms and a
	// minute. After GiveUp of failures the Subscription gets the status error; 0 means an hour.
	FirstRetry, LastRetry, GiveUp time.Duration
}

// timeout bounds one notification.
const timeout = 30 * time.Second

// grace is how long a notification that was begun may go on when the server stops, so that none that
// the endpoint has accepted is sent again.
const grace = 5 * time.Second

// saveEvery bounds what is sent again after a server was killed.
const saveEvery = time.Second

// maxHooks bounds the Subscriptions that are served, each of which may hold a resource in memory.
const maxHooks = 1000

// A Notifier notifies the endpoints of all active Subscriptions.
type Notifier struct {
	service  *resources.Service
	journal  resources.Journaler
	opts     Options
	client   *http.Client
	running  map[string]*hook // by id
	patients *index.Owners
}

// New returns a Notifier for a service whose store keeps journals.
func New(service *resources.Service, journal resources.Journaler, opts Options) *Notifier {
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	for _, d := range []struct {
		of    *time.Duration
		value time.Duration
	}{{&opts.Poll, 250 * time.Millisecond}, {&opts.FirstRetry, 10 * time.Millisecond}, {&opts.LastRetry, time.Minute}, {&opts.GiveUp, time.Hour}} {
		if *d.of == 0 {
			*d.of = d.value
		}
	}
	return &Notifier{
		service: service, journal: journal, opts: opts, running: map[string]*hook{},
		patients: index.NewOwners(definitions.R4(), "Patient"),
		client: &http.Client{
			Timeout:       timeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // it may lead to another host
			Transport: &http.Transport{
				DialContext: (&net.Dialer{Timeout: timeout}).DialContext, MaxIdleConnsPerHost: 4, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
			},
		},
	}
}

// Run notifies until ctx ends.
func (n *Notifier) Run(ctx context.Context) {
	watch, err := n.service.Watch("Subscription")
	if err != nil {
		n.opts.Logger.LogAttrs(ctx, slog.LevelError, "subscriptions are not served", slog.Any("error", err))
		return
	}
	defer func() {
		for _, h := range n.running {
			h.stop()
		}
		n.client.CloseIdleConnections()
	}()
	var at index.Seq
	changed := map[string]bool{} // Subscriptions that are not looked at yet
	for {
		if n.service.ReadsOnly() { // until it is promoted
			sleep(ctx, n.opts.Poll)
			if ctx.Err() != nil {
				return
			}
			continue
		}
		changes, through, more, err := watch.Next(ctx, at)
		for i := range changes {
			changed[changes[i].ID] = true
		}
		if err == nil && !more {
			for id := range changed {
				if err = n.reconcile(ctx, id); err != nil {
					break
				}
				delete(changed, id)
			}
		}
		if err != nil && ctx.Err() == nil {
			n.opts.Logger.LogAttrs(ctx, slog.LevelWarn, "subscriptions could not be read", slog.Any("error", err))
		}
		if through > at {
			at = through
			for _, h := range n.running {
				h.awake()
			}
		}
		if more && err == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(n.opts.Poll):
		}
	}
}

// reconcile makes what runs agree with a Subscription that has changed.
func (n *Notifier) reconcile(ctx context.Context, id string) error {
	if h := n.running[id]; h != nil {
		h.stop()
		delete(n.running, id)
	}
	v, err := n.service.Read(ctx, "Subscription", id)
	if errors.Is(err, resources.ErrGone) || errors.Is(err, resources.ErrNotFound) {
		return n.save(ctx, id, 0)
	}
	if err != nil {
		return err
	}
	sub, err := resources.ParseSubscription(v.Body)
	switch {
	case err != nil, sub.Status == "error":
		return nil //nolint:nilerr // a document without validation
	case !sub.Runs():
		return n.save(ctx, id, 0)
	}
	if element, err := n.service.CheckSubscription(&sub); err != nil {
		return n.set(ctx, &v, "error", element+": "+err.Error())
	}
	at, err := n.position(ctx, id)
	if err == nil && at == 0 {
		at = index.SeqAt(v.LastUpdated)
		err = n.save(ctx, id, at)
	}
	if err != nil {
		return err
	}
	if len(n.running) >= maxHooks {
		return n.set(ctx, &v, "error", fmt.Sprintf("the server notifies no more than %d endpoints", maxHooks))
	}
	if sub.Status == "requested" {
		return n.set(ctx, &v, "active", "") // which is a change, too
	}
	watch, err := n.service.Watch(sub.Criteria)
	if err != nil {
		return err
	}
	h := &hook{n: n, v: v, sub: sub, watch: watch, at: at, saved: at, wake: make(chan struct{}, 1), done: make(chan struct{})}
	runs, cancel := context.WithCancel(ctx)
	h.cancel = cancel
	n.running[id] = h
	go h.run(runs)
	return nil
}

// set sets the status of a Subscription, and its error unless that is "".
func (n *Notifier) set(ctx context.Context, v *resources.Version, status, problem string) error {
	change, err := json.Marshal(map[string]any{"status": status, "error": nilIfEmpty(problem)})
	if err != nil {
		return err
	}
	p, err := patch.MergePatch(change)
	if err == nil {
		_, err = n.service.Patch(ctx, v.Type, v.ID, p, resources.UpdateOptions{IfMatch: &v.VersionID})
	}
	if errors.Is(err, resources.ErrConflict) || errors.Is(err, resources.ErrNotFound) || errors.Is(err, resources.ErrGone) {
		return nil // it has changed again, and is looked at again
	}
	if err == nil && problem != "" {
		n.opts.Logger.LogAttrs(ctx, slog.LevelWarn, "a subscription has ended", slog.String("id", v.ID), slog.String("status", status), slog.String("error", problem))
	}
	return err
}

func nilIfEmpty(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// position returns how far an endpoint has been notified, 0 if that is not known.
func (n *Notifier) position(ctx context.Context, id string) (index.Seq, error) {
	records, err := n.journal.Journal(ctx, journalOf(id), 0)
	if err != nil || len(records) == 0 {
		return 0, err
	}
	at, err := strconv.ParseInt(string(records[len(records)-1].Body), 10, 64)
	return index.Seq(at), err
}

// save stores how far an endpoint has been notified.
func (n *Notifier) save(ctx context.Context, id string, at index.Seq) error {
	if at == 0 {
		if was, err := n.position(ctx, id); was == 0 || err != nil {
			return err
		}
	}
	_, err := n.journal.AppendJournal(ctx, resources.JournalAppend{Name: journalOf(id), Body: strconv.AppendInt(nil, int64(at), 10), Restart: true})
	return err
}

func journalOf(id string) string { return "subscription/" + id }

// A hook notifies one endpoint.
type hook struct {
	n      *Notifier
	v      resources.Version
	sub    resources.Subscription
	watch  *resources.Watch
	at     index.Seq // up to which the endpoint was notified
	saved  index.Seq
	last   time.Time // when it was saved
	wake   chan struct{}
	done   chan struct{}
	cancel context.CancelFunc
}

func (h *hook) awake() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// stop ends the hook and waits for it.
func (h *hook) stop() {
	h.cancel()
	<-h.done
}

func (h *hook) run(ctx context.Context) {
	defer close(h.done)
	defer func() { // a shutdown sends nothing again
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		h.note(last, true)
	}()
	for ctx.Err() == nil {
		if end := h.sub.End; !end.IsZero() && time.Now().After(end) {
			h.end(ctx, "off", "its end has passed")
			return
		}
		changes, through, more, err := h.next(ctx)
		if err != nil {
			h.end(ctx, "error", err.Error())
			return
		}
		for i := range changes {
			if ctx.Err() != nil {
				return
			}
			if !changes[i].Deleted {
				if problem := h.notify(ctx, &changes[i]); problem != nil {
					h.end(ctx, "error", problem.Error())
					return
				}
			}
			h.at = changes[i].Seq
			h.note(ctx, false)
		}
		h.at = through
		h.note(ctx, len(changes) > 0)
		if more {
			continue
		}
		select {
		case <-ctx.Done():
		case <-h.wake:
		case <-time.After(time.Minute): // the end may have passed
		}
	}
}

// next returns the next changes. It tries again while the store fails, unless the criteria are at fault.
func (h *hook) next(ctx context.Context) (changes []resources.Change, through index.Seq, more bool, err error) {
	for wait := h.n.opts.FirstRetry; ; wait = min(2*wait, h.n.opts.LastRetry) {
		changes, through, more, err = h.watch.Next(ctx, h.at)
		if err == nil || ctx.Err() != nil || errors.Is(err, search.ErrParameter) {
			return changes, through, more, err
		}
		h.n.opts.Logger.LogAttrs(ctx, slog.LevelWarn, "changes could not be read", slog.String("subscription", h.v.ID), slog.Any("error", err))
		sleep(ctx, wait)
	}
}

// end sets the status of the Subscription, unless the server stops.
func (h *hook) end(ctx context.Context, status, problem string) {
	for wait := h.n.opts.FirstRetry; ctx.Err() == nil; wait = min(2*wait, h.n.opts.LastRetry) {
		if h.n.set(ctx, &h.v, status, problem) == nil {
			return
		}
		sleep(ctx, wait)
	}
}

// note saves how far the endpoint was notified, if that is some time ago or now is set.
func (h *hook) note(ctx context.Context, now bool) {
	if h.at == h.saved || !now && time.Since(h.last) < saveEvery || ctx.Err() != nil {
		return
	}
	if err := h.n.save(ctx, h.v.ID, h.at); err != nil {
		h.n.opts.Logger.LogAttrs(ctx, slog.LevelWarn, "the position of a subscription could not be saved", slog.String("id", h.v.ID), slog.Any("error", err))
		return
	}
	h.saved, h.last = h.at, time.Now()
}

// notify sends a change until the endpoint accepts it. It returns an error if it has refused for too
// long, or if ctx ends.
func (h *hook) notify(ctx context.Context, c *resources.Change) error {
	begun := time.Now()
	for wait := h.n.opts.FirstRetry; ; wait = min(2*wait, h.n.opts.LastRetry) {
		err := h.send(ctx, c)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case time.Since(begun) > h.n.opts.GiveUp:
			return fmt.Errorf("notifying failed for %s, the last time with: %w", h.n.opts.GiveUp, err)
		}
		h.n.opts.Logger.LogAttrs(ctx, slog.LevelDebug, "a notification failed", slog.String("id", h.v.ID), slog.Any("error", err))
		sleep(ctx, wait)
	}
}

// send sends a change once: an empty POST to the endpoint, or with a payload a PUT of the resource, for
// which the endpoint is the base (R4 valueset-subscription-channel-type.html).
func (h *hook) send(ctx context.Context, c *resources.Change) error {
	method, target := http.MethodPost, h.sub.Channel.Endpoint
	v, err := h.n.service.ReadVersion(ctx, c.Type, c.ID, c.VersionID)
	if errors.Is(err, resources.ErrNotFound) || errors.Is(err, resources.ErrGone) {
		return nil // it was removed because of its age
	}
	if err != nil {
		return err
	}
	var body []byte
	if h.sub.Channel.Payload != "" {
		method, target, body = http.MethodPut, strings.TrimSuffix(target, "/")+"/"+c.String(), v.Body
	}
	begun, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(grace, end) })()
	r, err := http.NewRequestWithContext(begun, method, target, bytes.NewReader(body))
	if err != nil {
		return err
	}
	for _, line := range h.sub.Channel.Header {
		name, value, _ := strings.Cut(line, ":")
		r.Header.Add(name, strings.TrimSpace(value))
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/fhir+json; charset=utf-8")
	}
	if h.n.opts.Audit != nil {
		what := audit.Record{
			Time: time.Now(), Event: "notify", Request: "Subscription/" + h.v.ID, Address: r.URL.Host, Method: method, Type: c.Type,
			Read: []string{c.String() + "/_history/" + strconv.FormatInt(c.VersionID, 10)},
		}
		patients, err := h.n.patients.Of(nil, c.Type, c.ID, v.Body, nil)
		if err != nil {
			return err
		}
		for _, id := range patients {
			what.AddPatient(id)
		}
		if err := h.n.opts.Audit(ctx, what); err != nil {
			return err
		}
	}
	answer, err := h.n.client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 64<<10)) // so that the connection can be used again
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return fmt.Errorf("the endpoint answered %s", answer.Status)
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
