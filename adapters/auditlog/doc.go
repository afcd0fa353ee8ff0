// Package auditlog keeps an audit log in the files of a folder: it appends lines, many at a time,
// starts a new file each day and when one is large, removes and compresses old files, reads them, and
// verifies their sums. The lines are those of the package audit.
package auditlog
