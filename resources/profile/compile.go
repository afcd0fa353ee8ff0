package profile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
)

// Limits of a definition.
const (
	maxBases = 32     // profiles of profiles
	maxNodes = 50_000 // elements and slices, including those of the bases
	maxSteps = 64     // elements on the path of an element
	maxBytes = 8 << 20
)

// ErrUnknown is wrapped by the error for a definition that the Source does not have.
var ErrUnknown = errors.New("the profile is not known")

// A compiled is a compiled StructureDefinition.
type compiled struct {
	url     string
	typ     *definitions.Type
	root    *node
	context []extensionContext
	bytes   int // of the definition and its bases
}

// An extensionContext is where an extension may be used: StructureDefinition.context.
type extensionContext struct{ kind, expression string }

// compiling are the definitions whose compilation is under way, the innermost last.
type compiling []string

// compile compiles the definition with a canonical: url or url|version.
func (c *Checker) compile(ctx context.Context, canonical string, within compiling) (*compiled, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	url, version, _ := strings.Cut(canonical, "|")
	if name, is := strings.CutPrefix(url, structureDefinition); is {
		if t := c.tables.Type(name); t != nil && t.Kind != definitions.BackboneType {
			return &compiled{url: url, typ: t, root: newNode(t.Name, "")}, nil
		}
	}
	for _, other := range within {
		if other == url {
			return nil, fmt.Errorf("the profile is based on itself: %s", strings.Join(append(within, url), " → "))
		}
	}
	if len(within) >= maxBases {
		return nil, fmt.Errorf("the profile has more than %d bases", maxBases)
	}
	body, err := c.source.Definition(ctx, url, version)
	if err != nil {
		return nil, &sourceError{err}
	}
	if body == nil {
		return nil, ErrUnknown
	}
	d, err := document.Parse(body, r4.Limits{MaxBytes: maxBytes, MaxDepth: 200})
	if err != nil {
		return nil, err
	}
	return c.build(ctx, d.Root(), append(within, url))
}

