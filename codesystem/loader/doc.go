// Package loader holds what the readers of code system files have in common: the Sink
// they hand indexes and documents to, options, limits and progress, and files as bounded
// streams, whether they lie in a folder, in a zip archive or alone, compressed or not.
//
// The readers are the packages below: each has Load, which reads a path into a Sink, and
// Detect, which tells by names and first bytes whether a path is its own. Package formats
// tries them in turn.
//
// Sources are trusted in nothing: sizes, ratios of decompression and numbers of files are
// bounded by Limits, names in archives that point outside of them are refused.
package loader
