package datadir

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/roget-health/roget/adapters/internal/explain"
	"github.com/roget-health/roget/internal/durable"
)

// Names in the folder.
const (
	packFolder      = "packs"
	lockName        = "lock"
	packSuffix      = ".pack"
	sidecarSuffix   = ".json"
	temporarySuffix = ".tmp"
)

// Options of Open.
type Options struct {
	// Create creates the folder if it does not exist, and removes temporary files of killed
	// writers. Without it, Open of a missing folder
	// returns an error that wraps fs.ErrNotExist.
	Create bool
	// Tolerate lets Open succeed although packs are unusable. Dir.Damaged lists them. Loaders set
	// it, so that loading again repairs the folder.
	Tolerate bool
	// Rebuild recompiles sources into w. It must not commit or abort w. It is called for an
	// unusable pack whose sources have not changed. If it is nil, unusable packs are errors.
	Rebuild func(ctx context.Context, w *Writer, sources []Source) error
	// Unusable, if not nil, is called with each pack that is found to be unusable, whether or not it
	// is recompiled then.
	Unusable func(*PackError)
	// Logger logs packs that are recompiled. nil disables logging.
	Logger *slog.Logger
}

// Dir is an open data folder. It is safe for concurrent use.
type Dir struct {
	path    string
	opts    Options
	log     *slog.Logger
	release func() // ends the use of the folder

	mu      sync.Mutex
	packs   []*pack // oldest first
	damaged map[string]error

	repairs sync.Mutex // allows one repair at a time
	moving  sync.Mutex // held while Adopt moves packs, and while reloadOnce lists them
}

// Open opens the data folder at path. It reads only tables of contents. Unusable packs are
// recompiled with Options.Rebuild if possible. Otherwise Open fails with one or several joined
// *PackErrors, unless Options.Tolerate is set. Until the folder is closed, nobody can Claim it.
func Open(ctx context.Context, path string, opts Options) (*Dir, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	d := &Dir{path: absolute, opts: opts, log: opts.Logger, damaged: make(map[string]error)}
	if d.log == nil {
		d.log = slog.New(slog.DiscardHandler)
	}
	if opts.Create {
		err = os.MkdirAll(absolute, 0o700)
	} else {
		err = isFolder(absolute)
	}
	if err != nil {
		return nil, d.failed(err)
	}
	if d.release, err = Use(absolute); err != nil {
		return nil, err
	}
	if opts.Create {
		if err := os.MkdirAll(d.Path(packFolder), 0o700); err != nil {
			d.release()
			return nil, d.failed(err)
		}
		d.removeLeftovers()
	}
	if _, err := d.Reload(ctx); err != nil {
		_ = d.Close()
		return nil, d.failed(err)
	}
	if failed := d.Damaged(); len(failed) > 0 && !opts.Tolerate {
		_ = d.Close()
		return nil, errors.Join(failed...)
	}
	return d, nil
}

// failed names the folder in an error.
func (d *Dir) failed(err error) error {
	return fmt.Errorf("data folder %s: %w", d.path, explain.File(err))
}

func isFolder(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = errors.New("not a folder")
	}
	return err
}

// Path returns the path of a file in the folder, for example of the resource store.
func (d *Dir) Path(name string) string { return filepath.Join(d.path, name) }

// Damaged returns a *PackError for each unusable pack.
func (d *Dir) Damaged() []error {
	d.mu.Lock()
	defer d.mu.Unlock()
	failed := make([]error, 0, len(d.damaged))
	for path, err := range d.damaged {
		failed = append(failed, &PackError{Path: path, Err: explain.File(err)})
	}
	slices.SortFunc(failed, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return failed
}

// Close closes the folder. Entries that have been used keep working, others fail.
func (d *Dir) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var errs []error
	for _, p := range d.packs {
		errs = append(errs, p.close())
	}
	d.packs = nil
	d.release()
	return errors.Join(errs...)
}

// Reload reads the folder again, so that Entries includes packs that other processes added and
// omits those they removed. changed reports whether there were any.
func (d *Dir) Reload(ctx context.Context) (changed bool, err error) {
	return d.reload(ctx, d.rebuild)
}

