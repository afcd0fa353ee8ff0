package auditlog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/roget-health/roget/access/audit"
	"github.com/roget-health/roget/internal/durable"
)

var (
	// ErrLocked is returned by Open if another process writes to the log.
	ErrLocked = errors.New("another process writes to this audit log; each server needs a folder of its own")
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("the audit log is closed")
)

// Sync is when lines are synced to the disk. A line that was appended survives the end of the process
// in any case; syncing lets it survive the end of the machine.
type Sync string

// The values of Sync.
const (
	SyncAlways   Sync = "always"   // before Append returns
	SyncInterval Sync = "interval" // every second
	SyncOff      Sync = "off"      // when the operating system does
)

// Options configure a log. The zero Options are valid.
type Options struct {
	Sync     Sync          // "" means SyncInterval
	FileSize int64         // size in bytes from which a new file is begun; 0 means 100 MiB
	Keep     time.Duration // age from which files are removed; 0 keeps all
	Compress bool          // compress files that are no longer written to
	Key      []byte        // of the sums; nil for sums that anybody can compute
	Logger   *slog.Logger  // nil logs nothing
	Now      func() time.Time
}

// A Log appends lines to the files of a folder. It is safe for concurrent use.
type Log struct {
	folder string
	opts   Options
	unlock func()

	joining sync.Mutex // guards batch and closed
	batch   *batch     // that the next writer writes
	closed  bool

	writing sync.Mutex // guards what follows
	file    *os.File   // nil after a failure
	size    int64      // of the file, up to the last whole line
	day     string     // of the first line of the file
	n       uint64     // number of the last line
	chain   *audit.Chain
	out     []byte // reused
	dirty   atomic.Bool

	failure  atomic.Pointer[error] // of the last attempt to write
	refusals *audit.Refusals
	stop     context.CancelFunc
	group    sync.WaitGroup

	written, failed atomic.Int64 // lines
	took            atomic.Int64 // nanoseconds of writing
}

// Stats are the numbers of lines that were written and that could not be, and the time that writing and
// syncing them took.
type Stats struct {
	Written, Failed int64
	Time            time.Duration
}

// Stats returns the numbers since Open.
func (l *Log) Stats() Stats {
	return Stats{l.written.Load(), l.failed.Load(), time.Duration(l.took.Load())}
}

// A batch is lines that are written together.
type batch struct {
	members []byte
	ends    []int         // of each line in members
	done    chan struct{} // closed when err is set
	err     error
}

