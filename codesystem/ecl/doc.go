// Package ecl reads and evaluates the Expression Constraint Language of SNOMED CT, version 2.2, in
// its brief and its long syntax.
//
// Parse reads a text into an Expression, Compile binds it to a code system's index, and the
// resulting Plan answers with a set of concepts or for one concept:
//
//	e, err := ecl.Parse("<< 404684003 : 363698007 = << 39057004")
//	plan, err := ecl.Compile(x, e)
//	set, err := plan.Set(ctx)
//
// It works with any index. Codes that are not SNOMED CT identifiers are written as alternate
// identifiers: code#I10, or with the name of the code system instead of code. A code with
// characters other than letters, digits, "-", "." and "_" is put in quotation marks. What the
// language leaves open is described in docs/decisions/0016-ecl.md.
package ecl
