package codesystem

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/roget-health/roget/resources/r4"
)

// A propertyBuilder collects the properties of concepts that do not state the hierarchy, and lays
// them out as sections. Each distinct value of a property is stored once; a concept holds numbers
// of values.
type propertyBuilder struct {
	// header returns the current header: its declarations may come after the concepts.
	header func() *r4.CodeSystem

	names  []string
	byName map[string]uint32
	pairs  pairTable

	// holder[i] holds pair held[i]: two slices in the order of adding.
	holder []uint32
	held   []uint32
	groups []uint16 // of held; may be shorter, followed by zeros
	key    []byte
}

func newPropertyBuilder(header func() *r4.CodeSystem) *propertyBuilder {
	return &propertyBuilder{header: header, byName: map[string]uint32{}, pairs: newPairTable()}
}

// add stores the properties of one concept, numbered in source order (not yet the Ord). The caller
// keeps props and its slices. An error describes the value (ErrBadProperty, ErrTooLarge); the
// caller adds concept and place.
func (p *propertyBuilder) add(concept int, props []Property) error {
	for i := range props {
		code := props[i].Code
		if code == "" {
			return fmt.Errorf("%w: property without a code", ErrBadProperty)
		}
		prop, ok := p.byName[code]
		if !ok {
			prop = uint32(len(p.names))
			code = string([]byte(code))
			p.names = append(p.names, code)
			p.byName[code] = prop
		}
		var err error
		if p.key, err = appendValue(p.key[:0], props[i].Value); err != nil {
			return fmt.Errorf("property %q: %w", code, err)
		}
		if group := props[i].Group; group < 0 || group > maxGroup {
			return fmt.Errorf("%w: property %q in group %d, the highest is %d", ErrBadProperty, code, group, maxGroup)
		}
		pair, err := p.pairs.intern(prop, p.key)
		if err != nil {
			return fmt.Errorf("property %q: %w", code, err)
		}
		if len(p.held) >= maxConcepts {
			return fmt.Errorf("%w: %d property values", ErrTooLarge, len(p.held))
		}
		p.holder = append(p.holder, uint32(concept))
		p.held = append(p.held, pair)
		if group := props[i].Group; group != 0 {
			p.setGroup(len(p.held)-1, uint16(group))
		}
	}
	return nil
}

// setGroup sets the group of held[i].
func (p *propertyBuilder) setGroup(i int, group uint16) {
	for len(p.groups) <= i {
		p.groups = append(p.groups, 0)
	}
	p.groups[i] = group
}

// group returns the group of held[i].
func (p *propertyBuilder) group(i int) uint16 {
	if i >= len(p.groups) {
		return 0
	}
	return p.groups[i]
}

// take removes all values of one property and yields them in the order of adding. It is only
// called when a late header declares code as a parent or child property.
func (p *propertyBuilder) take(code string, yield func(concept int, property Property)) {
	prop, ok := p.byName[code]
	if !ok {
		return
	}
	n := 0
	for i, pair := range p.held {
		if p.pairs.props[pair] == prop {
			yield(int(p.holder[i]), Property{Code: code, Value: decodeValue(string(p.pairs.value(pair))), Group: int(p.group(i))})
			continue
		}
		p.holder[n], p.held[n] = p.holder[i], pair
		if i < len(p.groups) {
			p.groups[n] = p.groups[i]
		}
		n++
	}
	p.holder, p.held = p.holder[:n], p.held[:n]
	p.groups = p.groups[:min(n, len(p.groups))]
}

// propertyInfo is the JSON of one property in the snapshot.
type propertyInfo struct {
	Code string `json:"code"`
}

