package httpadapter

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/access/audit"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/r4"
)

// An Auditor records who did what. It is safe for concurrent use.
type Auditor interface {
	// Append records what a request did. It returns before the response leaves, and if it fails, the
	// response is an error.
	Append(ctx context.Context, records ...audit.Record) error
	// AppendRefused records a refused request, or counts it if there are too many.
	AppendRefused(ctx context.Context, r audit.Record) error
	// Check returns an error while requests cannot be recorded.
	Check(ctx context.Context) error
}

// Bounds of a line of the audit log. A longer answer has several lines.
const (
	maxAudited      = 200  // resources
	maxAuditedQuery = 4096 // bytes of the query
	maxAuditedPath  = 1024 // bytes of the path
)

// A trail is what a request did and is not recorded yet. Its methods do nothing on nil, which is the
// trail of a request that is not audited.
type trail struct {
	of     *call // whose trail it is
	mu     sync.Mutex
	lines  []audit.Record // what was done: only lists
	query  string         // the parameters of a search by POST
	parts  int            // lines that are recorded
	ready  []audit.Record // whole lines of the entries of a bundle
	failed bool           // an error about the audit log is the response
	ended  bool           // the response is complete
}

type trailKey struct{}

// trailOf returns the trail of the request of a context, or nil.
func trailOf(ctx context.Context) *trail {
	t, _ := ctx.Value(trailKey{}).(*trail)
	return t
}

// unaudited are the labels of requests that are about the server only, and of pages, which read
// resources by requests of their own.
var unaudited = [...]string{"health", "ready", "options", "page"}

// audited runs fn with a trail, if requests are audited. What fn did is recorded even if it has no
// response because the client has gone.
func (c *call) audited(fn func(*call)) {
	if c.h.Audit == nil || slices.Contains(unaudited[:], c.label.action) {
		fn(c)
		return
	}
	c.trail = &trail{of: c}
	c.r = c.r.WithContext(context.WithValue(c.r.Context(), trailKey{}, c.trail))
	if _, part := c.w.(*entryResponse); !part {
		if err := c.h.Audit.Check(c.r.Context()); err != nil {
			c.unrecorded(err, "nothing was done")
			return
		}
		defer func() {
			if t := c.trail; !t.ended && len(t.lines)+len(t.ready) > 0 {
				if err := c.record(c.status, true); err != nil {
					c.h.Logger.LogAttrs(c.r.Context(), slog.LevelError, "a request without a response is not in the audit log",
						slog.String("id", requestID(c.w)), slog.Any("err", err))
				}
			}
		}()
	}
	fn(c)
}

// unrecorded responds that a request cannot be recorded.
func (c *call) unrecorded(err error, done string) {
	c.trail.failed = true
	c.failUnsent(c.unrecordedError(err, done))
}

func (c *call) unrecordedError(err error, done string) error {
	return withStatus(http.StatusServiceUnavailable, operation.Problem{
		Exit: operation.ExitFailure, Code: "transient", Err: err,
		Text: "the audit log cannot be written, and this server answers only what is recorded; " + done,
	})
}

// line returns the line that further resources belong to.
func (t *trail) line() *audit.Record {
	if n := len(t.lines); n > 0 {
		last := &t.lines[n-1]
		if len(last.Read)+len(last.Created)+len(last.Updated)+len(last.Deleted) < maxAudited && len(last.Patients) < maxAudited {
			return last
		}
	}
	t.lines = append(t.lines, audit.Record{})
	return &t.lines[len(t.lines)-1]
}

// reference returns Type/id, and the version unless it is 0.
func reference(typ, id string, version int64) string {
	if version == 0 {
		return typ + "/" + id
	}
	return typ + "/" + id + "/_history/" + strconv.FormatInt(version, 10)
}

// An effect is what happened to a resource.
type effect uint8

const (
	hasRead effect = iota
	hasCreated
	hasUpdated
	hasDeleted
)

// note adds a resource to the trail, and the patients in whose compartments it is, or was before.
func (c *call) note(what effect, typ, id string, version int64, body []byte, before ...[]byte) {
	if c.trail == nil {
		return
	}
	c.trail.note(c, what, typ, id, version, body, before...)
}

