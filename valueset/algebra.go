package valueset

import (
	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
)

// part is an ordered piece of a result under construction: concepts of one index, or loose codes.
// Parts of one result may overlap until the algebra adds them up.
type part struct {
	index     *codesystem.Index
	members   *roaring.Bitmap // never changed in place before build
	ownership ownership       // of members
	// list is the order of a concept list and contains exactly the members. nil means ascending
	// order.
	list   []codesystem.Ord
	labels map[codesystem.Ord]*label
	loose  []looseCode
}

// ownership is the owner of a bitmap's memory.
type ownership uint8

const (
	ofIndex ownership = iota // a set of the index: costs the value set nothing
	shared                   // owned by another Set or of unknown origin: counted, must not be changed
	fresh                    // created during this compilation: counted, may be compacted
)

// restrict replaces the members with a subset of them.
func (p *part) restrict(keep *roaring.Bitmap, own ownership) {
	p.members, p.ownership = keep, own
	if p.list == nil {
		return
	}
	var list []codesystem.Ord
	for _, o := range p.list {
		if keep.Contains(o) {
			list = append(list, o)
		}
	}
	p.list = list
}

// subtract removes the concepts in drop.
func (p *part) subtract(drop *roaring.Bitmap) {
	if p.members.Intersects(drop) {
		p.restrict(roaring.AndNot(p.members, drop), fresh)
	}
}

// keepLoose keeps the loose codes for which keep returns true.
func (p *part) keepLoose(keep func(*looseCode) bool) {
	var out []looseCode
	for i := range p.loose {
		if keep(&p.loose[i]) {
			out = append(out, p.loose[i])
		}
	}
	p.loose = out
}

func (p *part) empty() bool {
	if p.index == nil {
		return len(p.loose) == 0
	}
	return p.members.IsEmpty()
}

// algebra combines parts into a Set in which every code occurs once, at its first position. The
// zero value is empty.
type algebra struct {
	parts []part
	// seen is the union of the parts added so far, by index.
	seen map[*codesystem.Index]seen
	// merge makes codes of all versions of a system equal.
	merge bool
	// overlap reports whether a part contained codes of earlier parts.
	overlap bool
	indexes []*codesystem.Index
	// The loose codes that were seen, with their versions and systems, and those that are excluded but
	// still in parts; see sweep.
	loose    map[looseVersion]struct{}
	versions map[looseKey][]string
	systems  map[string]bool
	gone     map[looseVersion]struct{}
}

type seen struct {
	set   *roaring.Bitmap
	owned bool
}

// home returns the index object that represents the system version of x. It differs from x only
// if the system was published again between two resolutions.
func (a *algebra) home(x *codesystem.Index) *codesystem.Index {
	if _, ok := a.seen[x]; ok {
		return x
	}
	for _, y := range a.indexes {
		if y.URL() == x.URL() && y.Version() == x.Version() {
			return y
		}
	}
	return x
}

// rebase moves a part to another index of the same system by looking up its codes.
func rebase(p part, to *codesystem.Index) part {
	if p.index == nil || p.index == to {
		return p
	}
	out := part{index: to, members: roaring.New(), ownership: fresh}
	move := func(o codesystem.Ord) {
		n, ok := to.Find(p.index.Code(o))
		if !ok || !out.members.CheckedAdd(n) {
			return
		}
		if p.list != nil {
			out.list = append(out.list, n)
		}
		if l := p.labels[o]; l != nil {
			if out.labels == nil {
				out.labels = map[codesystem.Ord]*label{}
			}
			out.labels[n] = l
		}
	}
	if p.list != nil {
		for _, o := range p.list {
			move(o)
		}
		return out
	}
	p.members.Iterate(func(o uint32) bool { move(o); return true })
	return out
}

