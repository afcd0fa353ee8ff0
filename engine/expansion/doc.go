// Package expansion lists the codes of value sets, page by page ($expand), and writes the
// pages as ValueSet resources.
package expansion
