// Package audit has the lines of an audit log: who did what to which resource (Record), how a line is
// written and read, and which lines a reader asks for (Selection). It opens no files.
package audit
