package valueset

import (
	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// closed reports whether an index contains every code of its system, so that other codes do not
// exist. A missing content element means complete.
func closed(x *codesystem.Index) bool {
	c := x.Header().Content
	return c == "" || c == "complete"
}

// looseFromList returns listed codes as loose codes. A nil keep keeps all.
func looseFromList(keep func(code string) bool, inc *r4.Include) part {
	var p part
	p.loose = make([]looseCode, 0, len(inc.Concept))
	for i := range inc.Concept {
		c := &inc.Concept[i]
		if keep == nil || keep(c.Code) {
			p.loose = append(p.loose, looseCode{
				system: inc.System, version: inc.Version, code: c.Code,
				label: labelOf(c),
			})
		}
	}
	return p
}

// partsFromList returns the listed codes that the index contains, in the order of the list. Codes
// that a complete system lacks are not members. If only a part of the system is loaded, they are
// kept as loose codes.
func partsFromList(x *codesystem.Index, inc *r4.Include) []part {
	var parts []part
	cur := conceptList{index: x}
	open := !closed(x)
	for i := range inc.Concept {
		c := &inc.Concept[i]
		if o, ok := x.Find(c.Code); ok {
			cur.add(o, labelOf(c))
			continue
		}
		if !open {
			continue
		}
		if !cur.empty() {
			parts = append(parts, cur.part())
			cur = conceptList{index: x}
		}
		one := looseCode{system: inc.System, version: x.Version(), code: c.Code, label: labelOf(c)}
		if n := len(parts); n > 0 && parts[n-1].index == nil {
			parts[n-1].loose = append(parts[n-1].loose, one)
		} else {
			parts = append(parts, part{loose: []looseCode{one}})
		}
	}
	if !cur.empty() {
		parts = append(parts, cur.part())
	}
	return parts
}

// conceptList collects listed concepts of an index, each once.
type conceptList struct {
	index   *codesystem.Index
	members *roaring.Bitmap
	list    []codesystem.Ord
	labels  map[codesystem.Ord]*label
}

func (l *conceptList) empty() bool { return len(l.list) == 0 }

func (l *conceptList) add(o codesystem.Ord, own label) {
	if l.members == nil {
		l.members = roaring.New()
	}
	if !l.members.CheckedAdd(o) {
		return
	}
	l.list = append(l.list, o)
	if !own.empty() {
		if l.labels == nil {
			l.labels = map[codesystem.Ord]*label{}
		}
		l.labels[o] = &own
	}
}

func (l *conceptList) part() part {
	return part{index: l.index, members: l.members, ownership: fresh, list: l.list, labels: l.labels}
}

// label is the information that a value set adds to a code it lists.
type label struct {
	display      string
	designations []r4.Designation
	extensions   r4.Extensions
}

// labelOf returns the label in a reference to a concept.
func labelOf(c *r4.ConceptReference) label { return label{c.Display, c.Designation, c.Extension} }

func (l *label) empty() bool {
	return l.display == "" && len(l.designations) == 0 && len(l.extensions) == 0
}

// cost includes the texts, which the Set keeps in memory: they come from the value set's
// document.
func (l *label) cost() int64 {
	n := int64(costLabel + len(l.display))
	for i := range l.designations {
		d := &l.designations[i]
		n += costLabel + int64(len(d.Language)+len(d.Value))
	}
	n += costLabel * int64(len(l.extensions))
	return n
}
