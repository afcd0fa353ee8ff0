package resources

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"time"
)

// A Listener is called about every change before it is stored. engine.Engine implements it.
//
// Prepare checks and compiles the document that is about to become the current version of typ/id; a
// nil body is a deletion. Prepare itself changes nothing. The service calls publish after the
// version is durable. An error refuses the change. Body is the document as it will be stored, with
// id and meta; the listener may keep it and must not change it. Calls for the same id never
// overlap; calls for different ids may.
type Listener interface {
	Prepare(ctx context.Context, typ, id string, body []byte) (publish func(), err error)
}

// publications remembers which version of each resource the listener last received, so that it need
// not compile again what this process has written.
type publications struct {
	mu       sync.Mutex
	versions map[Key]int64
}

func (p *publications) note(v *Version) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.versions == nil {
		p.versions = map[Key]int64{}
	}
	p.versions[v.Key] = v.VersionID
}

func (p *publications) has(v *Version) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.versions[v.Key] == v.VersionID
}

// prepare passes a version to the listener. publish is not nil if err is nil.
func (s *Service) prepare(ctx context.Context, v Version) (publish func(), err error) {
	prepared, err := s.listener.Prepare(ctx, v.Type, v.ID, v.Body)
	if err != nil {
		return nil, err
	}
	return func() {
		if prepared != nil {
			prepared()
		}
		s.published.note(&v)
	}, nil
}

// changePublished is change for a resource that the listener receives. The listener is asked before
// the store writes, so the version and its date are predicted, and prepared again if the store
// dates it differently.
func (s *Service) changePublished(ctx context.Context, current Version, d *draft, w Write) (Version, error) {
	if w.At.IsZero() {
		w.At = time.Now()
	}
	next := Version{Key: current.Key, VersionID: current.VersionID + 1}
	if d != nil {
		at := w.At.UTC().Truncate(time.Millisecond)
		if at.Before(current.LastUpdated) {
			at = current.LastUpdated
		}
		var err error
		if next.Body, err = w.Render(next.VersionID, at); err != nil {
			return Version{}, err
		}
	}
	publish, err := s.prepare(ctx, next)
	if err != nil {
		return Version{}, err
	}
	if err := ctx.Err(); err != nil {
		return Version{}, err
	}
	// From here on a caller that goes away must not leave the store and the listener with different
	// states, so the write is not cancelled halfway.
	ctx, cancel := uncancelled(ctx)
	defer cancel()
	v, err := s.storeWrite(ctx, w)
	if err != nil {
		return Version{}, storeFailed(w.String(), err)
	}
	s.vocabulary.Add(w.Terms)
	if !bytes.Equal(v.Body, next.Body) {
		again, err := s.prepare(ctx, v)
		if err != nil {
			s.log.LogAttrs(ctx, slog.LevelWarn, "a stored resource is published with the predicted date, as it could not be prepared again",
				slog.String("resource", v.String()), slog.Any("error", err))
		} else {
			publish = again
		}
	}
	publish()
	return v, nil
}

// uncancelled returns a context that only the deadline of ctx ends. A store that does not answer
// must not hold its callers for ever.
func uncancelled(ctx context.Context) (context.Context, context.CancelFunc) {
	if deadline, ok := ctx.Deadline(); ok {
		return context.WithDeadline(context.WithoutCancel(ctx), deadline)
	}
	return context.WithoutCancel(ctx), func() {}
}