// Open opens the log in a folder, which it creates, and appends a line about that. What a crash left of
// a line is removed, and the log has a line about it.
func Open(folder string, o Options) (*Log, error) {
	if o.Sync == "" {
		o.Sync = SyncInterval
	}
	if o.FileSize <= 0 {
		o.FileSize = 100 << 20
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	unlock, err := durable.TryLock(filepath.Join(folder, lockName))
	if unlock == nil && err == nil {
		err = ErrLocked
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", folder, err)
	}
	l := &Log{folder: folder, opts: o, unlock: unlock, batch: new(batch), chain: audit.NewChain(o.Key), refusals: audit.NewRefusals(o.Now)}
	if err := l.begin(); err != nil {
		unlock()
		return nil, fmt.Errorf("audit log %s: %w", folder, err)
	}
	ctx, stop := context.WithCancel(context.Background())
	l.stop = stop
	l.group.Go(func() { l.maintain(ctx) })
	return l, nil
}

// begin continues the log that is in the folder.
func (l *Log) begin() error {
	if err := removeTemporary(l.folder); err != nil {
		return err
	}
	notes, err := l.resume()
	if err != nil {
		return err
	}
	for _, note := range notes {
		l.opts.Logger.Warn("audit log repaired", "folder", l.folder, "what", note)
		if err := l.event(audit.EventRepair, note); err != nil {
			return err
		}
	}
	return l.event(audit.EventStart, "")
}

// event appends a line about the log itself.
func (l *Log) event(name, note string) error {
	return l.Append(context.Background(), audit.Record{Time: l.opts.Now(), Event: name, Note: note})
}

// Append appends a line for each record and returns when they are written, and with SyncAlways synced.
// Lines of several callers are written together. After an error, none or some of the lines may be in
// the log. If ctx ends first, they may be as well.
func (l *Log) Append(ctx context.Context, records ...audit.Record) error {
	if len(records) == 0 {
		return nil
	}
	l.joining.Lock()
	if l.closed {
		l.joining.Unlock()
		return ErrClosed
	}
	b := l.batch
	first := len(b.ends) == 0
	for i := range records {
		b.members = records[i].Append(b.members)
		b.ends = append(b.ends, len(b.members))
	}
	if first {
		l.joining.Unlock()
		return l.lead(b)
	}
	if b.done == nil {
		b.done = make(chan struct{})
	}
	l.joining.Unlock()
	select {
	case <-b.done:
		return b.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// lead writes a batch when the batch before it is written. Meanwhile others join it.
func (l *Log) lead(b *batch) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.joining.Lock()
	l.batch = new(batch)
	l.joining.Unlock()
	began := time.Now()
	b.err = l.write(b)
	l.took.Add(int64(time.Since(began)))
	if b.err != nil {
		l.failed.Add(int64(len(b.ends)))
		if l.failure.Swap(&b.err) == nil {
			l.opts.Logger.Error("the audit log cannot be written; requests are refused until it can", "folder", l.folder, "err", b.err)
		}
	} else {
		l.written.Add(int64(len(b.ends)))
		if l.failure.Swap(nil) != nil {
			l.opts.Logger.Info("the audit log is written again", "folder", l.folder)
		}
	}
	if b.done != nil {
		close(b.done)
	}
	return b.err
}

// write writes the lines of a batch, all or none.
func (l *Log) write(b *batch) error {
	now := l.opts.Now()
	if l.file == nil || l.size >= l.opts.FileSize || now.UTC().Format(dayLayout) != l.day {
		if err := l.rotate(now); err != nil {
			return err
		}
	}
	l.out = l.out[:0]
	before, n, start := l.chain.Sum(), l.n, 0
	for _, end := range b.ends {
		n++
		l.out = l.chain.AppendLine(l.out, n, b.members[start:end], nil)
		start = end
	}
	_, err := l.file.Write(l.out)
	if err == nil && l.opts.Sync == SyncAlways {
		err = l.file.Sync()
	}
	if err != nil {
		l.chain.Continue(before)
		l.abandon()
		return err
	}
	l.n, l.size = n, l.size+int64(len(l.out))
	if cap(l.out) > audit.MaxLine {
		l.out = nil
	}
	l.dirty.Store(true)
	return nil
}

// abandon ends the file after a failure. The next attempt begins another file, because after a failed
// sync nobody knows what of a file is on the disk.
func (l *Log) abandon() {
	if err := l.file.Truncate(l.size); err != nil {
		l.opts.Logger.Error("lines that were not acknowledged stay in the audit log", "file", l.file.Name(), "err", err)
	}
	_ = l.file.Close()
	l.file = nil
}

// Check returns an error if lines cannot be written. After a failure it tries again.
func (l *Log) Check(context.Context) error {
	if l.failure.Load() == nil {
		return nil
	}
	return l.event(audit.EventStart, "after a failure")
}

// Close appends a line about that, and closes the log.
func (l *Log) Close() error {
	l.stop()
	l.group.Wait()
	err := l.flushRefusals(l.refusals.All())
	err = errors.Join(err, l.event(audit.EventStop, ""))
	l.joining.Lock()
	l.closed = true
	l.joining.Unlock()
	l.writing.Lock()
	defer l.writing.Unlock()
	if l.file != nil {
		if l.opts.Sync != SyncOff {
			err = errors.Join(err, l.file.Sync())
		}
		err = errors.Join(err, l.file.Close())
		l.file = nil
	}
	l.unlock()
	return err
}
