package valueset

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/resources/r4"
)

// maxImportDepth limits chains of imports, because the stack and the message that names each step
// are finite.
const maxImportDepth = 100

// containedSets are the compiled value sets contained in one resource, by id. Each is compiled
// once, however often it is imported, and errors are stored too.
type containedSets map[string]containedSet

type containedSet struct {
	set *Set
	err error
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

func (c *compiler) importOne(ctx context.Context, canonical string, visiting []string) (*Set, error) {
	switch {
	case canonical == "":
		return nil, fmt.Errorf("%w: empty canonical", ErrInvalidCompose)
	case strings.HasPrefix(canonical, "#"):
		return c.importContained(ctx, canonical, visiting)
	}
	if slices.Contains(visiting, canonical) {
		path := append(visiting[slices.Index(visiting, canonical):len(visiting):len(visiting)], canonical)
		return nil, &ImportError{canonical, fmt.Errorf("%w: %s", ErrImportCycle, strings.Join(path, " → "))}
	}
	s, err := c.src.ValueSet(ctx, canonical, visiting)
	if err != nil {
		return nil, &ImportError{canonical, err}
	}
	return s, nil
}

func (c *compiler) importContained(ctx context.Context, reference string, visiting []string) (*Set, error) {
	if known, ok := c.contained[reference]; ok {
		return known.set, known.err
	}
	vs, err := contained(c.root, reference[1:])
	if err != nil {
		return nil, err
	}
	inner := compiler{src: c.src, root: c.root, contained: c.contained}
	set, err := inner.valueSet(ctx, vs, canonicalOf(&c.root.Header)+reference, visiting)
	c.contained[reference] = containedSet{set: set, err: err}
	return set, err
}

// Contained returns the value set with an id that is contained in another. The error wraps
// ErrUnknownValueSet if there is none.
func Contained(root *r4.ValueSet, id string) (*r4.ValueSet, error) { return contained(root, id) }

// contained implements Contained.
func contained(root *r4.ValueSet, id string) (*r4.ValueSet, error) {
	for _, doc := range root.Contained {
		var head struct {
			ResourceType string `json:"resourceType"`
			ID           string `json:"id"`
		}
		if err := json.Unmarshal(doc, &head); err != nil || head.ID != id {
			continue
		}
		if head.ResourceType != "ValueSet" {
			return nil, fmt.Errorf("%w: #%s is a %s, not a ValueSet", ErrUnknownValueSet, id, head.ResourceType)
		}
		vs, err := r4.DecodeValueSet(doc)
		if err != nil {
			return nil, fmt.Errorf("contained value set #%s: %w", id, err)
		}
		return vs, nil
	}
	return nil, fmt.Errorf("%w: no contained resource has the id %q", ErrUnknownValueSet, id)
}
