package auditlog

import (
	"context"
	"os"
)

// Tidy removes and compresses old files.
func (l *Log) Tidy(ctx context.Context) error { return l.tidy(ctx) }

// BreakFile closes the file, so that the next write fails.
func (l *Log) BreakFile() { _ = l.file.Close() }

// WriteTo replaces the file by another one, which is none of the log.
func (l *Log) WriteTo(file *os.File) {
	l.writing.Lock()
	defer l.writing.Unlock()
	_ = l.file.Close()
	l.file = file
}

// Failing reports whether the last attempt to write or sync failed.
func (l *Log) Failing() bool { return l.failure.Load() != nil }
