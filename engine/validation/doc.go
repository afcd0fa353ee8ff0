// Package validation checks codes against value sets and code systems ($validate-code). Plain
// and PlainInSystem answer the usual case, a code about which there is nothing to remark. For
// any other code, Validate and ValidateInSystem walk the definition of the value set, include
// by include, and collect issues.
package validation
