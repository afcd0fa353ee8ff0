package codesystem

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/roget-health/roget/resources/r4"
)

// designationKind is what designations share: language and use. A system has few.
type designationKind struct {
	Language string     `json:"language,omitempty"`
	Use      *r4.Coding `json:"use,omitempty"`
}

// designationBuilder collects designations in source order.
type designationBuilder struct {
	counts []uint32 // first designation of each concept, and the end
	kinds  []uint32
	values arena

	table  []designationKind
	byText map[string]uint32
	key    []byte
}

func newDesignationBuilder() designationBuilder {
	return designationBuilder{counts: []uint32{0}, values: newArena(), byText: map[string]uint32{}}
}

func (d *designationBuilder) fits(list []r4.Designation) bool {
	size := 0
	for i := range list {
		size += len(list[i].Value)
	}
	return d.values.fits(size) && len(d.kinds)+len(list) < maxConcepts
}

// add takes the designations of the next concept.
func (d *designationBuilder) add(list []r4.Designation) {
	for i := range list {
		d.kinds = append(d.kinds, d.kindOf(&list[i]))
		d.values.add(list[i].Value)
	}
	d.counts = append(d.counts, uint32(len(d.kinds)))
}

// kindOf interns language and use.
func (d *designationBuilder) kindOf(des *r4.Designation) uint32 {
	key := appendCounted(d.key[:0], des.Language)
	if u := des.Use; u != nil {
		for _, s := range []string{u.System, u.Version, u.Code, u.Display} {
			key = appendCounted(key, s)
		}
		switch {
		case u.UserSelected == nil:
		case *u.UserSelected:
			key = append(key, 't')
		default:
			key = append(key, 'f')
		}
	}
	d.key = key
	if at, ok := d.byText[string(key)]; ok {
		return at
	}
	kind := designationKind{Language: des.Language}
	if des.Use != nil {
		use := *des.Use
		kind.Use = &use
	}
	at := uint32(len(d.table))
	d.table = append(d.table, kind)
	d.byText[string(key)] = at
	return at
}

// appendCounted appends a text so that the next one cannot be taken for part of it.
func appendCounted(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// sections lays the designations out in the order of the concepts. firstOf is the number
// of the first designation of each concept, nil when there are no designations.
func (d *designationBuilder) sections(order []uint32) (_ []section, firstOf []uint32, err error) {
	if len(d.kinds) == 0 {
		return nil, nil, nil
	}
	counts := make([]uint32, 0, len(order)+1)
	kinds := make([]uint32, 0, len(d.kinds))
	offsets := make([]uint32, 0, len(d.kinds)+1)
	values := make([]byte, 0, len(d.values.data))
	for _, old := range order {
		counts = append(counts, uint32(len(kinds)))
		for i := d.counts[old]; i < d.counts[old+1]; i++ {
			kinds = append(kinds, d.kinds[i])
			offsets = append(offsets, uint32(len(values)))
			values = append(values, d.values.at(i)...)
		}
	}
	counts = append(counts, uint32(len(kinds)))
	offsets = append(offsets, uint32(len(values)))
	table, err := json.Marshal(d.table)
	if err != nil {
		return nil, nil, fmt.Errorf("designation uses: %w", err)
	}
	return []section{
		{secDesCounts, bytesOf(counts)},
		{secDesKinds, bytesOf(kinds)},
		{secDesOffsets, bytesOf(offsets)},
		{secDesValues, values},
		{secKinds, table},
	}, counts, nil
}

// designationView reads designations.
type designationView struct {
	counts []uint32
	kinds  []uint32
	values texts
	table  []designationKind
}

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
	if err = json.Unmarshal(in.get(secKinds), &v.table); err != nil {
		return v, fmt.Errorf("%w: designation uses: %w", ErrDamaged, err)
	}
	if err = in.below(v.kinds, len(v.table)); err != nil {
		return v, fmt.Errorf("designation uses: %w", err)
	}
	return v, nil
}

// Designations yields the designations of a concept in source order. Use is shared
// by all designations that have it and must not be modified.
func (x *Index) Designations(o Ord) iter.Seq[r4.Designation] {
	return func(yield func(r4.Designation) bool) {
		first, end := x.designationRange(o)
		for i := first; i < end; i++ {
			if !yield(x.designation(i)) {
				return
			}
		}
	}
}

// designationRange gives the numbers of the designations of a concept.
func (x *Index) designationRange(o Ord) (first, end uint32) {
	if x.designations.counts == nil {
		return 0, 0
	}
	return x.designations.counts[o], x.designations.counts[o+1]
}

// designation gives one designation by number.
func (x *Index) designation(i uint32) r4.Designation {
	kind := &x.designations.table[x.designations.kinds[i]]
	return r4.Designation{
		Language: kind.Language, Use: kind.Use, Value: x.designations.values.at(i),
		Extension: x.extensions.of(uint32(x.n) + i),
	}
}

// designationValue gives the text of one designation by number.
func (x *Index) designationValue(i uint32) string { return x.designations.values.at(i) }
