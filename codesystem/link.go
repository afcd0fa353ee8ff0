package codesystem

import (
	"fmt"
	"math"
	"strings"

	"github.com/roget-health/roget/resources/r4"
)

// link returns the stated hierarchy as a graph over the concepts in source order. The parents of a
// concept are in this order: the concept it is nested in, the parents it states, the concepts that
// state it as their child.
func (b *Builder) link() (*graph, error) {
	edges := make([]edge, 0, len(b.statements))
	for i, p := range b.nested {
		if p > 0 {
			edges = append(edges, edge{child: uint32(i), parent: uint32(p - 1)})
		}
	}
	missing := 0
	var first error
	codes := b.codes.texts()
	for _, want := range []role{roleParent, roleChild} {
		for i, s := range b.statements {
			if s.role != want {
				continue
			}
			other, ok := b.table.find(b.named.at(uint32(i)), uint32(b.Len()), &codes)
			switch {
			case !ok:
				if missing++; first == nil {
					first = b.unknown(uint32(i), s)
				}
			case want == roleParent:
				edges = append(edges, edge{child: s.concept, parent: other})
			default:
				edges = append(edges, edge{child: other, parent: s.concept})
			}
		}
	}
	if first != nil && mustBeWhole(b.header) {
		if missing > 1 {
			first = fmt.Errorf("%w (and %d more)", first, missing-1)
		}
		return nil, first
	}
	if uint64(len(edges)) > math.MaxUint32 {
		return nil, fmt.Errorf("%w: %d edges", ErrTooLarge, len(edges))
	}
	return newGraph(b.Len(), edges), nil
}

// mustBeWhole reports whether every code named as parent or child must exist. It need not in a
// part of a system (R4 CodeSystem.content).
func mustBeWhole(header *r4.CodeSystem) bool {
	switch header.Content {
	case "fragment", "example", "supplement":
		return false
	}
	return true
}

func (b *Builder) unknown(i uint32, s statement) error {
	kind := "parent"
	if s.role == roleChild {
		kind = "child"
	}
	return fmt.Errorf("%sconcept %q: %w: its %s %q is not in the code system",
		at(b.places.at(s.concept)), b.codes.at(s.concept), ErrUnknownParent, kind, b.named.at(i))
}

// shownOfCycle is the number of codes at either end of a cycle that its message lists.
const shownOfCycle = 10

// cycleError returns an error with a cycle as a path from child to parent: "A → B → A".
func (b *Builder) cycleError(path []uint32) error {
	var text strings.Builder
	for i, concept := range path {
		if i == shownOfCycle && len(path) > 2*shownOfCycle {
			fmt.Fprintf(&text, "… %d more … → ", len(path)-2*shownOfCycle)
		}
		if i < shownOfCycle || i >= len(path)-shownOfCycle {
			text.WriteString(b.codes.at(concept))
			text.WriteString(" → ")
		}
	}
	text.WriteString(b.codes.at(path[0]))
	return fmt.Errorf("%s%w: %s", at(b.places.at(path[0])), ErrCycle, text.String())
}

// reread applies a header that came after concepts: the case rule of codes, and which properties
// state the hierarchy.
func (b *Builder) reread() error {
	if fold := !caseSensitive(b.header); fold != b.table.fold {
		if err := b.retable(fold); err != nil {
			return err
		}
	}
	if !b.lateRoles {
		return nil
	}
	kept := b.statements[:0]
	named := newArena()
	var ordinary []statementText
	for i, s := range b.statements {
		code := b.named.at(uint32(i))
		if s.role = b.roles.of(b.stating[s.property]); s.role.hierarchical() {
			kept = append(kept, s)
			named.add(code)
		} else {
			ordinary = append(ordinary, statementText{int(s.concept), Property{Code: b.stating[s.property], Value: r4.Code(code)}})
		}
	}
	b.statements, b.named = kept, named
	for code, r := range b.roles.special {
		if !r.hierarchical() {
			continue
		}
		b.props.take(code, func(concept int, p Property) {
			if named, ok := b.roles.codeNamed(p.Value); ok {
				b.state(uint32(concept), r, code, named)
			} else {
				ordinary = append(ordinary, statementText{concept, p})
			}
		})
	}
	for _, s := range ordinary {
		if err := b.props.add(s.concept, []Property{s.property}); err != nil {
			return fmt.Errorf("%sconcept %q: %w", at(b.places.at(uint32(s.concept))), b.codes.at(uint32(s.concept)), err)
		}
	}
	return nil
}

// statementText is a property to be interpreted again.
type statementText struct {
	concept  int
	property Property
}

// retable builds the code table again with another case rule.
func (b *Builder) retable(fold bool) error {
	b.table = codeTable{fold: fold, seed: b.table.seed}
	codes := b.codes.texts()
	for i := range uint32(b.Len()) {
		code := b.codes.at(i)
		if first, ok := b.table.find(code, i, &codes); ok {
			return b.duplicate(first, code, b.places.at(i))
		}
		b.table.insert(code, i, &codes)
	}
	return nil
}
