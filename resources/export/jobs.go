package export

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

var (
	// ErrUnknown is a job or file that does not exist, or no longer.
	ErrUnknown = errors.New("there is no such job")
	// ErrBusy is a request beyond the number of jobs that may be kept.
	ErrBusy = errors.New("too many jobs are kept; delete one, or try again later")
)

// A Source has the resources to export. *resources.Service implements it.
type Source interface {
	State(ctx context.Context) (index.Seq, error)
	Hold(since time.Time) (release func())
	Search(ctx context.Context, r resources.SearchRequest) (resources.SearchResult, error)
	Reader
}

// Options are the settings of Jobs. Zero values mean the defaults.
type Options struct {
	Keep    time.Duration // how long a finished job is kept; default 24 hours
	MaxJobs int           // number of jobs that are kept at a time; default 100
	MaxFile int64         // size of a file, in bytes, after which another begins; default 256 MiB
	Page    int           // resources that are read at a time; default 1,000
	Log     *slog.Logger
	Import  ImportOptions // for jobs with Inputs
}

// Jobs are the exports or the imports of a server. One runs at a time, in the order of their start. It is safe for
// concurrent use.
type Jobs struct {
	source  Source
	folder  string
	options Options

	mu      sync.Mutex
	jobs    map[string]*entry
	changed chan struct{} // receives when there may be work
}

// entry is a job in memory.
type entry struct {
	job     Job
	cancel  context.CancelFunc // while it runs
	removed bool
	release func()        // of the state that an export shows; nil once it has ended
	grant   *access.Grant // of the request of an import; it ends with the process
}

// Open returns the jobs in a folder, which it creates for its owner only. Call Run to have them
// done.
func Open(folder string, source Source, o Options) (*Jobs, error) {
	if o.Keep <= 0 {
		o.Keep = 24 * time.Hour
	}
	if o.MaxJobs <= 0 {
		o.MaxJobs = 100
	}
	if o.MaxFile <= 0 {
		o.MaxFile = 256 << 20
	}
	if o.Page <= 0 {
		o.Page = 1000
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Jobs{source: source, folder: folder, options: o, jobs: map[string]*entry{}, changed: make(chan struct{}, 1)}
	folders, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, f := range folders {
		if !f.IsDir() || !jobID.MatchString(f.Name()) {
			continue
		}
		j, err := readJob(filepath.Join(folder, f.Name()))
		if err != nil {
			o.Log.Warn("a bulk job was left behind by its start or end and is removed", "folder", f.Name(), "error", err)
			if err := os.RemoveAll(filepath.Join(folder, f.Name())); err != nil {
				return nil, err
			}
			continue
		}
		if (j.Request.Inputs != nil) != (o.Import.Target != nil) {
			return nil, fmt.Errorf("%s has exports as well as imports; give each a folder of its own", folder)
		}
		s.add(*j)
	}
	s.wake()
	return s, nil
}

// add takes a job into memory. An export that runs holds its state.
func (s *Jobs) add(j Job) *entry {
	e := &entry{job: j}
	if j.State == Running && j.Request.Inputs == nil {
		e.release = s.source.Hold(j.TransactionTime())
	}
	s.jobs[j.ID] = e
	return e
}

// wake lets Run look for work.
func (s *Jobs) wake() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// Start begins a job whose request is complete, and returns its id. It returns ErrBusy if too many are
// kept, and an *InvalidError for an import from where this server does not read. An import has the
// grant of ctx.
func (s *Jobs) Start(ctx context.Context, r Request) (id string, err error) {
	var random [16]byte
	if _, err := rand.Read(random[:]); err != nil {
		return "", err
	}
	now := time.Now()
	j := Job{ID: hex.EncodeToString(random[:]), Request: r, State: Running, Started: now.UTC().Truncate(time.Millisecond)}
	if r.Inputs != nil {
		j.Counts = make([]int, len(r.Inputs))
		err = s.options.Import.check(r.Inputs)
	} else {
		release := s.source.Hold(now.Add(-time.Minute)) // until the state is known
		defer release()
		j.At, err = s.source.State(ctx)
	}
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire(now)
	if len(s.jobs) >= s.options.MaxJobs {
		return "", ErrBusy
	}
	folder := filepath.Join(s.folder, j.ID)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	if err := j.save(folder); err != nil {
		return "", errors.Join(err, os.RemoveAll(folder))
	}
	s.add(j).grant = access.GrantOf(ctx)
	s.wake()
	return j.ID, nil
}

// Job returns a job as it stands. It returns ErrUnknown for one that does not exist or has another
// owner.
func (s *Jobs) Job(id, owner string) (Job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire(time.Now())
	e := s.jobs[id]
	if e == nil || e.job.Request.Owner != owner {
		return Job{}, ErrUnknown
	}
	return e.job.clone(), nil
}

// Expires returns when a job that has ended is removed.
func (s *Jobs) Expires(j *Job) time.Time { return j.Ended.Add(s.options.Keep) }

// Remove ends a job and removes its files; see Job.
func (s *Jobs) Remove(id, owner string) error {
	if _, err := s.Job(id, owner); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.remove(id)
}

func (s *Jobs) remove(id string) error {
	e := s.jobs[id]
	if e == nil {
		return ErrUnknown
	}
	delete(s.jobs, id)
	e.removed = true
	if e.release != nil {
		e.release()
	}
	if e.cancel != nil {
		e.cancel() // and the run removes the folder
		return nil
	}
	return os.RemoveAll(filepath.Join(s.folder, id))
}

// expire removes the jobs that are no longer kept.
func (s *Jobs) expire(now time.Time) {
	for id, e := range s.jobs {
		if e.job.lasts(now, s.options.Keep) {
			continue
		}
		if err := s.remove(id); err != nil {
			s.options.Log.Warn("an old bulk job could not be removed", "error", err)
		}
	}
}

// Open opens a file of a finished job; see Job. The caller closes it.
func (s *Jobs) Open(id, owner, name string) (*os.File, File, error) {
	j, err := s.Job(id, owner)
	if err != nil {
		return nil, File{}, err
	}
	i := slices.IndexFunc(j.Files, func(f File) bool { return f.Name == name })
	if i < 0 || j.State != Done {
		return nil, File{}, ErrUnknown
	}
	file, err := os.Open(filepath.Join(s.folder, id, name)) //nolint:gosec // both are known
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrUnknown
	}
	return file, j.Files[i], err
}

