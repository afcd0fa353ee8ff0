package rf2

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// attributes converts the relationships of a concept to properties.
type attributes struct {
	concepts *conceptStore
	store    *relationshipStore
	by       groups // relationships by source
	isA      uint32 // slot of the concept "is a", or none
	// types are the declared types of the attributes, by slot; "" where values differ.
	types map[uint32]string
}

func newAttributes(e *edition) *attributes {
	s := &e.relationships
	a := &attributes{concepts: &e.concepts, store: s, types: map[uint32]string{}, isA: uint32(len(e.concepts.rows))}
	if slot, ok := e.concepts.slots[isA]; ok {
		a.isA = slot
	}
	a.by = groupBy(len(s.rows), len(e.concepts.rows), func(row int) uint32 { return s.rows[row].source })
	for i := range s.rows {
		row := &s.rows[i]
		if row.kind == a.isA && row.value == 0 {
			continue
		}
		typ := "code"
		if row.value != 0 {
			typ = strings.ToLower(valueOf(s.values.at(row.value)).Type)
		}
		had, ok := a.types[row.kind]
		switch {
		case !ok, had == "integer" && typ == "decimal":
			a.types[row.kind] = typ
		case had == typ, had == "decimal" && typ == "integer":
		default:
			a.types[row.kind] = ""
		}
	}
	return a
}

// append appends the properties of a concept: parents, then attributes by group and identifier. A
// repeated relationship counts once.
func (a *attributes) append(list []codesystem.Property, concept uint32) []codesystem.Property {
	rows := a.by.of(concept)
	slices.SortFunc(rows, func(x, y uint32) int { return a.compare(&a.store.rows[x], &a.store.rows[y]) })
	for i, at := range rows {
		row := &a.store.rows[at]
		if i > 0 && a.compare(&a.store.rows[rows[i-1]], row) == 0 {
			continue
		}
		p := codesystem.Property{Code: "parent"}
		switch {
		case row.value != 0:
			p.Code, p.Group = a.concepts.code(row.kind), int(row.group)
			p.Value = valueOf(a.store.values.at(row.value))
			if p.Value.Type == "Integer" && a.types[row.kind] == "decimal" {
				p.Value.Type = "Decimal"
			}
		case row.kind == a.isA:
			p.Value = r4.Value{Type: "Code", Text: a.concepts.code(row.target)}
		default:
			p.Code, p.Group = a.concepts.code(row.kind), int(row.group)
			p.Value = r4.Value{Type: "Code", Text: a.concepts.code(row.target)}
		}
		list = append(list, p)
	}
	return list
}

// compare orders relationships: parents first, then by group, attribute, and value.
func (a *attributes) compare(x, y *relationshipRow) int {
	if xParent, yParent := x.kind == a.isA, y.kind == a.isA; xParent != yParent {
		if xParent {
			return -1
		}
		return 1
	}
	id := func(slot uint32) sctid { return a.concepts.rows[slot].id }
	c := cmp.Or(cmp.Compare(x.group, y.group), cmp.Compare(id(x.kind), id(y.kind)))
	if c != 0 || x.value == 0 && y.value == 0 {
		return cmp.Or(c, cmp.Compare(id(x.target), id(y.target)))
	}
	return strings.Compare(a.store.values.at(x.value), a.store.values.at(y.value))
}

// valueOf converts a concrete value of a release to a property value.
func valueOf(text string) r4.Value {
	v := r4.Value{Type: concreteType(text), Text: text}
	switch v.Type {
	case "String":
		v.Text = text[1 : len(text)-1]
	case "Integer", "Decimal":
		v.Text = text[1:]
		if _, err := strconv.ParseInt(v.Text, 10, 32); err != nil {
			v.Type = "Decimal" // beyond the range of an integer in FHIR
		}
	}
	return v
}