// finish lays out the property sections. newOf maps the numbers passed to add to Ords. x has
// codes, displays, designations, hierarchy and flags.
func (p *propertyBuilder) finish(ctx context.Context, newOf []uint32, x *Index) ([]section, error) {
	if len(p.held) == 0 {
		return nil, nil
	}
	if err := p.checkTypes(newOf, x); err != nil {
		return nil, err
	}
	propRank, names := p.rankProperties()
	order, pairRank := p.rankPairs(propRank)
	if err := ctx.Err(); err != nil {
		return nil, err
	}

	n := x.Len()
	starts, lists, groups := p.listPairs(newOf, pairRank, n)
	first := make([]uint32, len(names)+1)
	propOf := make([]uint32, len(order))
	var values arena
	values.off = make([]uint32, 0, len(order)+1)
	for i, pair := range order {
		prop := propRank[p.pairs.props[pair]]
		propOf[i] = prop
		first[prop+1]++
		values.off = append(values.off, uint32(len(values.data)))
		values.data = append(values.data, p.pairs.value(pair)...)
	}
	values.off = append(values.off, uint32(len(values.data)))
	for i := range names {
		first[i+1] += first[i]
	}
	p.pairs, p.held, p.holder, p.groups = pairTable{}, nil, nil, nil
	sets, err := buildSets(ctx, starts, lists, propOf, len(names))
	if err != nil {
		return nil, err
	}
	info, err := json.Marshal(names)
	if err != nil {
		return nil, fmt.Errorf("property names: %w", err)
	}
	sections := append([]section{
		{secPropNames, info},
		{secPropFirst, bytesOf(first)},
		{secPairOffsets, bytesOf(values.off)},
		{secPairValues, values.data},
		{secHeldOffsets, bytesOf(starts)},
		{secHeld, bytesOf(lists)},
	}, sets...)
	if groups != nil {
		sections = append(sections, section{secHeldGroups, bytesOfHalves(groups)})
	}
	targets, err := targetSections(ctx, x, first, values.texts(), starts, lists)
	return append(sections, targets...), err
}

// checkTypes compares each distinct value with the declared type of its property.
func (p *propertyBuilder) checkTypes(newOf []uint32, x *Index) error {
	declared := make([]string, len(p.names))
	for _, d := range p.header().Property {
		if prop, ok := p.byName[d.Code]; ok {
			declared[prop] = d.Type
		}
	}
	for i, pair := range p.held {
		prop := p.pairs.props[pair]
		want := letterDeclared(declared[prop])
		if got := p.pairs.letter(pair); want != 0 && got != want {
			return fmt.Errorf("concept %q: property %q: %w: value%s, declared as %s", x.Code(newOf[p.holder[i]]),
				p.names[prop], ErrBadProperty, typeOfLetter(got), declared[prop])
		}
	}
	return nil
}

// rankProperties numbers the properties in use by their codes.
func (p *propertyBuilder) rankProperties() (rank []uint32, names []propertyInfo) {
	held := make([]bool, len(p.names))
	for _, pair := range p.held {
		held[p.pairs.props[pair]] = true
	}
	var order []uint32
	for i := range p.names {
		if held[i] {
			order = append(order, uint32(i))
		}
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Compare(p.names[a], p.names[b]) })
	rank = make([]uint32, len(p.names))
	for i, prop := range order {
		rank[prop] = uint32(i)
		names = append(names, propertyInfo{Code: p.names[prop]})
	}
	return rank, names
}

// rankPairs numbers the pairs in use by property and value.
func (p *propertyBuilder) rankPairs(propRank []uint32) (order, rank []uint32) {
	rank = make([]uint32, p.pairs.len())
	for _, pair := range p.held {
		rank[pair] = 1
	}
	for pair, used := range rank {
		if used != 0 {
			order = append(order, uint32(pair))
		}
	}
	slices.SortFunc(order, func(a, b uint32) int {
		if c := cmp.Compare(propRank[p.pairs.props[a]], propRank[p.pairs.props[b]]); c != 0 {
			return c
		}
		return bytes.Compare(p.pairs.value(a), p.pairs.value(b))
	})
	for i, pair := range order {
		rank[pair] = uint32(i)
	}
	return order, rank
}

// listPairs returns the pairs of each concept by Ord, in source order, as one slice with n+1
// offsets, and their groups, or nil when all are 0.
func (p *propertyBuilder) listPairs(newOf, pairRank []uint32, n int) (starts, lists []uint32, groups []uint16) {
	starts = make([]uint32, n+1)
	for _, concept := range p.holder {
		starts[newOf[concept]+1]++
	}
	for i := range n {
		starts[i+1] += starts[i]
	}
	next := slices.Clone(starts)
	lists = make([]uint32, len(p.held))
	if len(p.groups) > 0 {
		groups = make([]uint16, len(p.held))
	}
	for i, concept := range p.holder {
		o := newOf[concept]
		lists[next[o]] = pairRank[p.held[i]]
		if groups != nil {
			groups[next[o]] = p.group(i)
		}
		next[o]++
	}
	return starts, lists, groups
}
