package backend

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/roget-health/roget/access/audit"
	"github.com/roget-health/roget/adapters/datadir"
	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/httpadapter"
	"github.com/roget-health/roget/resources"
)

// What finds damage, as an audit names it.
const (
	foundByRead  = "read"  // of a version, for a request or for the server itself
	foundByOpen  = "open"  // of a pack, when it is first used
	foundByWalk  = "walk"  // through the store, once a day
	foundByScrub = "scrub" // of the packs, once a day
)

const (
	maxDamages  = 1000 // records of damage; the last one says that there is more
	maxProblem  = 2000 // bytes of the text of a problem
	damageRetry = 10 * time.Second
)

// damages is the damage that was found, for the audit. Each is recorded once, before the answer of the
// request that met it leaves. What an audit cannot record at once is tried again.
type damages struct {
	log  *slog.Logger
	wake chan struct{}

	mu      sync.Mutex // guards known and records
	known   map[string]bool
	records []audit.Record // only appended to
	pending atomic.Bool    // some of the records are not written

	writing sync.Mutex // guards sinks
	sinks   []damageSink
}

// A damageSink is an audit that has some of the records.
type damageSink struct {
	to      httpadapter.Auditor
	written int
}

func newDamages(log *slog.Logger) *damages {
	return &damages{log: log, wake: make(chan struct{}, 1), known: map[string]bool{}}
}

// found notes damage to a version or a pack, "" if nobody knows which. It never waits, because it is
// called in transactions.
func (d *damages) found(by, what, problem string) {
	if len(problem) > maxProblem {
		problem = strings.ToValidUTF8(problem[:maxProblem], "") + "…"
	}
	key := by + "\x00" + what + "\x00" + problem
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known[key] || len(d.known) > maxDamages {
		return
	}
	d.known[key] = true
	r := audit.Record{Time: time.Now(), Event: audit.EventDamage, Found: by, Note: problem}
	switch {
	case len(d.known) > maxDamages:
		r.Note = fmt.Sprintf("more than %d problems were found, the others have no line; roget verify lists them", maxDamages)
	case what != "":
		r.Damaged = []string{what}
	}
	d.records = append(d.records, r)
	d.pending.Store(true)
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// read notes an error that wraps resources.ErrDamaged.
func (d *damages) read(err error) {
	if version, ok := errors.AsType[*resources.DamageError](err); ok {
		d.found(foundByRead, versionReference(version.Key, version.VersionID), version.Problem)
		return
	}
	d.found(foundByRead, "", err.Error())
}

// walked notes a problem that the walk through the store found.
func (d *damages) walked(p resources.Problem) {
	what := ""
	if p.Type != "" {
		what = versionReference(p.Key, p.VersionID)
	}
	d.found(foundByWalk, what, p.Text)
}

// pack notes the packs that an error is about and that are damaged.
func (d *damages) pack(by string, err error) {
	list := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		list = joined.Unwrap()
	}
	for _, one := range list {
		if of, ok := errors.AsType[*datadir.PackError](one); ok && (errors.Is(one, codesystem.ErrDamaged) || errors.Is(one, codesystem.ErrForeign)) {
			d.found(by, packFolder+"/"+filepath.Base(of.Path), of.Err.Error())
		}
	}
}

// versionReference returns the reference of a version.
func versionReference(key resources.Key, version int64) string {
	return fmt.Sprintf("%s/_history/%d", key, version)
}

// recordTo adds an audit that all damage is recorded in.
func (d *damages) recordTo(to httpadapter.Auditor) {
	d.writing.Lock()
	defer d.writing.Unlock()
	d.sinks = append(d.sinks, damageSink{to: to})
}

// flush writes what is not written yet. It does not end with its context, after which nobody would know
// what is written: audits have time limits of their own.
func (d *damages) flush(ctx context.Context) (err error) {
	ctx = context.WithoutCancel(ctx)
	d.writing.Lock()
	defer d.writing.Unlock()
	d.mu.Lock()
	records := d.records
	d.mu.Unlock()
	for i := range d.sinks {
		sink := &d.sinks[i]
		if sink.written == len(records) {
			continue
		}
		if failed := sink.to.Append(ctx, records[sink.written:]...); failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		sink.written = len(records)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil && len(records) == len(d.records) {
		d.pending.Store(false)
	}
	return err
}

// start writes damage in the background. The returned function stops that and waits for its end.
func (d *damages) start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() {
		var again <-chan time.Time
		for {
			select {
			case <-ctx.Done():
				return
			case <-d.wake:
			case <-again:
			}
			again = nil
			if err := d.flush(ctx); err != nil {
				d.log.Warn("damage that was found is not in the audit", "err", err, "retry", damageRetry)
				again = time.After(damageRetry)
			}
		}
	})
	return func() {
		cancel()
		group.Wait()
		if err := d.flush(ctx); err != nil {
			d.log.Warn("damage that was found is not in the audit", "err", err)
		}
	}
}

// A damageAuditor records damage before the requests that may have met it.
type damageAuditor struct {
	httpadapter.Auditor
	damages *damages
}

// Append implements httpadapter.Auditor.
func (a damageAuditor) Append(ctx context.Context, records ...audit.Record) error {
	if a.damages.pending.Load() {
		if err := a.damages.flush(ctx); err != nil {
			a.damages.log.Warn("damage that was found is not in the audit", "err", err)
		}
	}
	return a.Auditor.Append(ctx, records...)
}
