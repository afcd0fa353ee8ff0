package codesystem

import (
	"encoding/json"
	"fmt"
	"slices"
)

// openRefsets opens the reference sets of an index whose concepts are open.
func (x *Index) openRefsets(in opener) (v refsetView, err error) {
	raw := in.get(secRefsets)
	if raw == nil {
		return v, nil
	}
	var infos []refsetInfo
	if err := json.Unmarshal(raw, &infos); err != nil {
		return v, fmt.Errorf("%w: reference sets: %w", ErrDamaged, err)
	}
	var rows, components, columns, lists, ends []uint32
	for _, s := range []struct {
		id  uint32
		dst *[]uint32
	}{
		{secRefsetRows, &rows},
		{secRefsetComponents, &components},
		{secRefsetColumns, &columns},
		{secRefsetLists, &lists},
		{secRefsetSetEnds, &ends},
	} {
		if *s.dst, err = numbersOf[uint32](in.get(s.id)); err != nil {
			return v, fmt.Errorf("section %d: %w", s.id, err)
		}
	}
	cells, sets := in.get(secRefsetCells), in.get(secRefsetSets)
	texts := max(0, len(in.get(secRefsetOffsets))/4-1)
	if v.texts, err = in.texts(secRefsetOffsets, secRefsetTexts, texts, false); err != nil {
		return v, fmt.Errorf("reference sets: %w", err)
	}
	if err := in.offsets(rows, len(infos), len(components)); err != nil {
		return v, fmt.Errorf("reference sets: %w", err)
	}
	if err := checkEnds(ends, len(infos), len(sets)/alignment); err != nil {
		return v, fmt.Errorf("members of reference sets: %w", err)
	}
	if err := in.below(components, x.n); err != nil {
		return v, fmt.Errorf("reference sets: %w", err)
	}
	v.codes, v.sets = make([]string, len(infos)), make([]Refset, len(infos))
	for i, info := range infos {
		r := &v.sets[i]
		*r = Refset{x: x, code: info.Code, columns: info.Columns}
		v.codes[i] = info.Code
		// There are few reference sets, so their delimiters are always checked.
		if rows[i] > rows[i+1] || uint64(rows[i+1]) > uint64(len(components)) || ends[i] > ends[i+1] || uint64(ends[i+1]) > uint64(len(sets)/alignment) {
			return v, fmt.Errorf("%w: reference set %d", ErrDamaged, i)
		}
		r.components = components[rows[i]:rows[i+1]]
		r.members = readMembers(sets[uint64(ends[i])*alignment:uint64(ends[i+1])*alignment], x.n)
		count := fixedCells + len(info.Columns)
		if len(columns) < count*cellNumbers {
			return v, fmt.Errorf("%w: columns of reference set %d", ErrDamaged, i)
		}
		r.cells = make([]cellColumn, count)
		for c := range r.cells {
			if r.cells[c], err = openColumn([cellNumbers]uint32(columns[:cellNumbers]), lists, cells, len(r.components)); err != nil {
				return v, fmt.Errorf("column %d of reference set %d: %w", c, i, err)
			}
			columns = columns[cellNumbers:]
		}
		if !in.trusted {
			if err := r.check(x.n, texts); err != nil {
				return v, fmt.Errorf("reference set %d: %w", i, err)
			}
		}
	}
	if !slices.IsSorted(v.codes) {
		return v, fmt.Errorf("%w: reference sets out of order", ErrDamaged)
	}
	return v, nil
}

// openColumn opens a column of a reference set with rows rows.
func openColumn(facts [cellNumbers]uint32, lists []uint32, cells []byte, rows int) (c cellColumn, err error) {
	width, list, length, begin := facts[0], uint64(facts[1]), uint64(facts[2]), uint64(facts[3])*alignment
	size := uint64(width) * uint64(rows)
	if list+length > uint64(len(lists)) || begin > uint64(len(cells)) || size > uint64(len(cells))-begin {
		return c, fmt.Errorf("%w: %d bytes a cell from %d, %d distinct from %d", ErrDamaged, width, begin, length, list)
	}
	data := cells[begin : begin+size]
	c.list = lists[list : list+length : list+length]
	switch {
	case rows == 0:
		return cellColumn{}, nil
	case width == 4 && length == 0:
		c.list = nil
		c.words, err = numbersOf[uint32](data)
	case width == 2 && length > 0:
		c.halves, err = halves(data)
	case width == 1 && length > 0:
		c.bytes = data
	case width == 0 && length > 0:
	default:
		return c, fmt.Errorf("%w: %d bytes a cell, %d distinct", ErrDamaged, width, length)
	}
	return c, err
}

// check verifies that all rows of a reference set can be read; n and texts are the numbers of
// concepts and of texts.
func (r *Refset) check(n, texts int) error {
	if err := checkRising(r.components); err != nil {
		return err
	}
	for i := range r.cells {
		c := &r.cells[i]
		if err := c.checkPlaces(); err != nil {
			return err
		}
		numbers := c.list
		if numbers == nil {
			numbers = c.words
		}
		switch {
		case i == cellActive:
		case i < fixedCells || r.columns[i-fixedCells].Type != RefsetConcept:
			if err := checkBelow(numbers, texts); err != nil {
				return err
			}
		default:
			for _, cell := range numbers {
				if cell&cellText == 0 && uint64(cell) >= uint64(n) || cell&cellText != 0 && uint64(cell&^cellText) >= uint64(texts) {
					return fmt.Errorf("%w: value %d of a concept", ErrDamaged, cell)
				}
			}
		}
	}
	return nil
}

// checkPlaces verifies that the cells are indexes into the list.
func (c *cellColumn) checkPlaces() error {
	high := uint16(0)
	for _, p := range c.halves {
		high = max(high, p)
	}
	for _, p := range c.bytes {
		high = max(high, uint16(p))
	}
	if c.list != nil && int(high) >= len(c.list) {
		return fmt.Errorf("%w: value %d of %d distinct", ErrDamaged, high, len(c.list))
	}
	return nil
}
