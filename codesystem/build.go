package codesystem

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"
)

var errBigEndian = errors.New("code systems can be indexed on little-endian machines only")

// Build returns the Index. It links the hierarchy (nesting and the properties parent, child and
// subsumedBy), numbers the concepts and lays everything out. The Builder cannot be used
// afterwards.
//
// Errors: ErrUnknownParent with concept, code and place, unless the content of the system is only
// a part (fragment, example, supplement), where absent parents are dropped; ErrCycle with its
// path; ErrDuplicateCode if a late header made codes equal; the error of ctx.
func (b *Builder) Build(ctx context.Context) (*Index, error) {
	if !littleEndian() {
		return nil, errBigEndian
	}
	if b.spent {
		return nil, errors.New("a Builder can only build once")
	}
	b.spent = true
	if err := b.reread(); err != nil {
		return nil, err
	}
	g, err := b.link()
	if err != nil {
		return nil, err
	}
	b.statements, b.named = nil, arena{}
	order := g.parentsFirst()
	if len(order) < g.len() {
		return nil, b.cycleError(g.cycle(order))
	}
	b.places = arena{}
	newOf, size := g.preorder(order)
	oldOf := make([]uint32, len(newOf))
	for old, ord := range newOf {
		oldOf[ord] = uint32(old)
	}
	return b.layOut(ctx, g, order, newOf, oldOf, size)
}

// layOut makes the sections and the index over them.
func (b *Builder) layOut(ctx context.Context, g *graph, order, newOf, oldOf, size []uint32) (*Index, error) {
	ends := make([]uint32, len(newOf))
	for old, ord := range newOf {
		ends[ord] = ord + size[old]
	}
	for i, old := range order {
		order[i] = newOf[old]
	}
	var concepts, hierarchy []section
	var h *layout
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		concepts, err = b.conceptSections(newOf, oldOf)
		return err
	})
	group.Go(func() (err error) {
		h = newHierarchy(g.renumbered(newOf, oldOf), order, ends, b.closureBudget)
		hierarchy, err = h.sections(groupCtx)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	header, err := json.Marshal(b.header)
	if err != nil {
		return nil, fmt.Errorf("header of %s: %w", b.header.URL, err)
	}
	flags := b.flagSection(h.g, oldOf)
	facts := info{
		concepts:      uint32(len(newOf)),
		storage:       h.storage,
		caseSensitive: flag(!b.table.fold),
		nested:        flag(b.nested != nil),
		hashSeed:      b.table.seed,
		edges:         uint64(len(h.g.parents)),
	}
	sections := slices.Concat(concepts, hierarchy, []section{
		{secInfo, bytesOf([]info{facts})},
		{secHeader, header},
		{secFlags, flags},
	})
	return b.finish(ctx, h, newOf, flags, sections)
}

// finish adds the sections that need the index built so far: properties, reference sets,
// statistics, text.
func (b *Builder) finish(ctx context.Context, h *layout, newOf []uint32, flags []byte, sections []section) (*Index, error) {
	get := func(id uint32) []byte {
		for i := range sections {
			if sections[i].id == id {
				return sections[i].data
			}
		}
		return nil
	}
	x, in := &Index{}, opener{get: get}
	if err := x.openConcepts(in); err != nil {
		return nil, err
	}
	more, err := b.props.finish(ctx, newOf, x)
	if err != nil {
		return nil, err
	}
	b.props = nil
	sections = append(sections, more...)
	if x.props, err = openProperties(in, x.n); err != nil {
		return nil, err
	}
	x.props.readRoles(x)
	if b.lateRoles {
		b.lateFlags(x, flags)
	}
	stats, err := h.stats(ctx, x)
	if err != nil {
		return nil, err
	}
	if more, stats.DroppedMembers, err = b.refsets.sections(ctx, newOf, x); err != nil {
		return nil, err
	}
	sections = append(sections, more...)
	stats.Refsets, stats.Members = len(b.refsets.sets), b.refsets.rows-stats.DroppedMembers
	b.refsets = refsetBuilder{}
	statsJSON, err := json.Marshal(stats)
	if err != nil {
		return nil, err
	}
	sections = append(sections, section{secStats, statsJSON})
	if more, err = buildText(ctx, x); err != nil {
		return nil, err
	}
	sections = append(sections, more...)
	data, err := assemble(sections)
	if err != nil {
		return nil, err
	}
	return FromBytes(data, false)
}

// conceptSections lays out codes, texts and designations in the order of the Ords, and converts
// the table of the builder to that of the index.
func (b *Builder) conceptSections(newOf, oldOf []uint32) ([]section, error) {
	for i := range b.table.slots {
		if s := &b.table.slots[i]; s.val != 0 {
			s.val = newOf[s.val-1] + 1
		}
	}
	if b.table.slots == nil {
		b.table.slots = make([]slot, 1)
	}
	sections := []section{{secTable, bytesOf(b.table.slots)}}
	add := func(a *arena, offsets, data uint32) {
		off, text := a.inOrder(oldOf)
		*a = arena{}
		sections = append(sections, section{offsets, bytesOf(off)}, section{data, text})
	}
	add(&b.codes, secCodeOffsets, secCodes)
	add(&b.displays, secTextOffsets, secDisplays)
	if len(b.definitions.data) > 0 {
		add(&b.definitions, secDefOffsets, secDefinitions)
	}
	designations, firstOf, err := b.designations.sections(oldOf)
	b.designations = designationBuilder{}
	sections = append(sections, designations...)
	sections = append(sections, b.extensions.sections(newOf, firstOf)...)
	b.extensions = extensionBuilder{}
	return sections, err
}

// flagSection returns the flags in the order of the Ords, including those of the hierarchy.
func (b *Builder) flagSection(g *graph, oldOf []uint32) []byte {
	flags := make([]byte, len(oldOf))
	for ord, old := range oldOf {
		flags[ord] = b.flags[old]
		if len(g.parentsOf(uint32(ord))) == 0 {
			flags[ord] |= flagRoot
		}
		if len(g.childrenOf(uint32(ord))) == 0 {
			flags[ord] |= flagLeaf
		}
	}
	return flags
}

// lateFlags sets flags for properties whose meaning only a late header declared.
func (b *Builder) lateFlags(x *Index, flags []byte) {
	for o := range uint32(x.Len()) {
		for p := range x.Properties(o) {
			flags[o] |= flagsOf(b.roles.of(p.Code), p.Value)
		}
	}
}

func flag(on bool) uint32 {
	if on {
		return 1
	}
	return 0
}