// build compiles a StructureDefinition.
func (c *Checker) build(ctx context.Context, sd document.Value, within compiling) (*compiled, error) {
	p := &compiled{url: sd.Get("url").Text(), bytes: sd.End(), typ: c.tables.Type(sd.Get("type").Text())}
	switch {
	case sd.Get("kind").Is("logical"):
		return nil, errors.New("it defines a logical model, not a type of R4")
	case p.typ == nil || p.typ.Kind == definitions.BackboneType:
		return nil, fmt.Errorf("its type %.100q is not a type of R4", sd.Get("type").Text())
	}
	for v := range sd.Get("context").Items() {
		p.context = append(p.context, extensionContext{v.Get("type").Text(), v.Get("expression").Text()})
	}
	p.root = newNode(p.typ.Name, "")
	list := sd.Get("snapshot").Get("element")
	if list.Len() == 0 {
		list = sd.Get("differential").Get("element")
		if base := sd.Get("baseDefinition").Text(); base != "" {
			on, err := c.compile(ctx, base, within)
			if err != nil {
				return nil, fmt.Errorf("its base %.200s: %w", base, err)
			}
			if !c.isA(p.typ, on.typ.Name) {
				return nil, fmt.Errorf("its base %.200s defines %s, not %s", base, on.typ.Name, p.typ.Name)
			}
			p.root, p.bytes = on.root.clone(), p.bytes+on.bytes
			p.root.name, p.root.id = p.typ.Name, p.typ.Name
		}
	}
	b := builder{c: c, root: p.root, typ: p.typ, last: map[string]*node{}, room: maxNodes - p.root.size()}
	for e := range list.Items() {
		if err := b.add(e); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func newNode(name, parent string) *node {
	return &node{id: strings.TrimPrefix(parent+"."+name, "."), name: name, max: unbounded}
}

// A builder adds the elements of one definition to a tree.
type builder struct {
	c    *Checker
	root *node
	typ  *definitions.Type
	last map[string]*node // by path: the node of the last element with it
	room int              // for nodes
}

// add adds an ElementDefinition.
func (b *builder) add(e document.Value) error {
	path, id, slice := e.Get("path").Text(), e.Get("id").Text(), e.Get("sliceName").Text()
	if strings.Count(path, ".") >= maxSteps {
		return fmt.Errorf("element %.100s: the path has more than %d elements", path, maxSteps)
	}
	n, err := b.locate(path, id, slice)
	if err != nil {
		return err
	}
	if b.room < 0 {
		return fmt.Errorf("the definition has more than %d elements and slices", maxNodes)
	}
	b.last[path] = n
	return n.read(b.c.tables, e)
}

// locate returns the node of an element, and makes those that are missing. An element is found by
// its id ("Patient.identifier:mrn.system"), or without one by its path below the element before it
// whose path begins its own.
func (b *builder) locate(path, id, slice string) (*node, error) {
	steps := strings.Split(path, ".")
	if steps[0] == "" {
		return nil, errors.New("an element has no path")
	}
	if names := strings.Split(id, "."); len(names) == len(steps) {
		n := b.root
		for i, name := range names[1:] {
			element, slice, _ := strings.Cut(name, ":")
			if n = b.under(n, cmp.Or(element, steps[i+1]), slice); n == nil {
				return nil, fmt.Errorf("element %.100s: no place for it", id)
			}
		}
		return n, nil
	}
	if len(steps) == 1 {
		return b.root, nil
	}
	end := strings.LastIndexByte(path, '.')
	parent := b.last[path[:end]]
	if parent == nil {
		var err error
		if parent, err = b.locate(path[:end], "", ""); err != nil {
			return nil, err
		}
	}
	return b.under(parent, path[end+1:], slice), nil
}

// under returns the child of a node with a name, or a slice of it. The variant of a choice
// (valueQuantity) is a slice of the choice.
func (b *builder) under(n *node, name, slice string) *node {
	if choice := b.choiceOf(n, name); choice != "" {
		if slice == "" {
			slice = name
		}
		name = choice
	}
	child := n.child(name)
	if child == nil {
		child = newNode(name, n.id)
		b.room--
		n.children = append(n.children, child)
	}
	if slice == "" {
		return child
	}
	return b.slice(child, slice)
}

// slice returns a slice, which may be one of a slice: "a/b".
func (b *builder) slice(n *node, name string) *node {
	if s := n.sliced(name); s != nil {
		return s
	}
	of := n
	if i := strings.LastIndexByte(name, '/'); i > 0 {
		of = b.slice(n, name[:i])
	}
	s := &node{id: n.id + ":" + name, name: n.name, slice: name, max: unbounded}
	if stem, choice := strings.CutSuffix(n.name, "[x]"); choice {
		if code, is := strings.CutPrefix(name, stem); is && code != "" {
			s.types = []typeRef{{code: b.c.typeNamed(code)}}
		}
	}
	b.room--
	of.slices = append(of.slices, s)
	return s
}

// choiceOf returns the choice that a name is a variant of: "value[x]" for valueQuantity in any type
// that may be at a node; "" for other names. Only the type of the root and the types that have one
// name are looked at, so that a name of an ordinary element is never mistaken.
func (b *builder) choiceOf(n *node, name string) string {
	t := b.typeAt(n)
	if t == nil {
		return ""
	}
	if e := t.Element(name); e != nil && e.Choice {
		return e.Name
	}
	return ""
}

// typeAt returns the type of a node by its id, nil if it depends on the document.
func (b *builder) typeAt(n *node) *definitions.Type {
	t := b.typ
	for i, name := range strings.Split(n.id, ".") {
		if i == 0 {
			continue
		}
		name, slice, _ := strings.Cut(name, ":")
		e := t.Element(name)
		if e == nil {
			e = t.Element(slice) // value[x]:valueQuantity
		}
		if e == nil {
			return nil
		}
		t = e.Type
	}
	return t
}

// typeNamed returns the type whose name with a capital letter is given: "boolean" for Boolean.
func (c *Checker) typeNamed(capital string) string {
	if small := strings.ToLower(capital[:1]) + capital[1:]; c.tables.Type(small) != nil {
		return small
	}
	return capital
}

// isA reports whether a type has a name or specialises the type with that name.
func (c *Checker) isA(t *definitions.Type, name string) bool {
	for ; t != nil; t = c.tables.Type(t.Base) {
		if t.Name == name {
			return true
		}
	}
	return false
}
