// Package answer has the form in which every result of an operation is shown to people.
package answer
