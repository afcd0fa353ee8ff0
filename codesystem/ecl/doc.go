// Package ecl reads and evaluates the Expression Constraint Language of SNOMED CT,
// version 2.2, in its brief and its long syntax.
//
// Parse makes an Expression of a text, Compile binds it to a code system's index, and
// the Plan that results answers as a set of concepts or for one concept:
//
//	e, err := ecl.Parse("<< 404684003 : 363698007 = << 39057004")
//	plan, err := ecl.Compile(x, e)
//	set, err := plan.Set(ctx)
//
// Any index will do. Concepts of a system whose codes are no SNOMED CT identifiers are
// written as alternate identifiers: code#I10, or the name of the code system in place
// of code, in quotation marks if the code has other characters than letters, digits,
// "-", "." and "_". What the language leaves open is in docs/decisions/0016-ecl.md.
package ecl
