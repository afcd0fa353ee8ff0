// Package loader holds what the readers of code system files share: the Sink that receives indexes
// and documents, options, limits and progress, and bounded streams over files in a folder, in a
// zip archive or alone, compressed or not.
//
// The readers are the packages below. Each has Load, which reads a path into a Sink, and Detect,
// which recognizes its paths by names and first bytes. Package formats tries them in turn.
//
// Sources are not trusted: Limits bounds sizes, ratios of decompression and numbers of files, and
// a name in an archive that points outside of it is an error.
package loader
