package codesystem

import (
	"encoding/binary"
	"fmt"
	"iter"
	"slices"

	"github.com/roget-health/roget/resources/r4"
)

// designationBuilder collects designations in source order.
type designationBuilder struct {
	counts []uint32 // first designation of each concept, and the end
	kinds  []uint32
	values arena
	table  kindTable
	ids    idBuilder
}

func newDesignationBuilder() designationBuilder {
	return designationBuilder{counts: []uint32{0}, values: newArena(), table: newKindTable(), ids: newIDBuilder()}
}

func (d *designationBuilder) fits(list []r4.Designation, details []DesignationDetail) bool {
	size, ids := 0, 0
	for i := range list {
		size += len(list[i].Value)
	}
	for i := range details {
		ids += len(details[i].ID)
	}
	return d.values.fits(size) && d.ids.texts.fits(ids) && len(d.kinds)+len(list) < maxConcepts
}

// add stores the designations of the next concept; details is nil or has one for each.
func (d *designationBuilder) add(list []r4.Designation, details []DesignationDetail) {
	var none DesignationDetail
	for i := range list {
		detail := &none
		if details != nil {
			detail = &details[i]
		}
		d.ids.add(len(d.kinds), detail.ID)
		d.kinds = append(d.kinds, d.table.intern(&list[i], detail))
		d.values.add(list[i].Value)
	}
	d.counts = append(d.counts, uint32(len(d.kinds)))
}

// appendCounted appends a text with its length, so that the next text is not mistaken for part of
// it.
func appendCounted(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// sections lays the designations out in the order of the concepts. firstOf holds the number of the
// first designation of each concept; it is nil when there are no designations.
func (d *designationBuilder) sections(order []uint32) (_ []section, firstOf []uint32, err error) {
	if len(d.kinds) == 0 {
		return nil, nil, nil
	}
	counts := make([]uint32, 0, len(order)+1)
	kinds := make([]uint32, 0, len(d.kinds))
	offsets := make([]uint32, 0, len(d.kinds)+1)
	values := make([]byte, 0, len(d.values.data))
	ids := d.ids.inOrder(len(d.kinds))
	for _, old := range order {
		counts = append(counts, uint32(len(kinds)))
		for i := d.counts[old]; i < d.counts[old+1]; i++ {
			ids.take(int(i))
			kinds = append(kinds, d.kinds[i])
			offsets = append(offsets, uint32(len(values)))
			values = append(values, d.values.at(i)...)
		}
	}
	counts = append(counts, uint32(len(kinds)))
	offsets = append(offsets, uint32(len(values)))
	sections := append([]section{
		{secDesCounts, bytesOf(counts)},
		{secDesKinds, bytesOf(kinds)},
		{secDesOffsets, bytesOf(offsets)},
		{secDesValues, values},
	}, ids.sections()...)
	table, err := d.table.sections()
	if err != nil {
		return nil, nil, err
	}
	return append(sections, table...), counts, nil
}

// designationView reads designations.
type designationView struct {
	counts []uint32
	kinds  []uint32
	values texts
	table  []DesignationKind
	ids    designationIDs
}

// hidden reports whether a designation is only stored for questions about designations.
func (v *designationView) hidden(i uint32) bool { return v.table[v.kinds[i]].Inactive }

func openDesignations(in opener, n int) (v designationView, err error) {
	raw := in.get(secDesCounts)
	if raw == nil {
		return v, nil
	}
	if v.counts, err = numbersOf[uint32](raw); err != nil {
		return v, err
	}
	if v.kinds, err = numbersOf[uint32](in.get(secDesKinds)); err != nil {
		return v, err
	}
	if err = in.offsets(v.counts, n, len(v.kinds)); err != nil {
		return v, fmt.Errorf("designations: %w", err)
	}
	if v.values, err = in.texts(secDesOffsets, secDesValues, len(v.kinds), false); err != nil {
		return v, fmt.Errorf("designations: %w", err)
	}
	if v.table, err = openKinds(in); err != nil {
		return v, err
	}
	if err = in.below(v.kinds, len(v.table)); err != nil {
		return v, fmt.Errorf("designation uses: %w", err)
	}
	if v.ids, err = openIDs(in, len(v.kinds)); err != nil {
		return v, err
	}
	return v, nil
}

// Designations yields the designations of a concept in source order, without inactive
// designations. Use is shared by all designations that have it and must not be modified.
func (x *Index) Designations(o Ord) iter.Seq[r4.Designation] {
	return func(yield func(r4.Designation) bool) {
		first, end := x.DesignationRange(o)
		for i := first; i < end; i++ {
			if x.designations.hidden(i) {
				continue
			}
			if !yield(x.Designation(i)) {
				return
			}
		}
	}
}

// DesignationRange returns the numbers of the designations of a concept, inactive ones included:
// first up to, but not including, end. Designations are numbered from 0 in the order of the
// concepts, and within a concept in source order.
func (x *Index) DesignationRange(o Ord) (first, end uint32) {
	if x.designations.counts == nil {
		_ = x.flags[o]
		return 0, 0
	}
	return x.designations.counts[o], x.designations.counts[o+1]
}

// DesignationCount returns the number of designations of all concepts.
func (x *Index) DesignationCount() uint32 { return uint32(len(x.designations.kinds)) }

// DesignationOwner returns the concept of a designation.
func (x *Index) DesignationOwner(i uint32) Ord {
	_ = x.designations.kinds[i]
	after, _ := slices.BinarySearch(x.designations.counts, i+1)
	return uint32(after - 1)
}

// Designation returns the designation with a number. Use is shared by all designations that have
// it and must not be modified.
func (x *Index) Designation(i uint32) r4.Designation {
	kind := &x.designations.table[x.designations.kinds[i]]
	return r4.Designation{
		Language: kind.Language, Use: kind.Use, Value: x.designations.values.at(i),
		Extension: x.extensions.of(uint32(x.n) + i),
	}
}

// designationValue returns the text of the designation with a number.
func (x *Index) designationValue(i uint32) string { return x.designations.values.at(i) }