func (t *trail) note(c *call, what effect, typ, id string, version int64, body []byte, before ...[]byte) {
	ids, err := c.h.patients.Of(nil, typ, id, body, c.bases())
	for _, former := range before {
		all, failed := c.h.patients.Of(nil, typ, id, former, c.bases())
		for _, one := range all {
			if !slices.Contains(ids, one) {
				ids = append(ids, one)
			}
		}
		err = errors.Join(err, failed)
	}
	if err != nil {
		c.h.Logger.LogAttrs(c.r.Context(), slog.LevelWarn, "the audit log lacks the patients of a resource",
			slog.String("id", requestID(c.w)), slog.Any("err", err))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	line := t.line()
	list := [...]*[]string{hasRead: &line.Read, hasCreated: &line.Created, hasUpdated: &line.Updated, hasDeleted: &line.Deleted}[what]
	ref := reference(typ, id, version)
	*list = append(*list, ref)
	if what != hasRead && len(ids) > 0 {
		if line.Owners == nil {
			line.Owners = map[string][]string{}
		}
		line.Owners[ref] = ids
	}
	for _, id := range ids {
		line.AddPatient(id)
	}
}

// noteOutcome adds the result of a change.
func (c *call) noteOutcome(o *resources.Outcome) {
	switch {
	case c.trail == nil || o.VersionID == 0:
	case !o.Changed:
		c.note(hasRead, o.Type, o.ID, o.VersionID, o.Body)
	case o.Deleted:
		c.note(hasDeleted, o.Type, o.ID, o.VersionID, c.before(o))
	case o.Created:
		c.note(hasCreated, o.Type, o.ID, o.VersionID, o.Body)
	default:
		c.note(hasUpdated, o.Type, o.ID, o.VersionID, o.Body, c.before(o))
	}
}

// before returns the document before a change, or nil if the store does not keep it.
func (c *call) before(change *resources.Outcome) []byte {
	v, err := c.h.Resources.ReadVersion(access.WithGrant(c.r.Context(), nil), change.Type, change.ID, change.VersionID-1)
	if err != nil {
		return nil
	}
	return v.Body
}

// notePatient adds the patient that a request is about, although no resource may be found.
func (c *call) notePatient(typ, id string) {
	if c.trail != nil && typ == "Patient" {
		c.trail.line().AddPatient(id)
	}
}

// record records what the request did since the last time. With last, there is a line even if that is
// nothing, because the response is about to end.
func (c *call) record(status int, last bool) error {
	t := c.trail
	if t == nil || t.failed || t.ended {
		return nil
	}
	t.ended = last
	if status >= http.StatusBadRequest {
		t.unread()
	}
	if len(t.lines) == 0 && last && t.parts == 0 {
		t.lines = append(t.lines, audit.Record{})
	}
	records := t.ready
	for i := range t.lines {
		t.parts++
		records = append(records, c.about(&t.lines[i], status))
	}
	t.lines, t.ready = nil, nil
	if part, ok := c.w.(*entryResponse); ok { // its bundle records it
		part.records = append(part.records, records...)
		return nil
	}
	ctx := c.context()
	whole := records[:0]
	for i := range records {
		if !isRefusal(&records[i]) {
			whole = append(whole, records[i])
			continue
		}
		if err := c.h.Audit.AppendRefused(ctx, records[i]); err != nil {
			return err
		}
	}
	if len(whole) == 0 {
		return nil
	}
	return c.h.Audit.Append(ctx, whole...)
}

// unread removes what an error does not let the client see.
func (t *trail) unread() {
	for i := range t.lines {
		t.lines[i].Read = nil
	}
	t.lines = slices.DeleteFunc(t.lines, func(r audit.Record) bool { return len(r.Created)+len(r.Updated)+len(r.Deleted) == 0 })
}

func isRefusal(r *audit.Record) bool {
	switch r.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusMisdirectedRequest, http.StatusTooManyRequests:
		return true
	}
	return false
}

// about returns a line with who did it and how.
func (c *call) about(did *audit.Record, status int) audit.Record {
	r, t, from := *did, c.trail, c
	if part, ok := c.w.(*entryResponse); ok {
		from = part.call
	}
	r.Time, r.Request, r.Status = c.h.Now(), requestID(from.w), status
	r.Event, r.Type = eventName(c.label.action), c.label.typ
	if addr := clientAddr(from.r); addr.IsValid() {
		r.Address = addr.String()
	}
	if p := access.PrincipalOf(c.r.Context()); p != nil {
		r.Subject, r.Issuer, r.Client, r.Auth, r.User = p.Subject, p.Issuer, p.Client, p.Method, p.User
	}
	if name := c.h.AuditPurpose; name != "" {
		r.Purpose = clipped(from.r.Header.Get(name), maxAuditedPath)
	}
	r.Method, r.Path = c.r.Method, clipped(c.r.URL.Path, maxAuditedPath)
	if t.parts > 1 {
		r.Part = t.parts
	}
	query := *c.r.URL
	if t.query != "" {
		query.RawQuery = t.query
	}
	_, text, _ := strings.Cut(withoutSecrets(&query), "?")
	r.Query = clipped(text, maxAuditedQuery)
	return r
}

