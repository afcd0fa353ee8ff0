package codesystem

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// Section ids of reference sets; all are absent when there are none.
const (
	secRefsets          = 80 // JSON: []refsetInfo by code
	secRefsetRows       = 81 // []uint32, sets+1: first row of a set
	secRefsetComponents = 82 // []uint32, rows: concepts, ascending within a set
	secRefsetColumns    = 83 // []uint32, cellNumbers per column: the fixedCells and the columns of each set
	secRefsetLists      = 84 // []uint32: distinct numbers of columns
	secRefsetCells      = 85 // bytes: cells of each column, from an 8-byte boundary
	secRefsetOffsets    = 86 // []uint32, texts+1
	secRefsetTexts      = 87 // bytes
	secRefsetSetEnds    = 88 // []uint32, sets+1, in units of 8 bytes: the set of members
	secRefsetSets       = 89 // serialised roaring bitmaps, each at an 8-byte boundary
)

// cellNumbers is the count of numbers that describe a column: bytes per cell (0, 1, 2, 4), where
// its list begins, the length of the list, where its cells begin in units of 8 bytes.
const cellNumbers = 4

// refsetInfo is the JSON of a reference set.
type refsetInfo struct {
	Code    string         `json:"code"`
	Columns []RefsetColumn `json:"columns,omitempty"`
}

// refsetLayout lays reference sets out.
type refsetLayout struct {
	x     *Index
	newOf []uint32
	from  *refsetBuilder

	rows, components, columns, lists, setEnds []uint32
	cells                                     []byte
	sets                                      bytes.Buffer
	dropped                                   int
}

// sections lays the reference sets out over an index that has its codes. newOf maps the numbers
// returned by Builder.Add to Ords. dropped is the number of rows about no concept.
func (rb *refsetBuilder) sections(ctx context.Context, newOf []uint32, x *Index) (_ []section, dropped int, err error) {
	if len(rb.sets) == 0 {
		return nil, 0, nil
	}
	l := refsetLayout{x: x, newOf: newOf, from: rb, rows: []uint32{0}, setEnds: []uint32{0}}
	slices.SortFunc(rb.sets, func(a, b *refsetRows) int { return cmp.Compare(a.code, b.code) })
	infos := make([]refsetInfo, len(rb.sets))
	for i, set := range rb.sets {
		infos[i] = refsetInfo{Code: set.code, Columns: set.columns}
		if err := l.add(ctx, set); err != nil {
			return nil, 0, fmt.Errorf("reference set %s: %w", set.code, err)
		}
		set.cells, set.components = nil, nil
	}
	table, err := json.Marshal(infos)
	if err != nil {
		return nil, 0, fmt.Errorf("reference sets: %w", err)
	}
	return []section{
		{secRefsets, table},
		{secRefsetRows, bytesOf(l.rows)},
		{secRefsetComponents, bytesOf(l.components)},
		{secRefsetColumns, bytesOf(l.columns)},
		{secRefsetLists, bytesOf(l.lists)},
		{secRefsetCells, l.cells},
		{secRefsetOffsets, bytesOf(rb.texts.off)},
		{secRefsetTexts, rb.texts.data},
		{secRefsetSetEnds, bytesOf(l.setEnds)},
		{secRefsetSets, l.sets.Bytes()},
	}, l.dropped, nil
}

// add lays one reference set out.
func (l *refsetLayout) add(ctx context.Context, set *refsetRows) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	order := l.order(set)
	active := roaring.New()
	for _, key := range order {
		l.components = append(l.components, uint32(key>>32))
		if set.cells[cellActive][uint32(key)] != 0 {
			active.Add(uint32(key >> 32))
		}
	}
	l.rows = append(l.rows, uint32(len(l.components)))
	for i, cells := range set.cells {
		concepts := i >= fixedCells && set.columns[i-fixedCells].Type == RefsetConcept
		if err := l.addColumn(cells, order, concepts); err != nil {
			return err
		}
	}
	return l.addSet(active)
}

// order returns the rows about concepts, each as Ord and number, in the order of the Ords.
func (l *refsetLayout) order(set *refsetRows) []uint64 {
	order := make([]uint64, 0, len(set.components))
	for row, component := range set.components {
		o, ok := l.componentOf(component)
		if !ok {
			l.dropped++
			continue
		}
		order = append(order, uint64(o)<<32|uint64(row))
	}
	slices.Sort(order)
	return order
}

// componentOf returns the concept of a row.
func (l *refsetLayout) componentOf(component uint32) (Ord, bool) {
	if component&cellText == 0 {
		return l.newOf[component], true
	}
	return l.x.Find(l.from.absent.at(component &^ cellText))
}

// addColumn lays out the cells of a column, in as few bytes as their distinct numbers need.
func (l *refsetLayout) addColumn(cells []uint32, order []uint64, concepts bool) error {
	values := make([]uint32, len(order))
	for i, key := range order {
		values[i] = cells[uint32(key)]
		if concepts {
			values[i] = l.concept(values[i])
		}
	}
	for len(l.cells)%alignment != 0 {
		l.cells = append(l.cells, 0)
	}
	begin := len(l.cells) / alignment
	if uint64(begin) > maxArena {
		return fmt.Errorf("%w: values", ErrTooLarge)
	}
	list, places := distinct(values)
	width := 0
	switch {
	case list == nil && len(values) > 0:
		width = 4
		l.cells = append(l.cells, bytesOf(values)...)
	case len(list) > 1<<8:
		width = 2
		l.cells = append(l.cells, bytesOfHalves(places)...)
	case len(list) > 1:
		width = 1
		for _, p := range places {
			l.cells = append(l.cells, byte(p))
		}
	}
	l.columns = append(l.columns, uint32(width), uint32(len(l.lists)), uint32(len(list)), uint32(begin))
	l.lists = append(l.lists, list...)
	return nil
}

// concept returns the cell of a concept: its Ord, or its text when no concept has exactly this
// code.
func (l *refsetLayout) concept(cell uint32) uint32 {
	if cell&cellText == 0 {
		return l.newOf[cell]
	}
	text := textOf(l.from.texts.value(cell &^ cellText))
	if o, ok := l.x.Find(text); ok && l.x.Code(o) == text {
		return o
	}
	return cell
}

// distinct lists the distinct values in the order of their first occurrence, and returns the index
// in the list for each value. It returns nil when they are more than an index can express.
func distinct(values []uint32) (list []uint32, places []uint16) {
	const maxIndex = 1 << 16
	numbers := map[uint32]uint16{}
	places = make([]uint16, 0, len(values))
	for i, v := range values {
		if i > 0 && v == values[i-1] {
			places = append(places, places[i-1])
			continue
		}
		place, ok := numbers[v]
		if !ok {
			if len(list) == maxIndex {
				return nil, nil
			}
			place = uint16(len(list))
			numbers[v] = place
			list = append(list, v)
		}
		places = append(places, place)
	}
	return list, places
}

// addSet appends a set of members.
func (l *refsetLayout) addSet(set *roaring.Bitmap) error {
	set.RunOptimize()
	if _, err := set.WriteTo(&l.sets); err != nil {
		return fmt.Errorf("members: %w", err)
	}
	for l.sets.Len()%alignment != 0 {
		l.sets.WriteByte(0)
	}
	if uint64(l.sets.Len()/alignment) > maxArena {
		return fmt.Errorf("%w: members", ErrTooLarge)
	}
	l.setEnds = append(l.setEnds, uint32(l.sets.Len()/alignment))
	return nil
}
