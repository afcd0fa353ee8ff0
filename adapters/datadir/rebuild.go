package datadir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"time"
)

// errNoSources means that a pack cannot be recompiled.
var errNoSources = errors.New("its sources are not recorded")

// rebuild recompiles the pack at path from its sources. cause is the reason, which is part of the
// error if that is not possible. was is the unusable file.
func (d *Dir) rebuild(ctx context.Context, path string, was fs.FileInfo, cause error) (*pack, error) {
	if d.opts.Unusable != nil {
		d.opts.Unusable(&PackError{Path: path, Err: cause})
	}
	if d.opts.Rebuild == nil {
		return nil, cause
	}
	p, err := d.recompile(ctx, path, was, cause)
	if err != nil {
		// Only the cause is wrapped: it determines the kind of the error.
		return nil, fmt.Errorf("%w; it could not be recompiled: %s", cause, err.Error())
	}
	return p, nil
}

func (d *Dir) recompile(ctx context.Context, path string, was fs.FileInfo, cause error) (*pack, error) {
	sources, err := unchangedSources(path)
	if err != nil {
		return nil, err
	}
	unlock, err := d.waitForLock(ctx)
	if err != nil {
		return nil, err
	}
	if is, err := os.Stat(path); err == nil && !sameFile(is, was) {
		unlock() // another process was faster
		return openPack(path)
	}
	w, err := d.newWriter(path, unlock)
	if err != nil {
		unlock()
		return nil, err
	}
	defer w.Abort()
	d.log.LogAttrs(ctx, slog.LevelWarn, "recompiling a pack from its sources",
		slog.String("pack", path), slog.Any("reason", cause))
	if err := d.opts.Rebuild(ctx, w, slices.Clone(sources)); err != nil {
		return nil, err
	}
	if err := w.publish(); err != nil {
		return nil, err
	}
	return openPack(path)
}

// lockTimeout is how long a process that needs a pack to be recompiled waits for another writer,
// which most likely recompiles the same pack.
const lockTimeout = 2 * time.Minute

func (d *Dir) waitForLock(ctx context.Context) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	for {
		unlock, err = d.lock(ctx)
		if !errors.Is(err, ErrLocked) {
			return unlock, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// unchangedSources returns the sources of a pack if none of them has changed.
func unchangedSources(packPath string) ([]Source, error) {
	side, err := readSidecar(packPath)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if len(side.Sources) == 0 {
		return nil, errNoSources
	}
	for _, s := range side.Sources {
		if err := s.unchanged(); err != nil {
			return nil, err
		}
	}
	return side.Sources, nil
}

// Sources returns the sources of each pack, in the order the packs were written. The list is
// empty for a pack without recorded sources.
func (d *Dir) Sources() [][]Source {
	d.mu.Lock()
	packs := slices.Clone(d.packs)
	d.mu.Unlock()
	list := make([][]Source, len(packs))
	for i, p := range packs {
		if side, err := readSidecar(p.path); err == nil {
			list[i] = side.Sources
		}
	}
	return list
}

func sameFile(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// repair recompiles an open pack and replaces it. Concurrent users of a corrupted pack share one
// repair.
func (d *Dir) repair(ctx context.Context, p *pack, cause error) (*pack, error) {
	d.repairs.Lock()
	defer d.repairs.Unlock()
	if fresh := d.packAt(p.path); fresh != nil && fresh != p {
		return fresh, nil
	}
	fresh, err := d.rebuild(ctx, p.path, p.info, cause)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if i := slices.Index(d.packs, p); i >= 0 {
		d.packs[i] = fresh
	}
	return fresh, nil
}

// packAt returns the open pack with a path.
func (d *Dir) packAt(path string) *pack {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.packs {
		if p.path == path {
			return p
		}
	}
	return nil
}

// dropRepaired removes corrupted packs all of whose sources have been loaded again.
func (d *Dir) dropRepaired(loaded []Source) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for path := range d.damaged {
		side, err := readSidecar(path)
		if err != nil || len(side.Sources) == 0 {
			continue
		}
		if !slices.ContainsFunc(side.Sources, func(s Source) bool { return !contains(loaded, s.Path) }) {
			if removePack(path) == nil {
				delete(d.damaged, path)
			}
		}
	}
}

func contains(sources []Source, path string) bool {
	return slices.ContainsFunc(sources, func(s Source) bool { return s.Path == path })
}
