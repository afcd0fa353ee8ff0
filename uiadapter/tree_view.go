package uiadapter

import (
	"hash/fnv"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
)

// A tree shows a graph: a concept can be below several others. The address of a page says which
// concept is chosen (code), by which path it is shown (via, the codes above it, from the top), and
// what else is open (open). What is open is named by its code, followed by two spaces and the code of
// the parent under which it is open unless that is its first parent: a code has no two spaces in a row
// (R4 datatypes.html#code).

// A Branch has the concepts below one, or those at the top: a window of them.
type Branch struct {
	Items []Item
	// Before and After count the siblings that are left out; their links show them.
	Before, After         int
	BeforeLink, AfterLink string
	// BeforePart and AfterPart are the addresses of parts with them, for scripts.
	BeforePart, AfterPart string
	Level                 int
	ID                    string // of the parent
}

// An Item is a concept in a tree.
type Item struct {
	Ref
	ID string
	// Level, Size and Position are its place, from 1.
	Level, Size, Position int
	Open, Chosen          bool
	// Others counts its other parents.
	Others int
	// Link leads to the page on which it is chosen, and open unless it was.
	Link string
	// Part is the address of what is below it, for scripts.
	Part     string
	Children *Branch
}

const (
	// windowSize is the number of siblings in a part of a tree, and windowAround is that of the
	// siblings beside a concept that is shown only because it is above the chosen one.
	windowSize, windowAround = 100, 4
	// maxOpen is the number of open concepts that an address names.
	maxOpen = 150
	// maxOpenInLinks is the number of those that the links of a page name, as each of its concepts has
	// one.
	maxOpenInLinks = 24
)

// noParent stands for the parent of the concepts at the top.
const noParent = int64(-1)

// An edge leads from a concept to one below it.
type edge struct {
	parent int64
	child  codesystem.Ord
}

// A treeView is how far a tree is open.
type treeView struct {
	s       *System
	focused bool
	focus   codesystem.Ord
	path    []codesystem.Ord // to the chosen concept, which is the last
	open    map[edge]bool
	opened  []string // as the address has them
	// from is the first sibling of the part below the concept partOf, unless it follows from the path.
	from   int
	partOf int64
}

// treeView returns how far the address opens the tree.
func (p *Page) treeView(s *System) (*treeView, error) {
	v := &treeView{s: s, open: map[edge]bool{}, from: -1, partOf: noParent}
	for _, value := range p.Queries("open")[:min(len(p.Queries("open")), maxOpen)] {
		if e, ok := s.edge(value); ok && !v.open[e] {
			v.open[e] = true
			v.opened = append(v.opened, value)
		}
	}
	if p.Query("from") != "" {
		v.from = p.Number("from", 0, 0, s.x.Len())
		if of, found := s.x.Find(p.Query("of")); found {
			v.partOf = int64(of)
		}
	}
	code := p.Query("code")
	if code == "" {
		if roots := rootsOf(s.x); roots.size() == 1 { // there is nothing else to see
			v.open[edge{noParent, roots.at(0)}] = true
		}
		return v, nil
	}
	o, err := s.find(code)
	if err != nil {
		return nil, err
	}
	v.focused, v.focus = true, o
	v.path = append(s.chain(p.Queries("via"), o), o)
	above := noParent
	for _, o := range v.path[:len(v.path)-1] {
		v.open[edge{above, o}] = true
		above = int64(o)
	}
	return v, nil
}

// edge returns what a value of the parameter open names.
func (s *System) edge(value string) (edge, bool) {
	code, parent, named := strings.Cut(value, "  ")
	o, found := s.x.Find(code)
	if !found {
		return edge{}, false
	}
	if !named {
		return edge{s.firstParent(o), o}, true
	}
	above, found := s.x.Find(parent)
	return edge{int64(above), o}, found && slices.Contains(s.x.Parents(o), above)
}

// named returns the value of the parameter open for an edge.
func (s *System) named(e edge) string {
	if e.parent == s.firstParent(e.child) {
		return s.x.Code(e.child)
	}
	return s.x.Code(e.child) + "  " + s.x.Code(codesystem.Ord(e.parent))
}

func (s *System) firstParent(o codesystem.Ord) int64 {
	if parents := s.x.Parents(o); len(parents) > 0 {
		return int64(parents[0])
	}
	return noParent
}

