package resources

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"time"
)

// publications remember which version of each resource the listener was last told of, so
// that it need not compile again what this process wrote itself.
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

// prepare asks the listener about a version; publish is never nil when err is.
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

// changePublished is change of a resource that the listener is told of. It is asked before
// the store is, so the version is guessed, and told again should the store date it otherwise.
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
	// From here on the caller going away must not leave the store and the listener
	// with different answers, so the write is not cancelled half way.
	ctx = context.WithoutCancel(ctx)
	v, err := s.store.Write(ctx, w)
	if err != nil {
		return Version{}, storeFailed(w.String(), err)
	}
	s.vocabulary.Add(w.Terms)
	if !bytes.Equal(v.Body, next.Body) {
		again, err := s.prepare(ctx, v)
		if err != nil {
			s.log.LogAttrs(ctx, slog.LevelWarn, "stored resource is published with the date before",
				slog.String("resource", v.String()), slog.Any("error", err))
		} else {
			publish = again
		}
	}
	publish()
	return v, nil
}
