package auditlog

import "context"

// Tidy removes and compresses old files.
func (l *Log) Tidy(ctx context.Context) error { return l.tidy(ctx) }

// BreakFile closes the file, so that the next write fails.
func (l *Log) BreakFile() { _ = l.file.Close() }
