package valueset

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// Compile evaluates the compose of vs. visiting is the chain of canonicals that led
// here. Contained value sets ("#id") are found in vs itself. A value set without a
// compose but with an expansion is taken as a list of the expansion's codes.
//
// Errors are *Error and give the element; they wrap ErrUnknownSystem,
// ErrUnknownVersion, ErrUnknownValueSet, ErrImportCycle, ErrImportDepth,
// ErrInvalidCompose, the errors of codesystem.Index.Filter, or what the Source said.
func Compile(ctx context.Context, src Source, vs *r4.ValueSet, visiting []string) (*Set, error) {
	c := compiler{src: src, root: vs, inside: make(containedSets)}
	return c.valueSet(ctx, vs, canonicalOf(&vs.Header), visiting)
}

// canonicalOf is url|version, url, or "".
func canonicalOf(h *r4.Header) string { return r4.JoinCanonical(h.URL, h.Version) }

// compiler evaluates one value set and those contained in it.
type compiler struct {
	src Source
	// root is the resource that "#id" is looked up in.
	root *r4.ValueSet
	// inside holds the sets of what is contained in root.
	inside containedSets
	// about is filled as things are used.
	about about
}

func (c *compiler) valueSet(ctx context.Context, vs *r4.ValueSet, canonical string, visiting []string) (*Set, error) {
	fail := func(expression string, err error) (*Set, error) {
		return nil, &Error{ValueSet: canonical, Expression: expression, Err: err}
	}
	if canonical != "" {
		if slices.Contains(visiting, canonical) {
			path := append(visiting[slices.Index(visiting, canonical):len(visiting):len(visiting)], canonical)
			return fail("ValueSet.compose", fmt.Errorf("%w: %s", ErrImportCycle, strings.Join(path, " → ")))
		}
		if len(visiting) > maxImportDepth {
			return fail("ValueSet.compose", ErrImportDepth)
		}
		visiting = append(visiting[:len(visiting):len(visiting)], canonical)
	}
	a := newAlgebra()
	c.about.canonical, c.about.header = canonical, &vs.Header
	switch {
	case vs.Compose != nil:
		if len(vs.Compose.Include) == 0 {
			return fail("ValueSet.compose.include", fmt.Errorf("%w: it includes nothing", ErrInvalidCompose))
		}
		if expression, err := c.compose(ctx, a, vs.Compose, visiting); err != nil {
			return fail(expression, err)
		}
	case vs.Expansion != nil:
		if expression, err := c.expansion(ctx, a, vs.Expansion); err != nil {
			return fail(expression, err)
		}
	default:
		return fail("ValueSet.compose", fmt.Errorf("%w: the value set has neither compose nor expansion", ErrInvalidCompose))
	}
	c.about.versioned = c.about.versioned || severalVersions(c.about.uses)
	return a.finish(c.about), nil
}

// compose adds the includes and takes away the excludes. An error comes with the
// expression of the element it is about.
func (c *compiler) compose(ctx context.Context, a *algebra, compose *r4.Compose, visiting []string) (string, error) {
	a.merge = Merges(compose)
	c.about.merged, c.about.versioned = a.merge, nameVersions(compose)
	c.about.flat, c.about.filtered = isFlat(compose), hasFilters(compose)
	for i := range c.order(compose.Include) {
		parts, inner, err := c.include(ctx, &compose.Include[i], visiting)
		if err != nil {
			return elementOf("ValueSet.compose.include", i, inner), err
		}
		for _, p := range parts {
			a.add(p)
		}
	}
	for i := range compose.Exclude {
		if inner, err := c.exclude(ctx, a, &compose.Exclude[i], visiting); err != nil {
			return elementOf("ValueSet.compose.exclude", i, inner), err
		}
	}
	c.about.flat = c.about.flat || a.overlap
	if compose.Inactive != nil && !*compose.Inactive {
		a.dropInactive()
	}
	return "", nil
}

