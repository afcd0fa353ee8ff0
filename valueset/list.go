package valueset

import (
	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// closed reports whether an index has every code of its system, so that a code it
// lacks does not exist. Absent content means complete.
func closed(x *codesystem.Index) bool {
	c := x.Header().Content
	return c == "" || c == "complete"
}

// listed returns listed codes as loose codes; keep nil keeps all.
func listed(keep func(code string) bool, inc *r4.Include) part {
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

// listedIn returns the listed codes that the index has, in the order of the list. A
// code that a complete system lacks is not a member; where the index is known to
// have only a part of the system, it is kept as listed.
func listedIn(x *codesystem.Index, inc *r4.Include) []part {
	var parts []part
	cur := listing{index: x}
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
			cur = listing{index: x}
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

// listing collects listed concepts of an index, each once.
type listing struct {
	index   *codesystem.Index
	members *roaring.Bitmap
	list    []codesystem.Ord
	labels  map[codesystem.Ord]*label
}

func (l *listing) empty() bool { return len(l.list) == 0 }

func (l *listing) add(o codesystem.Ord, own label) {
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

func (l *listing) part() part {
	return part{index: l.index, members: l.members, own: fresh, list: l.list, labels: l.labels}
}
