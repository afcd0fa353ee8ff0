package operation

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/closure"
	"github.com/roget-health/roget/resources/r4"
)

var closureRow = Operation{
	Name: "closure", Type: "ConceptMap", System: true, Command: "closure",
	Examples: []string{
		"roget closure problems",
		"roget closure problems 'http://snomed.info/sct|22298006' 'http://snomed.info/sct|64572001'",
		"roget closure problems --version 0",
	},
	Example: []Argument{{"name", "example"}}, // makes the table; concepts need one that is there
	Summary: "Maintain a closure table",
	Doc: "Keeps the closure table of a client: which of the codes that it has met subsume which others. " +
		"With a name only, makes the table, or empties it. With concepts, adds them, and returns the entries that the client is to add to its table: " +
		"a code, and the codes of the table that subsume it (equivalence subsumes) or mean the same (equal). " +
		"With a version from a former answer, returns everything that was added after it; 0 stands for the whole table. " +
		"All concepts are added, or none. An unknown table is a 404. A 422 means that a code system of the table has changed, " +
		"and that the client must make the table again and add all its codes.",
	Spec:         "https://hl7.org/fhir/R4/conceptmap-operation-closure.html",
	AffectsState: true, Stored: true, Exact: true, // without a misspelled concept, a table would be emptied
	In: []Param{
		{Name: "name", Type: "string", Min: 1, Arg: 1, Doc: "Name of the table: 1 to 64 letters, digits, hyphens and full stops. Whoever knows or guesses it can read and change the table, unless clients authenticate: then each has its own tables."},
		{Name: "concept", Type: "Coding", Many: true, Arg: 2, Doc: "A code to add, with its code system. The first code of a code system decides its version in the table: the one it names, or the default version."},
		{Name: "version", Type: "string", Doc: "Version of the table, from a former answer: return what was added after it."},
	},
	Out: []Param{{Name: "return", Type: "ConceptMap", Min: 1, Doc: "The new entries of the table, and its version."}},
	Run: runClosure,
}

// Closures keep closure tables. *closure.Tables implements it; see there for errors.
type Closures interface {
	Initialise(ctx context.Context, name string) (closure.Answer, error)
	Add(ctx context.Context, name string, codings []r4.Coding) (closure.Answer, error)
	Replay(ctx context.Context, name, version string) (closure.Answer, error)
}

var _ Closures = (*closure.Tables)(nil)

func runClosure(ctx context.Context, env Env, in *Input) (Result, error) {
	if env.Closures == nil {
		return nil, &engine.ParameterError{Name: "name", Problem: engine.ErrNotSupported, Detail: "closure tables need a store of resources"}
	}
	name, version, codings := in.String("name"), in.String("version"), in.Codings("concept")
	if name == "" {
		return nil, Missing("name", "the name of the table")
	}
	var answer closure.Answer
	var err error
	switch {
	case version != "" && len(codings) > 0:
		return nil, Invalid("version", "a request has concepts or a version, not both")
	case version != "":
		answer, err = env.Closures.Replay(ctx, name, version)
	case len(codings) > 0:
		answer, err = env.Closures.Add(ctx, name, codings)
	case in.Empty("version"): // a client that lost its version must not lose the table
		return nil, Invalid("version", "it has no value; send the version of a former answer, 0 for the whole table, or no version to empty the table")
	case in.Empty("concept"):
		return nil, Invalid("concept", "it has no value; send a coding, or no concept to empty the table")
	default:
		answer, err = env.Closures.Initialise(ctx, name)
	}
	if wrong, ok := errors.AsType[*closure.CodeError](err); ok {
		return nil, &engine.ParameterError{Name: wrong.Param, Problem: engine.ErrInvalidParameter, Cause: wrong}
	}
	if err != nil {
		return nil, err
	}
	return (*closureResult)(&answer), nil
}

// closureResult is the answer of $closure.
type closureResult closure.Answer

// AppendJSON appends the ConceptMap. Every relation is written from the code that is subsumed to the
// code that subsumes it.
func (r *closureResult) AppendJSON(dst []byte) []byte {
	title := "Updates for Closure Table " + r.Name
	if r.Created {
		title = "Closure Table " + r.Name + " Creation"
	}
	dst = append(dst, `{"resourceType":"ConceptMap","id":`...)
	dst = r4.AppendString(dst, r.Name)
	dst = append(dst, `,"version":"`...)
	dst = strconv.AppendInt(dst, r.Version, 10)
	dst = append(dst, `","name":`...)
	dst = r4.AppendString(dst, r.Name)
	dst = append(dst, `,"title":`...)
	dst = r4.AppendString(dst, title)
	dst = append(dst, `,"status":"active","experimental":true,"date":"`...)
	dst = r.At.UTC().AppendFormat(dst, time.RFC3339)
	dst = append(dst, '"')
	if len(r.Groups) > 0 {
		dst = append(dst, `,"group":[`...)
		for i := range r.Groups {
			dst = appendClosureGroup(comma(dst, i), &r.Groups[i])
		}
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

func appendClosureGroup(dst []byte, g *closure.Group) []byte {
	dst = append(dst, '{')
	for i, side := range [...]string{"source", "target"} {
		dst = append(append(comma(dst, i), '"'), side...)
		dst = r4.AppendString(append(dst, `":`...), g.System)
		if g.Version != "" {
			dst = append(append(dst, `,"`...), side...)
			dst = r4.AppendString(append(dst, `Version":`...), g.Version)
		}
	}
	dst = append(dst, `,"element":[`...)
	for i := range g.Elements {
		e := &g.Elements[i]
		dst = append(comma(dst, i), `{"code":`...)
		dst = append(r4.AppendString(dst, e.Code), `,"target":[`...)
		for k, target := range e.Targets {
			dst = append(comma(dst, k), `{"code":`...)
			dst = r4.AppendString(dst, target.Code)
			dst = append(append(dst, `,"equivalence":"`...), closureEquivalence(target)...)
			dst = append(dst, `"}`...)
		}
		dst = append(dst, `]}`...)
	}
	return append(dst, `]}`...)
}

// comma appends a comma before every element of a list but the first.
func comma(dst []byte, i int) []byte {
	if i > 0 {
		return append(dst, ',')
	}
	return dst
}

// closureEquivalence returns the code of http://hl7.org/fhir/concept-map-equivalence, which is read
// from the target: the target subsumes the source.
func closureEquivalence(t closure.Target) string {
	if t.Equal {
		return "equal"
	}
	return "subsumes"
}

// Yes is true: an answer without entries is not a no.
func (r *closureResult) Yes() bool { return true }

// Table has one row for each entry.
func (r *closureResult) Table() *Table {
	t := &Table{Title: "table " + r.Name + ", version " + strconv.FormatInt(r.Version, 10), Header: []string{"CODE", "EQUIVALENCE", "TARGET", "SYSTEM"}}
	for _, g := range r.Groups {
		for _, e := range g.Elements {
			for _, target := range e.Targets {
				t.Rows = append(t.Rows, []string{e.Code, closureEquivalence(target), target.Code, r4.JoinCanonical(g.System, g.Version)})
			}
		}
	}
	return t
}
