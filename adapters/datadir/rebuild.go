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

// errNoSources is why a pack cannot be compiled again.
var errNoSources = errors.New("its sources are not recorded")

// rebuild compiles the pack at path again from its sources. cause is why, and part of
// the error when that is not possible; was is the file that cannot be used.
func (d *Dir) rebuild(ctx context.Context, path string, was fs.FileInfo, cause error) (*pack, error) {
	if d.opts.Rebuild == nil {
		return nil, cause
	}
	p, err := d.compileAgain(ctx, path, was, cause)
	if err != nil {
		// Only the cause is wrapped: it says what kind of error this is.
		return nil, fmt.Errorf("%w; it was not compiled again: %s", cause, err.Error())
	}
	return p, nil
}

func (d *Dir) compileAgain(ctx context.Context, path string, was fs.FileInfo, cause error) (*pack, error) {
	sources, err := unchangedSources(path)
	if err != nil {
		return nil, err
	}
	unlock, err := d.awaitLock(ctx)
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
	d.log.LogAttrs(ctx, slog.LevelWarn, "compiling again from sources",
		slog.String("pack", path), slog.Any("reason", cause))
	if err := d.opts.Rebuild(ctx, w, slices.Clone(sources)); err != nil {
		return nil, err
	}
	if err := w.publish(); err != nil {
		return nil, err
	}
	return openPack(path)
}

// lockPatience is how long a process that needs a pack compiled again waits for another
// that is writing, most likely the same pack.
const lockPatience = 2 * time.Minute

func (d *Dir) awaitLock(ctx context.Context) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, lockPatience)
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

// unchangedSources returns the sources of a pack if all are as they were.
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

// Sources lists what each pack was compiled from, in the order the packs were written;
// none for one that does not tell.
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

// repair compiles an open pack again and puts the result in its place. Several users of
// one damaged pack share one repair.
func (d *Dir) repair(ctx context.Context, p *pack, cause error) (*pack, error) {
	d.repairs.Lock()
	defer d.repairs.Unlock()
	if fresh := d.at(p.path); fresh != nil && fresh != p {
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

// at returns the open pack of a path.
func (d *Dir) at(path string) *pack {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.packs {
		if p.path == path {
			return p
		}
	}
	return nil
}

// repaired drops damaged packs all of whose sources have been loaded again.
func (d *Dir) repaired(loaded []Source) {
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
