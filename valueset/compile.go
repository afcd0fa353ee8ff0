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

// Compile evaluates the compose of vs. visiting is the chain of canonicals that led here.
// Contained value sets ("#id") are looked up in vs itself. A value set that has an expansion but
// no compose consists of the codes of the expansion.
//
// Errors are of type *Error and identify the element. They wrap ErrUnknownSystem,
// ErrUnknownVersion, ErrUnknownValueSet, ErrImportCycle, ErrImportDepth, ErrInvalidCompose, an
// error of codesystem.Index.Filter, or an error of the Source.
func Compile(ctx context.Context, src Source, vs *r4.ValueSet, visiting []string) (*Set, error) {
	c := compiler{src: src, root: vs, contained: make(containedSets)}
	return c.valueSet(ctx, vs, "", visiting)
}

// canonicalOf returns url|version, url, or "".
func canonicalOf(h *r4.Header) string { return r4.JoinCanonical(h.URL, h.Version) }

// compiler evaluates a value set and those contained in it.
type compiler struct {
	src Source
	// root is the resource in which "#id" is looked up.
	root *r4.ValueSet
	// contained are the compiled value sets contained in root.
	contained containedSets
	// provenance is filled during the evaluation.
	provenance recorder
}

// valueSet evaluates the root, or with a reference "#id" a value set contained in it.
func (c *compiler) valueSet(ctx context.Context, vs *r4.ValueSet, reference string, visiting []string) (*Set, error) {
	canonical := canonicalOf(&c.root.Header) + reference
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
	a := new(algebra)
	c.provenance.canonical, c.provenance.header = canonical, &vs.Header
	switch {
	case vs.Compose != nil:
		if len(vs.Compose.Include) == 0 {
			return fail("ValueSet.compose.include", fmt.Errorf("%w: there must be at least one include", ErrInvalidCompose))
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
	return a.build(c.provenance.provenance), nil
}

// compose adds the includes and removes the excludes. An error is returned with the expression of
// its element.
func (c *compiler) compose(ctx context.Context, a *algebra, compose *r4.Compose, visiting []string) (string, error) {
	a.merge = Merges(compose)
	c.provenance.merged, c.provenance.versioned = a.merge, namesSeveralVersions(compose)
	c.provenance.flat, c.provenance.filtered = hasNoHierarchy(compose), hasFilters(compose)
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
	a.sweep()
	c.provenance.flat = c.provenance.flat || a.overlap
	if compose.Inactive != nil && !*compose.Inactive {
		a.dropInactive()
	}
	return "", nil
}

// order yields the indexes of includes in the order of their evaluation: that of the compose,
// except that later versions of a system precede earlier ones if the Source can compare versions.
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

// elementOf returns list[i].inner.
func elementOf(list string, i int, inner string) string {
	s := list + "[" + strconv.Itoa(i) + "]"
	if inner != "" {
		s += "." + inner
	}
	return s
}

// include evaluates one include. inner is the element of the include that err refers to.
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
		c.provenance.addSystem(inc, x)
	}
	switch {
	case len(inc.Concept) > 0 && isAbsent(err):
		parts = []part{looseFromList(nil, inc)}
	case err != nil:
		return nil, "system", err
	case len(inc.Concept) > 0:
		parts = partsFromList(x, inc)
	default:
		p, inner, err := c.conceptsSelected(ctx, x, inc.Filter)
		if err != nil {
			return nil, inner, err
		}
		parts = []part{p}
	}
	return intersect(parts, imports), "", nil
}

// isAbsent distinguishes a system or version that does not exist from one that failed to load.
func isAbsent(err error) bool {
	return errors.Is(err, ErrUnknownSystem) || errors.Is(err, ErrUnknownVersion)
}

// importAll compiles the value sets that an include or exclude names. taken reports whether the
// codes of the first one are included, as opposed to restricting others.
func (c *compiler) importAll(ctx context.Context, inc *r4.Include, taken bool, visiting []string) (sets []*Set, inner string, err error) {
	for i, canonical := range inc.ValueSet {
		s, err := c.importOne(ctx, canonical, visiting)
		if err != nil {
			return nil, elementOf("valueSet", i, ""), err
		}
		sets = append(sets, s)
		c.provenance.addImport(s, canonical, strings.HasPrefix(canonical, "#"), taken && i == 0)
		if s.canonical != "" && !slices.Contains(c.provenance.imports, s.canonical) {
			c.provenance.imports = append(c.provenance.imports, s.canonical)
		}
		for _, name := range s.imports {
			if !slices.Contains(c.provenance.imports, name) {
				c.provenance.imports = append(c.provenance.imports, name)
			}
		}
	}
	return sets, "", nil
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
	if x.Header().Content == "not-present" && x.Len() == 0 {
		return nil, fmt.Errorf("%w: %w: %s", ErrUnknownSystem, ErrNoContent, system)
	}
	return x, nil
}

// checkInclude applies the rules vsd-1, vsd-2 and vsd-3 of R4 and its cardinalities.
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
