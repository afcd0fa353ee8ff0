package valueset

import (
	"context"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// Source resolves what a compose names. Implementations are safe for concurrent
// use. CodeSystem returns an error wrapping ErrUnknownSystem (or ErrUnknownVersion),
// ValueSet one wrapping ErrUnknownValueSet. An empty version asks for the default one.
// During one Compile a Source should answer the same question the same way.
type Source interface {
	CodeSystem(ctx context.Context, url, version string) (*codesystem.Index, error)
	// ValueSet returns the compiled set of another value set. visiting is the chain of
	// canonicals being compiled, for cycle detection; the source passes it to Compile.
	ValueSet(ctx context.Context, canonical string, visiting []string) (*Set, error)
}

// VersionOrder is an optional ability of a Source: it tells which of two versions is
// later, by a number above 0 when it is a.
type VersionOrder interface {
	CompareVersions(a, b string) int
}

// DefinitionSource is an optional ability of a Source: it gives the definition of a
// value set, so that Explain can descend into imports. Errors as of Source.ValueSet.
type DefinitionSource interface {
	ValueSetDefinition(ctx context.Context, canonical string) (*r4.ValueSet, error)
}
