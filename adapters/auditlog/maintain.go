package auditlog

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/roget-health/roget/access/audit"
)

const (
	syncEvery = time.Second
	tidyEvery = time.Minute
)

// maintain syncs the file, writes the numbers of refusals, and removes and compresses old files.
func (l *Log) maintain(ctx context.Context) {
	tick := time.NewTicker(syncEvery)
	defer tick.Stop()
	var tidied time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if l.opts.Sync == SyncInterval {
			l.sync()
		}
		if err := l.flushRefusals(l.refusals.Due()); err != nil {
			l.opts.Logger.Warn("the number of refused requests is not in the audit log", "err", err)
		}
		if now := time.Now(); now.Sub(tidied) >= tidyEvery {
			tidied = now
			if err := l.tidy(ctx); err != nil {
				l.opts.Logger.Warn("old files of the audit log", "folder", l.folder, "err", err)
			}
		}
	}
}

// sync syncs the file if lines were written since the last time. Lines are written meanwhile.
func (l *Log) sync() {
	if !l.dirty.Swap(false) {
		return
	}
	l.writing.Lock()
	file := l.file
	l.writing.Unlock()
	if file == nil {
		return
	}
	err := file.Sync()
	if err == nil || errors.Is(err, os.ErrClosed) { // rotate syncs what it closes
		return
	}
	l.failure.Store(&err)
	l.opts.Logger.Error("the audit log cannot be synced", "file", file.Name(), "err", err)
	l.writing.Lock()
	defer l.writing.Unlock()
	if l.file == file {
		_ = file.Close()
		l.file = nil // the next lines are in another file
	}
}

// tidy removes the files that are older than Options.Keep and compresses the others, except the last.
func (l *Log) tidy(ctx context.Context) error {
	files, err := list(l.folder)
	if err != nil {
		return err
	}
	for i := 0; i+1 < len(files) && ctx.Err() == nil; i++ {
		f := files[i]
		ended := files[i+1].day.AddDate(0, 0, 1) // no line is from later
		switch {
		case l.opts.Keep > 0 && l.opts.Now().Sub(ended) > l.opts.Keep:
			if err := os.Remove(f.path); err != nil {
				return err
			}
			if err := l.event(audit.EventRemoved, filepath.Base(f.path)); err != nil {
				return err
			}
		case l.opts.Compress && !f.packed:
			if err := compress(f.path); err != nil {
				return err
			}
		}
	}
	return nil
}

// AppendRefused is Append for a refused request. Of a client that is refused often, it only counts the
// requests, and the log has their number each minute.
func (l *Log) AppendRefused(ctx context.Context, r audit.Record) error {
	if !l.refusals.Admit(&r) {
		return nil
	}
	return l.Append(ctx, r)
}

func (l *Log) flushRefusals(records []audit.Record) error {
	if len(records) == 0 {
		return nil
	}
	return l.Append(context.Background(), records...)
}