// add appends the codes of a part that earlier parts do not contain.
func (a *algebra) add(p part) {
	if p.index == nil {
		a.addLoose(p)
		return
	}
	if p.members.IsEmpty() {
		return
	}
	p = rebase(p, a.home(p.index))
	if a.merge {
		a.subtractOthers(&p)
		if p.members.IsEmpty() {
			return
		}
	}
	s, ok := a.seen[p.index]
	if !ok {
		if a.seen == nil {
			a.seen = map[*codesystem.Index]seen{}
		}
		a.seen[p.index] = seen{set: p.members}
		a.indexes = append(a.indexes, p.index)
		a.parts = append(a.parts, p)
		return
	}
	whole := p.members
	p.subtract(s.set)
	a.overlap = a.overlap || p.members != whole
	if p.members.IsEmpty() {
		return
	}
	if s.owned {
		s.set.Or(p.members)
	} else {
		a.seen[p.index] = seen{set: roaring.Or(s.set, p.members), owned: true}
	}
	a.parts = append(a.parts, p)
}

// subtractOthers removes from a part the codes that other versions of its system contain.
func (a *algebra) subtractOthers(p *part) {
	for _, y := range a.indexes {
		if y != p.index && y.URL() == p.index.URL() {
			p.subtract(rebase(part{index: y, members: a.seen[y].set}, p.index).members)
		}
	}
}

func (a *algebra) addLoose(p part) {
	if a.loose == nil {
		a.loose, a.versions, a.systems = map[looseVersion]struct{}{}, map[looseKey][]string{}, map[string]bool{}
	}
	p.keepLoose(func(c *looseCode) bool {
		k := looseVersion{looseKey{c.system, c.code}, c.version}
		if _, seen := a.loose[k]; seen {
			return false
		}
		a.loose[k], a.systems[c.system] = struct{}{}, true
		a.versions[k.looseKey] = append(a.versions[k.looseKey], c.version)
		return true
	})
	if len(p.loose) > 0 {
		a.parts = append(a.parts, p)
	}
}

// exclude removes the concepts and loose codes of a part from everything added so far.
func (a *algebra) exclude(p part) {
	if p.index == nil {
		for i := range p.loose {
			c := &p.loose[i]
			a.excludeKey(looseKey{c.system, c.code}, c.version, func(string) bool { return true })
		}
		return
	}
	p = rebase(p, a.home(p.index))
	for i := range a.parts {
		switch x := a.parts[i].index; {
		case x == p.index:
			a.parts[i].subtract(p.members)
		case a.merge && x != nil && x.URL() == p.index.URL():
			a.parts[i].subtract(rebase(part{index: p.index, members: p.members}, x).members)
		}
	}
	if !a.merge {
		return
	}
	for k := range a.versions { // listed, of versions that are not loaded
		if k.system != p.index.URL() {
			continue
		}
		if o, ok := p.index.Find(k.code); ok && p.members.Contains(o) {
			a.excludeKey(k, "", func(string) bool { return true })
		}
	}
}

// excludeKey excludes a loose code in a version, "" for any, where drop returns true.
func (a *algebra) excludeKey(k looseKey, version string, drop func(version string) bool) {
	among := []string{version, ""}
	if version == "" {
		among = a.versions[k]
	}
	for _, v := range among {
		if _, seen := a.loose[looseVersion{k, v}]; !seen || !drop(v) {
			continue
		}
		if a.gone == nil {
			a.gone = map[looseVersion]struct{}{}
		}
		a.gone[looseVersion{k, v}] = struct{}{}
	}
}

// sweep removes the loose codes that are excluded from the parts, once for all excludes.
func (a *algebra) sweep() {
	if len(a.gone) == 0 {
		return
	}
	a.excludeLoose(func(c *looseCode) bool {
		_, gone := a.gone[looseVersion{looseKey{c.system, c.code}, c.version}]
		return gone
	})
	a.gone = nil
}

// excludeLoose removes the loose codes for which drop returns true.
func (a *algebra) excludeLoose(drop func(*looseCode) bool) {
	for i := range a.parts {
		if a.parts[i].index == nil {
			a.parts[i].keepLoose(func(c *looseCode) bool { return !drop(c) })
		}
	}
}

// dropInactive removes inactive codes.
func (a *algebra) dropInactive() {
	a.drop((*codesystem.Index).InactiveSet, func(c *looseCode) bool { return c.inactive })
}

// drop removes some concepts of each index and some loose codes.
func (a *algebra) drop(concepts func(*codesystem.Index) *roaring.Bitmap, loose func(*looseCode) bool) {
	for i := range a.parts {
		if x := a.parts[i].index; x != nil {
			a.parts[i].subtract(concepts(x))
		}
	}
	a.excludeLoose(loose)
}
