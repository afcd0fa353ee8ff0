// Package expression reads post-coordinated expressions of SNOMED CT, in the compositional grammar
// version 2.4, and decides what they mean in an edition.
//
// Parse reads a text, Model.Bind checks its concepts and places it in the hierarchy:
//
//	e, err := expression.Parse("64572001 : { 363698007 = 39607008, 116676008 = 409774005 }")
//	m, err := expression.NewModel(x).Bind(e)
//	m.Parents() // the most specific concepts that subsume the expression
//
// Meaning follows the inferred relationships of the edition, its necessary normal form. The rules
// stand in docs/decisions/0050-expressions.md.
package expression
