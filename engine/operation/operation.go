package operation

import (
	"context"
	"slices"

	"github.com/roget-health/roget/engine"
)

// An Operation is a row of the table.
type Operation struct {
	// Name is the FHIR name without $, such as "expand". Rows of different types may share it.
	Name string
	// Type is the resource type of the operation; "" for the system level.
	Type string
	// System is true if the operation of a type is also available at /$name.
	System bool
	// Instance is true if the operation is also available at /Type/{id}/$name.
	Instance bool
	// Path is an additional path below the root, such as "/terminology/memberOf".
	Path string
	// Command is the command in the terminal, such as "expand". Of rows that share a command, the
	// first in table order runs whose required parameters are given.
	Command string
	// Examples are command lines for the help of the command.
	Examples []string
	// Example are the parameters of a request that a server with its samples answers, for the
	// description of the HTTP interface.
	Example []Argument
	// Summary is one line.
	Summary string
	// Doc says what the operation does, for help and OperationDefinition.
	Doc string
	// Spec is the section of the specification.
	Spec string
	// Canonical is the URL of the OperationDefinition if another specification than R4 has one.
	Canonical string
	// In and Out are the parameters, in the order of the documentation.
	In, Out []Param
	// Ruled is true if the answer may depend on the rules that the engine follows.
	Ruled bool
	// AffectsState is true if the operation may change something: it then requires a POST.
	AffectsState bool
	// Stored is true if the operation needs a store of resources.
	Stored bool
	// AllowsGet is true if the operation accepts GET although it affects state.
	AllowsGet bool
	// Exact is true if an unknown parameter is an error even if the client does not ask for strict
	// handling, because the operation without the parameter would destroy something.
	Exact bool
	// Run does the work. It must not keep in.
	Run func(ctx context.Context, env Env, in *Input) (Result, error)
}

// Param finds a parameter of the operation by its name or by an alias.
func (op *Operation) Param(name string) (*Param, bool) {
	for i := range op.In {
		if op.In[i].Name == name {
			return &op.In[i], true
		}
	}
	for i := range op.In {
		if slices.Contains(op.In[i].Aliases, name) {
			return &op.In[i], true
		}
	}
	return nil, false
}

// An Argument is a value of a parameter as text, in a form that Input.Add reads.
type Argument struct{ Name, Value string }

// A Param describes one parameter.
type Param struct {
	// Name is the FHIR name; the flag in the terminal is its kebab-case.
	Name string
	// Aliases are other names that clients use for it. They are read and not documented.
	Aliases []string
	// Type is a FHIR type: "uri", "code", "string", "boolean", "integer", "dateTime",
	// "Coding", "CodeableConcept", a resource type, "Resource" for any; "" for a
	// parameter made of parts.
	Type string
	// Codes are the values of a parameter of type code or string, nil if the list is not closed.
	Codes []string
	// Names is the resource type of which the value is a canonical: "CodeSystem", "ValueSet",
	// "ConceptMap"; "" for others. In the terminal, short names stand for such canonicals.
	Names string
	// Min is 1 for a parameter that is always required.
	Min int
	// Many is true if the parameter may repeat.
	Many bool
	// Default is the value used when the parameter is absent, for help.
	Default string
	// Doc is a line for help and OperationDefinition.
	Doc string
	// Arg is the position of the argument in the terminal, from 1; 0 if there is only a flag.
	Arg int
	// HTTPOnly parameters have no flag in the terminal (resources).
	HTTPOnly bool
	// Refused parameters are defined by the specification, but not supported: a request that has
	// one fails, and metadata does not list them.
	Refused bool
	// Unlisted parameters are accepted, but the TerminologyCapabilities do not list them.
	Unlisted bool
	// Part has the parts of a parameter of Type "".
	Part []Param
}

// A Result is the answer of an operation.
type Result interface {
	// AppendJSON appends one FHIR resource.
	AppendJSON(dst []byte) []byte
	// Yes is false if the answer is no: not a member, not valid, not subsumed, no match. The exit
	// code in the terminal is then 1.
	Yes() bool
	// Table returns the answer as a table for people.
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
