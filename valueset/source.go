package valueset

import (
	"context"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// Source resolves the references of a compose. Implementations must be safe for concurrent use.
// CodeSystem returns an error that wraps ErrUnknownSystem or ErrUnknownVersion, ValueSet one that
// wraps ErrUnknownValueSet. An empty version requests the default one. During one Compile a
// Source should return the same result for the same arguments.
type Source interface {
	CodeSystem(ctx context.Context, url, version string) (*codesystem.Index, error)
	// ValueSet returns the compiled set of another value set. visiting is the chain of canonicals
	// being compiled, for cycle detection; the source passes it to Compile.
	ValueSet(ctx context.Context, canonical string, visiting []string) (*Set, error)
}

// VersionOrder is an optional interface of a Source. CompareVersions returns a positive number if
// a is the later version.
type VersionOrder interface {
	CompareVersions(a, b string) int
}

// DefinitionSource is an optional interface of a Source. It returns the definition of a value
// set, so that Explain can descend into imports. Its errors are those of Source.ValueSet.
type DefinitionSource interface {
	ValueSetDefinition(ctx context.Context, canonical string) (*r4.ValueSet, error)
}

// SupplementSource is an optional interface of a Source. It returns the supplements of a code system
// that the filters of a value set see.
type SupplementSource interface {
	SupplementsFor(vs *r4.ValueSet, x *codesystem.Index) ([]*codesystem.Index, error)
}

// supplementsFor returns the supplements of a code system for a value set.
func supplementsFor(src Source, vs *r4.ValueSet, x *codesystem.Index) ([]*codesystem.Index, error) {
	if s, ok := src.(SupplementSource); ok {
		return s.SupplementsFor(vs, x)
	}
	return nil, nil
}