// expireEvery is how often Run removes old jobs.
const expireEvery = time.Minute

// Run does the jobs until ctx ends. The one that is under way then is continued by the next Run on
// the folder.
func (s *Jobs) Run(ctx context.Context) {
	ticker := time.NewTicker(expireEvery)
	defer ticker.Stop()
	for {
		for ctx.Err() == nil && s.runNext(ctx) {
		}
		select {
		case <-ctx.Done():
			return
		case <-s.changed:
		case now := <-ticker.C:
			s.mu.Lock()
			s.expire(now)
			s.mu.Unlock()
		}
	}
}

// runNext does the job that waits longest, and reports whether there was one.
func (s *Jobs) runNext(ctx context.Context) bool {
	s.mu.Lock()
	var waiting []*entry
	for _, e := range s.jobs {
		if e.job.State == Running {
			waiting = append(waiting, e)
		}
	}
	if len(waiting) == 0 {
		s.mu.Unlock()
		return false
	}
	sort.Slice(waiting, func(i, j int) bool { return waiting[i].job.Started.Before(waiting[j].job.Started) })
	e := waiting[0]
	ctx, e.cancel = context.WithCancel(ctx)
	r := &run{jobs: s, entry: e, job: e.job.clone(), folder: filepath.Join(s.folder, e.job.ID)}
	s.mu.Unlock()

	var err error
	if r.job.Request.Inputs != nil {
		err = (&importing{run: r}).do(access.WithGrant(ctx, e.grant))
	} else {
		err = r.do(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	interrupted := ctx.Err() != nil
	e.cancel()
	e.cancel = nil
	switch {
	case e.removed:
		if err := os.RemoveAll(r.folder); err != nil {
			s.options.Log.Warn("a deleted bulk job could not be removed", "error", err)
		}
		return true
	case interrupted:
		return true
	}
	if err != nil {
		r.job.State, r.job.Problem = Failed, err.Error()
		if errors.Is(err, errUnchecked) {
			r.job.State = Refused
		}
		s.options.Log.Error("a bulk job failed", "id", r.job.ID, "error", err)
	} else {
		r.job.State = Done
	}
	r.job.Ended = time.Now().UTC().Truncate(time.Second)
	if err := r.job.save(r.folder); err != nil {
		s.options.Log.Error("a bulk job could not be ended", "id", r.job.ID, "error", err)
		if r.job.State == Done {
			r.job.State, r.job.Problem = Failed, fmt.Sprintf("its description could not be written: %v", err)
		}
	}
	e.job = r.job
	if e.release != nil {
		e.release()
		e.release = nil
	}
	return true
}