// chain returns the concepts above one, from the top: those with the codes if they are a path, or else
// those of the shortest path.
func (s *System) chain(codes []string, o codesystem.Ord) []codesystem.Ord {
	var path []codesystem.Ord
	for i, code := range codes {
		next, found := s.x.Find(code)
		if !found || i == 0 && !s.x.Root(next) || i > 0 && !slices.Contains(s.x.Parents(next), path[i-1]) {
			path = nil
			break
		}
		path = append(path, next)
	}
	if len(path) > 0 && slices.Contains(s.x.Parents(o), path[len(path)-1]) {
		return path
	}
	paths, _ := pathsTo(s.x, o, 1)
	return paths[0][:len(paths[0])-1]
}

// siblings are the concepts below one, or those at the top.
type siblings struct {
	list []codesystem.Ord
	set  *roaring.Bitmap // if list is nil
}

func (l siblings) size() int {
	if l.set != nil {
		return int(l.set.GetCardinality())
	}
	return len(l.list)
}

func (l siblings) at(i int) codesystem.Ord {
	if l.set == nil {
		return l.list[i]
	}
	o, err := l.set.Select(uint32(i))
	if err != nil {
		return 0 // i is not below size
	}
	return o
}

func (l siblings) has(o codesystem.Ord) bool { return l.index(o) >= 0 }

// index returns the place of a concept, -1 if it is not there.
func (l siblings) index(o codesystem.Ord) int {
	switch {
	case l.set == nil:
		return slices.Index(l.list, o)
	case !l.set.Contains(o):
		return -1
	}
	return int(l.set.Rank(o)) - 1
}

// with returns the siblings with one more at the end of a list, or at its place in a set.
func (l siblings) with(o codesystem.Ord) siblings {
	if l.set != nil {
		set := l.set.Clone()
		set.Add(o)
		return siblings{set: set}
	}
	return siblings{list: append(slices.Clone(l.list), o)}
}

// rootsOf returns the concepts at the top of a hierarchy. Inactive ones are often not in the hierarchy
// any more and therefore have no parent; they are left out unless something is below them.
func rootsOf(x *codesystem.Index) siblings {
	roots := x.Roots()
	if lost := roaring.And(x.InactiveSet(), x.Leaves()); x.Hierarchical() && roots.Intersects(lost) {
		roots = roaring.AndNot(roots, lost)
	}
	if roots.GetCardinality() <= windowSize {
		return siblings{list: roots.ToArray()}
	}
	return siblings{set: roots}
}

// maxSorted is the number of siblings up to which they are sorted.
const maxSorted = 20_000

// below returns the concepts below one: in the order of a code system that is a tree, which is that of
// a book, and else by their displays.
func (s *System) below(o codesystem.Ord) siblings {
	list := s.x.Children(o)
	if s.x.Tree() || len(list) > maxSorted {
		return siblings{list: list}
	}
	type named struct {
		name string
		o    codesystem.Ord
	}
	names := make([]named, len(list))
	for i, o := range list {
		names[i] = named{strings.ToLower(s.term(o).Text), o}
	}
	sort.SliceStable(names, func(i, j int) bool { return names[i].name < names[j].name })
	sorted := make([]codesystem.Ord, len(list))
	for i := range names {
		sorted[i] = names[i].o
	}
	return siblings{list: sorted}
}

// branch returns the concepts of a list, which are below the last one of a path; id is that of the
// parent.
func (v *treeView) branch(list siblings, path []codesystem.Ord, id string) *Branch {
	parent := noParent
	if len(path) > 0 {
		parent = int64(path[len(path)-1])
	}
	from, to := v.window(list, parent, len(path))
	b := &Branch{Level: len(path) + 1, Before: from, After: list.size() - to, ID: id}
	if b.Before > 0 {
		b.BeforeLink, b.BeforePart = v.moreLinks(path, max(from-windowSize, 0), id)
	}
	if b.After > 0 {
		b.AfterLink, b.AfterPart = v.moreLinks(path, to, id)
	}
	for i := from; i < to; i++ {
		o := list.at(i)
		e := edge{parent, o}
		item := Item{
			Ref: v.s.ref(o), ID: childID(id, o), Level: b.Level, Size: list.size(), Position: i + 1,
			Open: v.open[e] && !v.s.x.Leaf(o), Chosen: v.focused && o == v.focus && slices.Equal(path, v.path[:len(v.path)-1]),
			Others: max(len(v.s.x.Parents(o))-1, 0),
		}
		delete(v.open, e) // an edge is open in one place only
		here := append(slices.Clip(path), o)
		item.Link = v.itemLink(here, e, item.Open, item.Chosen)
		if !v.s.x.Leaf(o) {
			item.Part = v.partLink(here, 0, item.ID)
		}
		if item.Open {
			item.Children = v.branch(v.s.below(o), here, item.ID)
		}
		b.Items = append(b.Items, item)
	}
	return b
}

