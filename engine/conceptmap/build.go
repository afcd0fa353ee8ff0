package conceptmap

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/resources/r4"
)

// Modes of ConceptMap.group.unmapped.
const (
	modeProvided = "provided"
	modeFixed    = "fixed"
	modeOtherMap = "other-map"
)

// New indexes a concept map. It returns an *Error that wraps ErrInvalid for a code or mode that R4
// does not define, and for a missing element that a rule of R4 requires.
func New(r *r4.ConceptMap) (*Map, error) {
	m := &Map{canonical: r4.JoinCanonical(r.URL, r.Version)}
	b := builder{m: m, texts: newTextsBuilder()}
	for i := range r.Group {
		if err := b.group(&r.Group[i], fmt.Sprintf("ConceptMap.group[%d]", i)); err != nil {
			return nil, err
		}
	}
	if !b.texts.fits() || uint64(len(m.targets)) >= 1<<31 || uint64(len(m.elements)) >= 1<<31 {
		return nil, ErrTooLarge
	}
	m.elements = append(m.elements, element{first: uint32(len(m.targets))})
	m.elements, m.targets = slices.Clip(m.elements), slices.Clip(m.targets)
	m.texts = b.texts.finish()
	m.bySource = collect(m.texts.len(), len(m.elements)-1, func(i int) uint32 { return m.elements[i].code })
	m.byTarget = collect(m.texts.len(), len(m.targets), func(i int) uint32 { return m.targets[i].code })
	return m, nil
}

type builder struct {
	m     *Map
	texts *textsBuilder
}

func invalid(expression, format string, args ...any) error {
	return &Error{Expression: expression, Err: fmt.Errorf("%w: "+format, append([]any{ErrInvalid}, args...)...)}
}

func (b *builder) group(g *r4.ConceptMapGroup, in string) error {
	n := uint32(len(b.m.groups))
	out := group{ends: ends{
		Source: strings.Clone(g.Source), SourceVersion: strings.Clone(g.SourceVersion),
		Target: strings.Clone(g.Target), TargetVersion: strings.Clone(g.TargetVersion),
	}}
	if g.Unmapped != nil {
		if err := out.unmapped(g.Unmapped, in+".unmapped"); err != nil {
			return err
		}
	}
	b.m.groups = append(b.m.groups, out)
	for i := range g.Element {
		e := &g.Element[i]
		b.m.elements = append(b.m.elements, element{
			code: b.texts.add(e.Code), display: b.texts.add(e.Display), group: n, first: uint32(len(b.m.targets)),
		})
		for j := range e.Target {
			if err := b.target(&e.Target[j]); err != nil {
				err.Expression = fmt.Sprintf("%s.element[%d].target[%d].%s", in, i, j, err.Expression)
				return err
			}
		}
	}
	return nil
}

func (b *builder) target(t *r4.ConceptMapTarget) *Error {
	number, ok := numberOf(Equivalence(t.Equivalence))
	switch {
	case t.Equivalence == "":
		return &Error{Expression: "equivalence", Err: fmt.Errorf("%w: equivalence is required", ErrInvalid)}
	case !ok:
		return &Error{Expression: "equivalence", Err: fmt.Errorf("%w: unknown equivalence %q", ErrInvalid, t.Equivalence)}
	}
	out := target{
		code: b.texts.add(t.Code), display: b.texts.add(t.Display), comment: b.texts.add(t.Comment),
		element: uint32(len(b.m.elements) - 1), equivalence: number,
	}
	if len(t.DependsOn) > 0 || len(t.Product) > 0 {
		b.m.extras = append(b.m.extras, extra{slices.Clone(t.DependsOn), slices.Clone(t.Product)})
		out.extra = uint32(len(b.m.extras))
	}
	b.m.targets = append(b.m.targets, out)
	return nil
}

// unmapped adds the handling of codes that no element names (rules cmd-2 and cmd-3).
func (g *group) unmapped(u *r4.ConceptMapUnmapped, in string) error {
	switch u.Mode {
	case modeProvided:
	case modeFixed:
		if u.Code == "" {
			return invalid(in+".code", "mode fixed needs a code (cmd-2)")
		}
		g.code, g.display = strings.Clone(u.Code), strings.Clone(u.Display)
	case modeOtherMap:
		if u.URL == "" {
			return invalid(in+".url", "mode other-map needs a url (cmd-3)")
		}
		g.other = strings.Clone(u.URL)
	case "":
		return invalid(in+".mode", "mode is required")
	default:
		return invalid(in+".mode", "unknown mode %q", u.Mode)
	}
	g.mode = u.Mode
	return nil
}
