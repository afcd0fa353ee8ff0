package uiadapter

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/search"
)

// countsData is what counts.html shows: how often concepts are in resources.
type countsData struct {
	Search *searching
	Param  string
	// Types and Params are the choices.
	Types, Params []string
	ByPatients    bool
	// Read counts the resources that were counted. More is true if there are others.
	Read, Uncoded, Unknown int
	More                   bool
	Warnings               []string
	Systems                []CountedSystem
	// Path leads to Focus, the concept whose branches are shown; nil for the whole code system.
	Path    []CountRow
	Focus   *CountRow
	Top     string // address of the whole code system
	Picture *Icicle
	Rows    []CountRow
	// Left counts the rows that are left out.
	Left                    int
	ByResource, ByPatient   string // addresses
	Results, Request, Shown string
	Known                   bool // the code system is loaded
}

// A CountedSystem is a code system with the number of resources that have a code of it.
type CountedSystem struct {
	Name, Link string
	Count      int
	Chosen     bool
}

// A CountRow is a concept with its counts.
type CountRow struct {
	Coded
	Level                    int
	Resources, Patients, Own int
	// Share is the part of the focus in percent.
	Share int
	// Zoom is the address of its branch, "" if nothing is below it, and Search that of its resources.
	Zoom, Search string
}

const (
	// mostRows is the number of concepts in the table.
	mostRows = 200
	// levels is the number of levels below the focus in the picture.
	levels = 3
)

// counts shows the counts of a search by concept.
func (p *Page) counts() error {
	typ := cmp.Or(p.Query("type"), "Condition")
	if !p.h.tables.IsResource(typ) || slices.Contains(loadedTypes[:], typ) {
		return unknownType(typ)
	}
	d := &countsData{Search: p.searching(typ), Param: p.Query("param"), ByPatients: p.Query("by") == "patients"}
	for _, f := range d.Search.Fields {
		if p.h.hasConcepts(f.param) && !strings.HasPrefix(f.Code, "_") {
			d.Params = append(d.Params, f.Code)
		}
	}
	if len(d.Params) == 0 {
		return fmt.Errorf("%w: %s has no search parameter for concepts", engine.ErrInvalidParameter, typ)
	}
	if d.Param == "" {
		d.Param = d.Params[0]
	}
	if !slices.Contains(d.Params, d.Param) {
		return fmt.Errorf("%w: %q is no search parameter of %s for concepts: %s", engine.ErrInvalidParameter, cut(d.Param, 40), typ, strings.Join(d.Params, ", "))
	}
	for _, t := range p.h.tables.Resources() {
		if slices.Contains(firstTypes[:], t) || t == typ || strings.HasSuffix(t, "Request") || strings.HasPrefix(t, "Medication") {
			if slices.ContainsFunc(p.h.tables.SearchParams(t), p.h.hasConcepts) {
				d.Types = append(d.Types, t)
			}
		}
	}
	path, _ := p.h.pathOf(p.h.tables.SearchParam(typ, d.Param))
	t, err := p.tallyOf(d.Search, path)
	if err != nil {
		return err
	}
	d.Read, d.More, d.Uncoded, d.Warnings = t.read, t.more, t.uncoded, t.warnings
	if d.Results, err = d.Search.page("data"); err != nil {
		return err
	}
	if err := p.count(d, t); err != nil {
		return err
	}
	return p.Show("counts.html", "", typ+" – "+p.T("data.bycode"), d)
}

// address returns the address of the counts of a concept, "" for a whole code system.
func (d *countsData) address(system, code string, byPatients bool) string {
	by := ""
	if byPatients {
		by = "patients"
	}
	address, _ := d.Search.page("counts", "param", d.Param, "by", by, "system", system, "code", code) // it fails for an odd number of arguments only
	return address
}

// count fills in the counts of the chosen code system, or the one with the most resources.
func (p *Page) count(d *countsData, t *tally) error {
	n := p.namer()
	chosen, found := p.Query("system"), false
	urls := make([]string, 0, len(t.systems))
	for url := range t.systems {
		urls = append(urls, url)
		found = found || url == chosen
	}
	sortBy(urls, func(a, b string) int {
		return cmp.Or(cmp.Compare(t.systems[b].resources.GetCardinality(), t.systems[a].resources.GetCardinality()), strings.Compare(a, b))
	})
	if len(urls) == 0 {
		return nil
	}
	if !found {
		chosen = urls[0]
	}
	for _, url := range urls[:min(len(urls), 20)] {
		c := CountedSystem{Name: cmp.Or(url, "–"), Count: int(t.systems[url].resources.GetCardinality()), Chosen: url == chosen, Link: d.address(url, "", d.ByPatients)}
		if s := n.system(url); s != nil {
			c.Name = s.Name
		}
		d.Systems = append(d.Systems, c)
	}
	own := t.systems[chosen]
	code := ""
	if found {
		code = p.Query("code")
	}
	d.Top, d.ByResource, d.ByPatient = d.address(chosen, "", d.ByPatients), d.address(chosen, code, false), d.address(chosen, code, true)
	if s := n.system(chosen); s != nil {
		d.Known = true
		return d.roll(own.rollUp(s), code)
	}
	d.list(n, chosen, own)
	return nil
}

