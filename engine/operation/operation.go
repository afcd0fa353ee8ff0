package operation

import (
	"context"

	"github.com/roget-health/roget/engine"
)

// Operation is a row of the table.
type Operation struct {
	// Name is the FHIR name without $: "expand". Two rows may share it on different types.
	Name string
	// Type is the resource type it belongs to; "" for the system level.
	Type string
	// Instance says that the operation is also at /Type/{id}/$name.
	Instance bool
	// Path is a further fixed path from the root: "/terminology/memberOf".
	Path string
	// Command is the command in the terminal: "expand". Rows that share a command are
	// tried in table order: the first whose required parameters are given runs.
	Command string
	// Summary is one line.
	Summary string
	// Doc says what the operation does, for help and OperationDefinition.
	Doc string
	// Spec is the section of the specification.
	Spec string
	// In and Out are the parameters, in the order of the documentation.
	In, Out []Param
	// AffectsState says that it may change something: it takes a POST only.
	AffectsState bool
	// Run does the work. It takes what it needs from in and does not keep in.
	Run func(ctx context.Context, env Env, in *Input) (Result, error)
}

// Param finds a parameter of the operation by its name.
func (op *Operation) Param(name string) (*Param, bool) {
	for i := range op.In {
		if op.In[i].Name == name {
			return &op.In[i], true
		}
	}
	return nil, false
}

// Param documents and types one parameter.
type Param struct {
	// Name is the FHIR name; the flag in the terminal is its kebab-case.
	Name string
	// Type is a FHIR type: "uri", "code", "string", "boolean", "integer", "dateTime",
	// "Coding", "CodeableConcept", a resource type, "Resource" for any; "" for a
	// parameter made of parts.
	Type string
	// Min is 1 for a parameter that is always required.
	Min int
	// Many says that the parameter may repeat.
	Many bool
	// Default is the value used when the parameter is absent, for help.
	Default string
	// Doc is a line for help and OperationDefinition.
	Doc string
	// Arg is the position as an argument in the terminal, from 1; 0: flag only.
	Arg int
	// HTTPOnly parameters have no flag in the terminal (resources).
	HTTPOnly bool
	// Refused parameters are of the specification, but not offered: a request with one
	// fails, and they are not declared.
	Refused bool
	// Part are the parts of a parameter of Type "".
	Part []Param
}

// Result is what an operation gives.
type Result interface {
	// AppendJSON appends one FHIR resource.
	AppendJSON(dst []byte) []byte
	// Yes is false for a clean "no": not a member, not valid, not subsumed, no match. The
	// exit code in the terminal is then 1.
	Yes() bool
	// Table is the answer for people.
	Table() *Table
}

// Table is an answer as rows for people.
type Table = engine.Table

// result returns what an engine method returned as a row returns it. It keeps a nil pointer
// out of the interface.
func result[T any, P interface {
	*T
	Result
}](r P, err error) (Result, error) {
	if err != nil {
		return nil, err
	}
	return r, nil
}

// valueResult is result for a method that returns a struct.
func valueResult[T any, P interface {
	*T
	Result
}](r T, err error) (Result, error) {
	return result[T, P](&r, err)
}
