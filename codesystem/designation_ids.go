package codesystem

import (
	"fmt"
	"strconv"
)

// Section ids of identifiers of designations; absent when no designation has an identifier.
const (
	secDesIDs         = 74 // []uint64, one per designation: a numeric identifier, 0 for none, or idText and the number of a text
	secDesIDOffsets   = 75 // []uint32: texts; absent when all identifiers are numbers
	secDesIDTextBytes = 76 // bytes
)

// idText marks an identifier that is a text; the lower bits are the number of the text.
const idText = 1 << 63

// idBuilder collects the identifiers of designations, in 8 bytes each when they are numbers.
type idBuilder struct {
	ids   []uint64 // may end before the last designation
	texts arena
}

func newIDBuilder() idBuilder { return idBuilder{texts: newArena()} }

// add stores the identifier of designation i.
func (b *idBuilder) add(i int, id string) {
	if id == "" {
		return
	}
	for len(b.ids) < i {
		b.ids = append(b.ids, 0)
	}
	number, ok := numericID(id)
	if !ok {
		number = idText | uint64(b.texts.len())
		b.texts.add(id)
	}
	b.ids = append(b.ids, number)
}

// numericID reads an identifier that is a number without sign or leading zeros.
func numericID(id string) (uint64, bool) {
	if id == "" || id[0] == '0' || len(id) > 18 {
		return 0, false
	}
	number, err := strconv.ParseUint(id, 10, 63)
	return number, err == nil
}

// orderedIDs holds the identifiers in another order of the designations.
type orderedIDs struct {
	from *idBuilder
	ids  []uint64
}

func (b *idBuilder) inOrder(count int) *orderedIDs {
	o := &orderedIDs{from: b}
	if len(b.ids) > 0 {
		o.ids = make([]uint64, 0, count)
	}
	return o
}

// take appends the identifier of designation i.
func (o *orderedIDs) take(i int) {
	if len(o.from.ids) == 0 {
		return
	}
	id := uint64(0)
	if i < len(o.from.ids) {
		id = o.from.ids[i]
	}
	o.ids = append(o.ids, id)
}

func (o *orderedIDs) sections() []section {
	if o.ids == nil {
		return nil
	}
	sections := []section{{secDesIDs, bytesOf(o.ids)}}
	if texts := &o.from.texts; texts.len() > 0 {
		sections = append(sections, section{secDesIDOffsets, bytesOf(texts.off)}, section{secDesIDTextBytes, texts.data})
	}
	return sections
}

// designationIDs reads identifiers. The zero value holds none.
type designationIDs struct {
	ids   []uint64
	texts texts
}

// openIDs opens the identifiers of count designations.
func openIDs(in opener, count int) (v designationIDs, err error) {
	raw := in.get(secDesIDs)
	if raw == nil {
		return v, nil
	}
	if v.ids, err = numbersOf[uint64](raw); err != nil {
		return v, fmt.Errorf("identifiers of designations: %w", err)
	}
	if len(v.ids) != count {
		return v, fmt.Errorf("%w: %d identifiers of %d designations", ErrDamaged, len(v.ids), count)
	}
	texts := max(0, len(in.get(secDesIDOffsets))/4-1)
	if v.texts, err = in.texts(secDesIDOffsets, secDesIDTextBytes, texts, true); err != nil {
		return v, fmt.Errorf("identifiers of designations: %w", err)
	}
	if in.trusted {
		return v, nil
	}
	for _, id := range v.ids {
		if id >= idText && id&^idText >= uint64(texts) {
			return v, fmt.Errorf("%w: identifier %d of %d designations", ErrDamaged, id&^idText, texts)
		}
	}
	return v, nil
}

// DesignationID returns the identifier of the designation with a number, or "".
func (x *Index) DesignationID(i uint32) string {
	_ = x.designations.kinds[i]
	v := &x.designations.ids
	if v.ids == nil {
		return ""
	}
	switch id := v.ids[i]; {
	case id == 0:
		return ""
	case id >= idText:
		return v.texts.at(uint32(id))
	default:
		return strconv.FormatUint(id, 10)
	}
}
