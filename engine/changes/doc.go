// Package changes compares two versions of a code system, or two value sets, code by code: what was
// added, what was removed, and what is different about the codes of both. It writes that as text, CSV
// and JSON.
package changes