// window returns which siblings are shown.
func (v *treeView) window(list siblings, parent int64, level int) (from, to int) {
	n := list.size()
	switch {
	case v.from >= 0 && v.partOf == parent:
		from = min(v.from, max(n-1, 0))
		return from, min(from+windowSize, n)
	case n <= windowSize && (!v.focused || n <= 4*windowAround):
		return 0, n
	}
	at := -1 // of the concept on the path
	if v.focused && level < len(v.path) && (level == 0 || int64(v.path[level-1]) == parent) {
		at = list.index(v.path[level])
	}
	switch {
	case at < 0:
		return 0, min(windowSize, n)
	case level == len(v.path)-1: // the chosen one and its siblings
		if n <= windowSize {
			return 0, n
		}
		from = max(min(at-windowSize/2, n-windowSize), 0)
		return from, min(from+windowSize, n)
	}
	return max(at-windowAround, 0), min(at+windowAround+1, n)
}

// childID returns the id of the element of a concept below another one.
func childID(parent string, o codesystem.Ord) string {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(parent + " " + strconv.Itoa(int(o)))) // never fails
	return "t" + strconv.FormatUint(hash.Sum64(), 36)
}

// via returns the codes above the last concept of a path if they do not follow from it: if one of them
// has several parents.
func (v *treeView) via(path []codesystem.Ord) []any {
	if !slices.ContainsFunc(path, func(o codesystem.Ord) bool { return len(v.s.x.Parents(o)) > 1 }) {
		return nil
	}
	var pairs []any
	for _, o := range path[:len(path)-1] {
		pairs = append(pairs, "via", v.s.x.Code(o))
	}
	return pairs
}

// address returns the address of a page of this room about the last concept of a path.
func (v *treeView) address(page string, path []codesystem.Ord, more ...any) string {
	pairs := []any{"system", v.s.URL, "version", v.s.Version, "lang", v.s.Language}
	if len(path) > 0 {
		pairs = append(append(pairs, "code", v.s.x.Code(path[len(path)-1])), v.via(path)...)
	}
	address, err := link(page, append(pairs, more...)...)
	if err != nil {
		return page // link fails for an odd number of arguments only
	}
	return address
}

// itemLink returns the address of the page on which a concept is chosen: one that is not open opens,
// and the chosen one closes if it is open.
func (v *treeView) itemLink(path []codesystem.Ord, e edge, open, chosen bool) string {
	var more []any
	own := v.s.named(e)
	for _, value := range v.opened[:min(len(v.opened), maxOpenInLinks)] {
		if value != own {
			more = append(more, "open", value)
		}
	}
	if !v.s.x.Leaf(e.child) && (!open || !chosen) {
		more = append(more, "open", own)
	}
	return v.address("tree", path, more...)
}

// partLink returns the address of what is below the last concept of a path, for scripts.
func (v *treeView) partLink(path []codesystem.Ord, from int, id string) string {
	return v.address("branch", path, "from", number0(from), "id", id)
}

// moreLinks returns the addresses of more siblings, which are below the last concept of a path: of a
// page and of a part.
func (v *treeView) moreLinks(path []codesystem.Ord, from int, id string) (page, part string) {
	more := []any{"from", from}
	chosen := path
	if len(path) > 0 {
		more = append(more, "of", v.s.x.Code(path[len(path)-1]), "open", v.s.x.Code(path[len(path)-1]))
	}
	if v.focused {
		chosen = v.path
	}
	for _, value := range v.opened[:min(len(v.opened), maxOpenInLinks)] {
		more = append(more, "open", value)
	}
	return v.address("tree", chosen, more...), v.partLink(path, from, id)
}

// number0 returns a number for an address, "" for 0.
func number0(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// ways are paths to a concept.
type ways struct {
	list  []Way
	total int
}

// waysTo returns the shortest paths to a concept other than the one that is shown.
func (s *System) waysTo(o codesystem.Ord, shown []codesystem.Ord, most int) (ways, error) {
	paths, total := pathsTo(s.x, o, most+1)
	w := ways{total: total}
	for _, path := range paths {
		if slices.Equal(path, shown) || len(w.list) == most {
			continue
		}
		pairs := []any{"system", s.URL, "version", s.Version, "lang", s.Language, "code", s.x.Code(o)}
		for _, above := range path[:len(path)-1] {
			pairs = append(pairs, "via", s.x.Code(above))
		}
		address, err := link("tree", pairs...)
		if err != nil {
			return ways{}, err
		}
		w.list = append(w.list, Way{Steps: s.refs(path[:len(path)-1]), Link: address})
	}
	return w, nil
}