// Stale reports whether other processes have added or removed packs since the folder was read. It only
// reads the names of the packs.
func (d *Dir) Stale() bool {
	paths, err := d.list()
	if err != nil {
		return false // Reload explains it
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	known := len(d.damaged)
	for _, p := range d.packs {
		if _, damaged := d.damaged[p.path]; !damaged {
			known++
		}
		if !slices.Contains(paths, p.path) {
			return true
		}
	}
	return known != len(paths)
}

// A rebuilder replaces an unusable pack with a usable one.
type rebuilder func(ctx context.Context, path string, was fs.FileInfo, cause error) (*pack, error)

// reload implements Reload with a given treatment of unusable packs.
func (d *Dir) reload(ctx context.Context, rebuild rebuilder) (changed bool, err error) {
	for try := 0; ; try++ {
		changed, err = d.reloadOnce(ctx, rebuild)
		// A pack that disappeared between listing and opening was superseded by one that the next
		// listing contains.
		if !errors.Is(err, fs.ErrNotExist) || try == 9 {
			return changed, err
		}
	}
}

func (d *Dir) reloadOnce(ctx context.Context, rebuild rebuilder) (changed bool, err error) {
	d.moving.Lock()
	paths, err := d.list()
	d.moving.Unlock()
	if err != nil {
		return false, err
	}
	d.mu.Lock()
	old := make(map[string]*pack, len(d.packs))
	for _, p := range d.packs {
		old[p.path] = p
	}
	d.mu.Unlock()

	packs := make([]*pack, 0, len(paths))
	var opened []*pack
	defer func() {
		if err != nil {
			for _, p := range opened {
				_ = p.close() // it was only read
			}
		}
	}()
	failed := make(map[string]error)
	for _, path := range paths {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if p := old[path]; p != nil && p.current() {
			packs = append(packs, p)
			delete(old, path)
			continue
		}
		was, err := os.Stat(path)
		if err != nil {
			return false, err
		}
		if !was.Mode().IsRegular() {
			failed[path] = errors.New("it is not a regular file")
			continue
		}
		p, err := openPack(path)
		if errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
		if unusable(err) {
			p, err = rebuild(ctx, path, was, err)
		}
		if err != nil {
			failed[path] = err
			continue
		}
		packs, opened, changed = append(packs, p), append(opened, p), true
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.packs, d.damaged = packs, failed
	// Files of removed packs stay open, because entries in use may still read them.
	return changed || len(old) > 0, nil
}

// current reports whether the file at the pack's path is still the open one.
func (p *pack) current() bool {
	there, err := os.Stat(p.path)
	return err == nil && sameFile(p.info, there)
}

// list returns the paths of the packs, oldest first.
func (d *Dir) list() ([]string, error) {
	entries, err := os.ReadDir(d.Path(packFolder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, isFolder(d.path)
	}
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), packSuffix) && !e.IsDir() {
			paths = append(paths, filepath.Join(d.Path(packFolder), e.Name()))
		}
	}
	slices.SortFunc(paths, func(a, b string) int {
		return cmp.Or(cmp.Compare(packNumber(a), packNumber(b)), cmp.Compare(a, b))
	})
	return paths, nil
}

// packNumber returns the number in the name of a pack, or 0.
func packNumber(path string) uint64 {
	n, err := strconv.ParseUint(strings.TrimSuffix(filepath.Base(path), packSuffix), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// nextPath returns the path of a new pack that follows all others. The caller holds the lock.
func (d *Dir) nextPath() string {
	var last uint64
	if paths, err := d.list(); err == nil && len(paths) > 0 {
		last = packNumber(paths[len(paths)-1])
	}
	return d.packPath(last + 1)
}

func (d *Dir) packPath(number uint64) string {
	return filepath.Join(d.Path(packFolder), fmt.Sprintf("%010d%s", number, packSuffix))
}

// lock takes the writer's lock and removes temporary files of killed writers.
func (d *Dir) lock(ctx context.Context) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(d.Path(packFolder), 0o700); err != nil {
		return nil, d.failed(err)
	}
	unlock, err = durable.TryLock(d.Path(lockName))
	if unlock == nil && err == nil {
		err = ErrLocked
	}
	if err != nil {
		return nil, d.failed(err)
	}
	entries, err := os.ReadDir(d.Path(packFolder))
	if err != nil {
		unlock()
		return nil, d.failed(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), temporarySuffix) {
			_ = os.Remove(filepath.Join(d.Path(packFolder), e.Name()))
		}
	}
	return unlock, nil
}

// removeLeftovers removes temporary files of killed writers, unless a writer is active now. What
// cannot be removed is left for the next time.
func (d *Dir) removeLeftovers() {
	if left, err := filepath.Glob(filepath.Join(d.Path(packFolder), "*"+temporarySuffix)); err != nil || len(left) == 0 {
		return // without a lock, which would be in the way of a load
	}
	if unlock, err := d.lock(context.Background()); err == nil {
		unlock()
	}
}

// removeSuperseded removes packs whose entries all occur in later packs. The caller holds the
// lock. A file that cannot be removed is left for the next time.
func (d *Dir) removeSuperseded() {
	d.mu.Lock()
	defer d.mu.Unlock()
	seen := make(map[identity]bool)
	kept := make([]*pack, 0, len(d.packs))
	for _, p := range slices.Backward(d.packs) {
		fresh := false
		for id := range p.identities() {
			if !seen[id] {
				seen[id], fresh = true, true
			}
		}
		if fresh || removePack(p.path) != nil {
			kept = append(kept, p)
		}
	}
	slices.Reverse(kept)
	d.packs = kept
}

// removePack removes a pack and its companion files.
func removePack(path string) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	_ = os.Remove(sidecarPath(path))
	removeSeal(path)
	return nil
}