// list fills in the counts of a code system that is not loaded: a row for each code.
func (d *countsData) list(n *namer, system string, t *systemTally) {
	codes := slices.SortedFunc(maps.Keys(t.codes), func(a, b string) int {
		return cmp.Or(cmp.Compare(t.codes[b].resources.GetCardinality(), t.codes[a].resources.GetCardinality()), strings.Compare(a, b))
	})
	for _, code := range codes[:min(len(codes), mostRows)] {
		own := t.codes[code]
		c := CountRow{Coded: n.concept(system, code, own.display), Level: 1, Resources: int(own.resources.GetCardinality()), Patients: int(own.patients.GetCardinality())}
		c.Own = c.Resources
		c.Share = share(c.Resources, int(t.resources.GetCardinality()))
		c.Search = d.resources(system, code)
		d.Rows = append(d.Rows, c)
	}
	d.Left = len(codes) - len(d.Rows)
}

// resources returns the address of the resources with a code, or one below it.
func (d *countsData) resources(system, code string) string {
	i := slices.IndexFunc(d.Search.Fields, func(f *Field) bool { return f.Code == d.Param })
	f := *d.Search.Fields[i]
	f.Value, f.How = search.Escape(system)+"|"+search.Escape(code), ""
	if d.Known {
		f.How = "below"
	}
	address, _ := d.Search.with(&f).page("data") // it fails for an odd number of arguments only
	return address
}

// addRow adds a row to the table, if there is room.
func (d *countsData) addRow(r CountRow) {
	if len(d.Rows) == mostRows {
		d.Left++
		return
	}
	d.Rows = append(d.Rows, r)
}

func share(part, whole int) int {
	if whole == 0 {
		return 0
	}
	return (100*part + whole/2) / whole
}

// roll fills in the counts of a concept and of those below it. Without one it begins where the
// hierarchy branches.
func (d *countsData) roll(r *rollUp, code string) error {
	s := r.s
	d.Unknown = r.unknown
	branches := r.tops(d.ByPatients)
	all := make([]int, len(r.codes))
	for i := range all {
		all[i] = i
	}
	whole := r.sum(all)
	row := func(o codesystem.Ord, level int) CountRow {
		ref, c := s.ref(o), r.of(o)
		out := CountRow{Coded: Coded{Term: ref.Term, System: s.URL, Code: ref.Code}, Level: level, Resources: c.resources, Patients: c.patients, Own: c.own, Share: share(c.by(d.ByPatients), whole.by(d.ByPatients))}
		out.Link, _ = ref.Link() // it fails for an odd number of arguments only
		out.Search = d.resources(s.URL, ref.Code)
		if slices.ContainsFunc(s.x.Children(o), func(child codesystem.Ord) bool { return r.within[child] != nil }) {
			out.Zoom = d.address(s.URL, ref.Code, d.ByPatients)
		}
		return out
	}
	var focus codesystem.Ord
	focused := false
	if code != "" {
		o, known := s.x.Find(code)
		if !known {
			return fmt.Errorf("%w: %s has no code %q", engine.ErrUnknownCode, s.Name, cut(code, 100))
		}
		focus, focused = o, true
	} else {
		for len(branches) == 1 && (!focused || r.of(focus).own == 0) && len(r.below(branches[0], d.ByPatients)) > 0 {
			focus, focused = branches[0], true
			branches = r.below(focus, d.ByPatients)
		}
	}
	pic := newIcicle(d.ByPatients)
	title := s.Name
	if focused {
		branches = r.below(focus, d.ByPatients)
		whole = r.of(focus)
		f := row(focus, 0)
		d.Focus = &f
		title = f.Text
		paths, _ := pathsTo(s.x, focus, 1)
		for _, o := range paths[0][:len(paths[0])-1] {
			d.Path = append(d.Path, row(o, 0))
		}
	}
	pic.box(0, 0, icicleHeight, title, whole.by(d.ByPatients), "")
	var draw func(branches []codesystem.Ord, total, level int, y, height float64)
	draw = func(branches []codesystem.Ord, total, level int, y, height float64) {
		if level > levels || len(branches) == 0 {
			return
		}
		sizes := make([]int, len(branches))
		for i, o := range branches {
			sizes[i] = r.of(o).by(d.ByPatients)
		}
		bottom, least := y+height, float64(leastBox)
		if level == 1 {
			least *= 2 // which leaves room for what is below
		}
		drawn, unit := fit(sizes, total, height, least)
		for i, o := range branches {
			if i < drawn || level == 1 {
				d.addRow(row(o, level))
			}
			if i >= drawn {
				continue
			}
			h := unit * float64(sizes[i])
			pic.box(level, y, h, s.term(o).Text, sizes[i], cmp.Or(row(o, level).Zoom, row(o, level).Link))
			draw(r.below(o, d.ByPatients), sizes[i], level+1, y, h)
			y += h
		}
		if drawn < len(branches) {
			left := 0
			for _, size := range sizes[drawn:] {
				left += size
			}
			pic.rest(level, y, min(max(unit*float64(left), leastBox), bottom-y), len(branches)-drawn)
		}
	}
	draw(branches, whole.by(d.ByPatients), 1, 0, icicleHeight)
	if len(branches) > 0 {
		d.Picture = pic
	}
	return nil
}