// interactions are the labels that are interactions of FHIR, or no operation.
var interactions = [...]string{
	"read", "vread", "search", "history", "create", "update", "patch", "delete", "batch", "transaction",
	"capabilities", "openapi", "authenticate", "refuse", "unknown", "panic",
}

// eventName returns the event of a label: the interaction, or the operation with a dollar sign.
func eventName(action string) string {
	if slices.Contains(interactions[:], action) {
		return action
	}
	return "$" + action
}

// clipped returns a text of at most n bytes and the mark of what is left out.
func clipped(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "…"
}

// recordEntry adds the lines of an entry of a batch or transaction, counted from 0.
func (c *call) recordEntry(i int, e *resources.BundleEntry, a *entryResponse) {
	if c.trail == nil {
		return
	}
	if len(a.records) == 0 {
		r := c.about(new(audit.Record), a.status)
		r.Event, r.Type, r.Method, r.Query = "unknown", "", clipped(e.Method, 16), ""
		r.Path = clipped(e.URL, maxAuditedPath)
		a.records = append(a.records, r)
	}
	for _, r := range a.records {
		r.Entry = i + 1
		c.trail.ready = append(c.trail.ready, r)
	}
	a.records = nil
}

// recordWritten makes the line of a change that a transaction has made.
func (c *call) recordWritten(e *resources.BundleEntry, o *resources.Outcome, a *entryResponse) {
	if c.trail == nil {
		return
	}
	own := c.trail.lines
	c.trail.lines = nil
	c.noteOutcome(o)
	if len(c.trail.lines) == 0 {
		c.trail.lines = append(c.trail.lines, audit.Record{})
	}
	r := c.about(&c.trail.lines[0], a.status)
	c.trail.lines = own
	path, query, _ := strings.Cut(e.URL, "?")
	r.Event, r.Type, r.Method = writeEvents[e.Method], o.Type, e.Method
	r.Path, r.Query = clipped(path, maxAuditedPath), clipped(query, maxAuditedQuery)
	a.records = append(a.records, r)
}

// writeEvents are the events of changes by their method.
var writeEvents = map[string]string{
	http.MethodPost: "create", http.MethodPut: "update", http.MethodPatch: "patch", http.MethodDelete: "delete",
}

// auditedResources are the resources that operations use. It adds what they read and change to the
// trail.
type auditedResources struct{ operation.Resources }

// Read implements operation.Resources.
func (a auditedResources) Read(ctx context.Context, typ, id string) (resources.Version, error) {
	v, err := a.Resources.Read(ctx, typ, id)
	if t := trailOf(ctx); t != nil && err == nil {
		t.of.note(hasRead, v.Type, v.ID, v.VersionID, v.Body)
	}
	return v, err
}

// Load implements operation.Resources.
func (a auditedResources) Load(ctx context.Context, items []resources.LoadItem) ([]resources.LoadResult, error) {
	results, err := a.Resources.Load(ctx, items)
	if t := trailOf(ctx); t != nil {
		for i := range results {
			if results[i].Err == nil {
				t.of.noteOutcome(&results[i].Outcome)
			}
		}
	}
	return results, err
}

// Uses implements operation.Resources. A resource that is named counts as read, and is not named if it
// cannot be read.
func (a auditedResources) Uses(ctx context.Context, system string, asked func(code string) bool, first int) ([]r4.CodeUse, error) {
	uses, err := a.Resources.Uses(ctx, system, asked, first)
	if trailOf(ctx) == nil {
		return uses, err
	}
	for i := range uses {
		uses[i].First = slices.DeleteFunc(uses[i].First, func(name string) bool {
			typ, id, _ := strings.Cut(name, "/")
			_, err := a.Read(ctx, typ, id)
			return err != nil
		})
	}
	return uses, err
}

// unrecorded ends a response whose part cannot be recorded.
func (s *stream) unrecorded(err error) error {
	s.c.trail.failed = true
	s.buf = s.buf[:0]
	err = s.c.unrecordedError(err, "what the request asked for may have been done")
	s.abort(err)
	s.started, s.refused, s.err = true, true, err
	return err
}