// order yields the places of includes in the order in which they are evaluated: that of
// the compose, but later versions of a system before earlier ones, where the Source can tell.
func (c *compiler) order(includes []r4.Include) iter.Seq[int] {
	return func(yield func(int) bool) {
		by, ok := c.src.(VersionOrder)
		if !ok || len(includes) < 2 {
			for i := range includes {
				if !yield(i) {
					return
				}
			}
			return
		}
		order := make([]int, len(includes))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int {
			a, b := &includes[i], &includes[j]
			if a.System != b.System || a.Version == "" || b.Version == "" {
				return 0
			}
			return by.CompareVersions(b.Version, a.Version)
		})
		for _, i := range order {
			if !yield(i) {
				return
			}
		}
	}
}

// elementOf writes list[i].inner.
func elementOf(list string, i int, inner string) string {
	s := list + "[" + strconv.Itoa(i) + "]"
	if inner != "" {
		s += "." + inner
	}
	return s
}

// include evaluates one include; inner is the element of it an error is about.
func (c *compiler) include(ctx context.Context, inc *r4.Include, visiting []string) (parts []part, inner string, err error) {
	if err := ctx.Err(); err != nil {
		return nil, "", err
	}
	if inner, err := checkInclude(inc); err != nil {
		return nil, inner, err
	}
	imports, inner, err := c.importAll(ctx, inc, inc.System == "", visiting)
	if err != nil {
		return nil, inner, err
	}
	if inc.System == "" {
		return intersect(imports[0].parts(), imports[1:]), "", nil
	}
	x, err := c.index(ctx, inc)
	if err == nil || len(inc.Concept) > 0 && isAbsent(err) {
		c.about.useSystem(inc, x)
	}
	switch {
	case x == nil && err != nil && len(inc.Concept) > 0 && isAbsent(err):
		parts = []part{listed(nil, inc)}
	case err != nil:
		return nil, "system", err
	case len(inc.Concept) > 0:
		parts = listedIn(x, inc)
	default:
		p, inner, err := selected(ctx, x, inc.Filter)
		if err != nil {
			return nil, inner, err
		}
		parts = []part{p}
	}
	return intersect(parts, imports), "", nil
}

// isAbsent tells the absence of a system or version from a failure to load it.
func isAbsent(err error) bool {
	return errors.Is(err, ErrUnknownSystem) || errors.Is(err, ErrUnknownVersion)
}

// index resolves the system of an include. A system without content counts as unknown.
func (c *compiler) index(ctx context.Context, inc *r4.Include) (*codesystem.Index, error) {
	x, err := resolve(ctx, c.src, inc.System, inc.Version)
	if err != nil {
		return nil, &SystemError{inc.System, inc.Version, err}
	}
	return x, nil
}

func resolve(ctx context.Context, src Source, system, version string) (*codesystem.Index, error) {
	x, err := src.CodeSystem(ctx, system, version)
	if err != nil {
		return nil, err
	}
	if x.Len() == 0 && x.Header().Content == "not-present" {
		return nil, fmt.Errorf("%w: %w: %s", ErrUnknownSystem, ErrNoContent, system)
	}
	return x, nil
}

// checkInclude applies the rules vsd-1, vsd-2 and vsd-3 of R4, and those of cardinality.
func checkInclude(inc *r4.Include) (inner string, err error) {
	switch {
	case inc.System == "" && (len(inc.Concept) > 0 || len(inc.Filter) > 0):
		return "system", fmt.Errorf("%w: concepts and filters need a system (vsd-2)", ErrInvalidCompose)
	case inc.System == "" && len(inc.ValueSet) == 0:
		return "", fmt.Errorf("%w: neither system nor valueSet is given (vsd-1)", ErrInvalidCompose)
	case len(inc.Concept) > 0 && len(inc.Filter) > 0:
		return "filter", fmt.Errorf("%w: concepts and filters exclude each other (vsd-3)", ErrInvalidCompose)
	}
	for i := range inc.Concept {
		if inc.Concept[i].Code == "" {
			return elementOf("concept", i, "code"), fmt.Errorf("%w: code is required", ErrInvalidCompose)
		}
	}
	for i := range inc.Filter {
		f := &inc.Filter[i]
		switch {
		case f.Property == "":
			return elementOf("filter", i, "property"), fmt.Errorf("%w: property is required", ErrInvalidCompose)
		case f.Op == "":
			return elementOf("filter", i, "op"), fmt.Errorf("%w: op is required", ErrInvalidCompose)
		}
	}
	return "", nil
}
