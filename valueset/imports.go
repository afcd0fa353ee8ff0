package valueset

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/roget-health/roget/codesystem"
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

func (c *compiler) importOne(ctx context.Context, canonical string, visiting []string) (*Set, error) {
	switch {
	case canonical == "":
		return nil, fmt.Errorf("%w: empty canonical", ErrInvalidCompose)
	case strings.HasPrefix(canonical, "#"):
		s, err := c.importContained(ctx, canonical, visiting)
		if err == nil {
			err = c.deepen(s, visiting)
		}
		return s, err
	}
	if slices.Contains(visiting, canonical) {
		path := append(visiting[slices.Index(visiting, canonical):len(visiting):len(visiting)], canonical)
		return nil, &ImportError{canonical, fmt.Errorf("%w: %s", ErrImportCycle, strings.Join(path, " → "))}
	}
	s, err := c.src.ValueSet(ctx, canonical, visiting)
	if err == nil {
		err = c.deepen(s, visiting)
	}
	if err != nil {
		return nil, &ImportError{canonical, err}
	}
	return s, nil
}

// deepen notes the depth of an import, and returns an error for one that is too deep below those that import it.
// It may have been compiled before, for others.
func (c *compiler) deepen(s *Set, visiting []string) error {
	if len(visiting)+s.depth > maxImportDepth {
		return ErrImportDepth
	}
	c.provenance.depth = max(c.provenance.depth, s.depth+1)
	return nil
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
	set, err := inner.valueSet(ctx, vs, reference, visiting)
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

// intersect restricts parts to the codes that all value sets contain. Codes without a label take
// the one in the value sets.
func intersect(parts []part, sets []*Set) []part {
	for _, s := range sets {
		for i := range parts {
			parts[i].intersect(s)
		}
		parts = slices.DeleteFunc(parts, func(p part) bool { return p.empty() })
	}
	return parts
}

func (p *part) intersect(s *Set) {
	if p.index == nil {
		p.keepLoose(func(c *looseCode) bool {
			var e Entry
			return s.find(&e, c.system, c.version, c.code)
		})
		return
	}
	g := s.groupOf(p.index)
	if g == nil {
		p.restrict(roaring.New(), fresh)
		return
	}
	members, labels := g.members, g.labels
	if g.index != p.index {
		moved := rebase(part{index: g.index, members: g.members, labels: g.labels}, p.index)
		members, labels = moved.members, moved.labels
	}
	switch {
	case members == p.members:
	case p.ownership == ofIndex && p.members == p.index.All() && p.list == nil:
		p.members, p.ownership = members, shared
	case members == p.index.All():
	default:
		p.restrict(roaring.And(p.members, members), fresh)
	}
	p.borrow(labels)
}

// borrow adds labels for members that have none.
func (p *part) borrow(labels map[codesystem.Ord]*label) {
	if len(labels) == 0 {
		return
	}
	all := make(map[codesystem.Ord]*label, len(p.labels)+len(labels))
	for o, l := range labels {
		all[o] = l
	}
	for o, l := range p.labels {
		all[o] = l
	}
	p.labels = all
}

// groupOf returns the group for the system version of x.
func (s *Set) groupOf(x *codesystem.Index) *group {
	for i := range s.groups {
		if s.groups[i].index == x {
			return &s.groups[i]
		}
	}
	for i := range s.groups {
		if g := &s.groups[i]; g.system == x.URL() && g.version == x.Version() {
			return g
		}
	}
	return nil
}
