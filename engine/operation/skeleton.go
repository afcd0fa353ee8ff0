// Package operation is the one table of operations that HTTP, the terminal and the
// CapabilityStatement read.
package operation

import (
	"context"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// Operation is a row of the table.
type Operation struct {
	Name     string // FHIR name without $: "expand"; two rows may share it on different types
	Type     string // "CodeSystem", "ValueSet", "ConceptMap"; "" for system level
	Instance bool   // also at /Type/{id}/$name
	Path     string // a further fixed path from the root: "/terminology/memberOf"
	Command  string // command in the terminal: "expand"; rows sharing a command are tried in table order: the first whose required parameters are given runs
	Summary  string // one line
	Doc      string // what it does, for help and OperationDefinition
	Spec     string // section of the specification
	In, Out  []Param
	Run      func(ctx context.Context, e *engine.Engine, in *Input) (Result, error)
}

// Param documents and types one parameter.
type Param struct {
	Name     string // FHIR name; the flag in the terminal is its kebab-case
	Type     string // "uri", "code", "string", "boolean", "integer", "dateTime", "Coding", "CodeableConcept", "ValueSet", "Parameters", …
	Min      int
	Many     bool   // may repeat
	Default  string // for help
	Doc      string
	Arg      int  // position as argument in the terminal, 1-based; 0: flag only
	HTTPOnly bool // no flag in the terminal (resources)
}

// Input carries decoded parameters of one call. It may be reused after Reset.
type Input struct {
	Op             *Operation
	ID             string // instance level
	AcceptLanguage string
}

// Reset empties an Input for op.
func (in *Input) Reset(op *Operation) { panic("skeleton") }

// DecodeQuery reads the raw query of a GET; strict refuses unknown parameters.
func (in *Input) DecodeQuery(rawQuery string, strict bool) error { panic("skeleton") }

// DecodeParameters reads the Parameters body of a POST.
func (in *Input) DecodeParameters(p *r4.Parameters, strict bool) error { panic("skeleton") }

// Add gives one parameter as text (flags of the terminal); Coding is system|code or system|version|code.
func (in *Input) Add(name, value string) error { panic("skeleton") }

// Has reports that a parameter was given.
func (in *Input) Has(name string) bool { panic("skeleton") }

// Result is what an operation gives.
type Result interface {
	// AppendJSON appends one FHIR resource.
	AppendJSON(dst []byte) []byte
	// Yes is false for a clean "no": not a member, not valid, not subsumed, no match. Exit code 1 in the terminal.
	Yes() bool
	// Table is the answer for people.
	Table() *Table
}

// Table is an answer as rows for people.
type Table = engine.Table

// Table of operations in fixed order; a fresh slice each call, rows shared and not to be changed.
func All() []*Operation { panic("skeleton") }

// Outcome maps an error to the HTTP status and OperationOutcome that report it: the only such map.
func Outcome(err error) (status int, oo *r4.OperationOutcome) { panic("skeleton") }

// ExitCode maps an error to the exit code of the terminal: 1 a clean no (unknown code, …), 2 wrong usage (bad or missing parameter), 3 failure.
func ExitCode(err error) int { panic("skeleton") }
