package uiadapter

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// valueSetRoom is where value sets are found, read and explained.
func valueSetRoom() *room {
	return &room{name: "valueset", link: "valuesets", types: []string{"ValueSet"}, routes: map[string]func(*Page) error{
		"GET /ui/valuesets": (*Page).valueSets,
		"GET /ui/valueset":  (*Page).valueSet,
		"GET /ui/why":       (*Page).why,
		"GET /ui/compare":   (*Page).compare,
		"GET /ui/impact":    (*Page).impact,
	}}
}

// valueSetData is what valueset.html shows.
type valueSetData struct {
	// URL is the canonical, and Version the one of the address.
	URL, Version string
	Name         string
	Header       r4.Header
	// Problem says why the value set has no expansion, "" if it has one.
	Problem string
	Parts   []Part
	// Hidden is the number of parts that are not shown.
	Hidden int
	// Stored is true for a value set with an expansion only.
	Stored bool
	// Expression is the address of the workbench for a value set that is an expression.
	Expression string
	Codes      CodeList
	Why        Why
	// Compare is the address of the comparison with another one, Impacts those of the changes by
	// versions of code systems.
	Compare string
	Impacts []Resource
}

// CodeList is a page of the codes of a value set.
type CodeList struct {
	Filter      string
	Size        int
	Rows        []CodeRow
	Total       int
	First, Last int
	// Previous and Next are the addresses of other pages, "" if there are none.
	Previous, Next string
	// Several is true if the rows are of several code systems.
	Several bool
	// Note says that some codes cannot be listed.
	Note string
}

// A CodeRow is a code of a value set.
type CodeRow struct {
	Ref
	Name string // of the code system
	// Known is true if the code system is loaded, so that the concept has a page.
	Known bool
	// Why is the address of the explanation.
	Why string
}

// pageSizes are the numbers of codes of a page that one can choose.
var pageSizes = [...]int{50, 100, 250, 1000}

// maxSize is the largest page, and maxOffset bounds the address.
const (
	presetSize = 50
	maxSize    = 1000
	maxOffset  = 1 << 30
)

// Sizes returns the numbers of codes that a page can have.
func (p *Page) Sizes() []int { return pageSizes[:] }

// valueSet shows a value set.
func (p *Page) valueSet() error {
	d, status, err := p.readValueSet()
	if err != nil {
		return err
	}
	if p.IsFragment() {
		return p.Show("valueset.html", "expansion", d.Name, d)
	}
	if d.Why, err = p.explained(); err != nil {
		return err
	}
	if d.Compare, err = link("compare", "this", r4.JoinCanonical(d.URL, d.Version)); err != nil {
		return err
	}
	d.Impacts = p.impacts(d)
	p.Title, p.Data = plain(d.Name), d
	return p.render(status, "valueset.html", "layout")
}

// readValueSet returns a value set with a page of its codes. One that is known but cannot be expanded
// is no error: the page says why, with the status.
func (p *Page) readValueSet() (d *valueSetData, status int, err error) {
	d = &valueSetData{URL: p.Query("url"), Version: p.Query("version")}
	if d.URL == "" {
		return nil, 0, fmt.Errorf("%w: url, the canonical of the value set", engine.ErrMissingParameter)
	}
	d.Codes.Filter = p.Query("filter")
	if len(d.Codes.Filter) > maxSought {
		return nil, 0, fmt.Errorf("%w: the text to find has more than %d bytes", engine.ErrInvalidParameter, maxSought)
	}
	req := &engine.ExpandRequest{URL: d.URL, ValueSetVersion: d.Version, Filter: d.Codes.Filter}
	found, err := p.list(&d.Codes, req)
	if err != nil {
		e := p.entryOf("ValueSet", d.URL, d.Version)
		if e == nil || p.Context().Err() != nil {
			return nil, 0, err
		}
		problem := p.problem(err)
		d.Problem, status, d.Header, d.Name = problem.Text, problem.Status, e.Header, nameOf(e)
		var vs r4.ValueSet
		if p.Get("ValueSet/"+e.Header.ID, &vs) == nil {
			p.define(d, &vs)
		}
		return d, status, nil
	}
	if err := p.pages(&d.Codes, "valueset", "url", d.URL, "version", d.Version, "filter", d.Codes.Filter); err != nil {
		return nil, 0, err
	}
	for i := range d.Codes.Rows {
		if d.Codes.Rows[i].Why, err = d.whyLink(&d.Codes.Rows[i]); err != nil {
			return nil, 0, err
		}
	}
	d.Header = found.ValueSet.Header
	d.Name = cmp.Or(d.Header.Title, d.Header.Name, d.Header.ID, d.URL)
	p.define(d, found.ValueSet)
	return d, http.StatusOK, nil
}

// whyLink returns the address of the page with the explanation of a code.
func (d *valueSetData) whyLink(row *CodeRow) (string, error) {
	return link("valueset", "url", d.URL, "version", d.Version, "system", row.System, "code", row.Code)
}

// entryOf returns a published resource, nil if there is none.
func (p *Page) entryOf(typ, url, version string) *engine.Entry {
	for _, e := range p.entries(typ) {
		if e.Header.URL == url && (version == e.Header.Version || version == "" && p.h.Engine.IsDefault(e)) {
			return e
		}
	}
	return nil
}

// list fills in the page of the codes of a value set that the address asks for.
func (p *Page) list(l *CodeList, req *engine.ExpandRequest) (*engine.ExpandResult, error) {
	return p.listWith(p.h.Engine, l, req)
}

// listWith is list with an engine that has other value sets as well.
func (p *Page) listWith(e *engine.Engine, l *CodeList, req *engine.ExpandRequest) (*engine.ExpandResult, error) {
	if l.Size == 0 {
		l.Size = p.Number("count", presetSize, 1, maxSize)
	}
	offset, flat := p.Number("offset", 0, 0, maxOffset), true
	size := l.Size
	req.Count, req.Offset, req.ExcludeNested = &size, &offset, &flat
	req.AcceptLanguage = cmp.Or(p.chosenLanguage(), p.DisplayLanguage())
	r, err := e.Expand(p.Context(), req)
	if err != nil {
		return nil, err
	}
	l.Total, l.Note = r.Total, r.Unclosed
	if len(r.Entries) > 0 {
		l.First, l.Last = r.Offset+1, r.Offset+len(r.Entries)
	}
	shown := map[*codesystem.Index]*System{}
	for i := range r.Entries {
		row, err := p.codeRow(&r.Entries[i], shown)
		if err != nil {
			return nil, err
		}
		l.Several = l.Several || row.System != r.Entries[0].System
		l.Rows = append(l.Rows, row)
	}
	return r, nil
}

// codeRow returns a code of a value set. shown has the code systems of the page so far.
func (p *Page) codeRow(e *valueset.Entry, shown map[*codesystem.Index]*System) (CodeRow, error) {
	row := CodeRow{Name: e.System}
	if e.Index == nil {
		row.Ref = Ref{Term: Term{Text: cmp.Or(e.Display, e.Code)}, System: e.System, Version: e.Version, Code: e.Code, Inactive: e.Inactive, Abstract: e.Abstract}
		return row, nil
	}
	s := shown[e.Index]
	if s == nil {
		var err error
		if s, err = p.systemOf(e.Index); err != nil {
			return row, err
		}
		shown[e.Index] = s
	}
	row.Ref, row.Name, row.Known = s.ref(e.Concept), s.Name, true
	if own := e.Own(); own != "" {
		row.Term = Term{Text: own}
	}
	return row, nil
}

// pages fills in the addresses of the pages before and after that of the list.
func (p *Page) pages(l *CodeList, page string, pairs ...any) error {
	size := ""
	if l.Size != presetSize {
		size = strconv.Itoa(l.Size)
	}
	at := func(offset int) (string, error) {
		from := ""
		if offset > 0 {
			from = strconv.Itoa(offset)
		}
		return link(page, append(append([]any{}, pairs...), "count", size, "offset", from)...)
	}
	var err error
	offset := p.Number("offset", 0, 0, maxOffset)
	if offset > 0 {
		if l.Previous, err = at(max(min(offset, l.Total)-l.Size, 0)); err != nil {
			return err
		}
	}
	if l.Last > 0 && l.Last < l.Total {
		l.Next, err = at(l.Last)
	}
	return err
}

// Why is the explanation of a code.
type Why struct {
	Code, System string
	Display      string
	Tree         *Reason
	// Problem says why there is no explanation.
	Problem string
}

// A Reason is an element of a value set with its verdict on a code.
type Reason struct {
	Label, Text string
	// Holds is true if the element selects the code. An exclude that holds removes it.
	Holds, Excludes bool
	Below           []*Reason
	// Hidden is the number of elements that are not shown.
	Hidden int
}

// why shows the explanation of a code as a part of the page of the value set.
func (p *Page) why() error {
	w, err := p.explained()
	if err != nil {
		return err
	}
	if p.IsFragment() {
		p.w.Header().Set("HX-Replace-Url", "valueset?"+p.r.URL.RawQuery)
	}
	return p.ShowPart("valueset.html", "why", "valueset", p.T("valueset.why"), &valueSetData{Why: w})
}

// explained returns why the code of the address is in the value set of the address or is not.
func (p *Page) explained() (Why, error) {
	w := Why{Code: p.Query("code"), System: p.Query("system")}
	if w.Code == "" {
		return w, nil
	}
	r, err := p.h.Engine.Explain(p.Context(), &engine.ExplainRequest{
		URL: p.Query("url"), ValueSetVersion: p.Query("version"), Code: w.Code, System: w.System,
	})
	switch {
	case err == nil:
	case p.Context().Err() != nil, errors.Is(err, engine.ErrUnknownValueSet):
		return w, err
	default:
		w.Problem = p.problem(err).Text
		return w, nil
	}
	w.Display = r.Display
	if x, err := p.h.Engine.System(r.System, r.Version); err == nil {
		if s, err := p.systemOf(x); err == nil {
			if o, found := x.Find(w.Code); found {
				w.Display = s.term(o).Text
			}
		}
	}
	left := maxReasons
	w.Tree = reason(r.Tree, &left)
	return w, nil
}

// maxReasons is the number of elements of an explanation that are shown, and maxSiblings that of
// elements side by side in the order of the definition. If there are more, those that hold come first.
const maxReasons, maxSiblings = 400, 40

// reason returns an element of an explanation; left is how many more may be shown.
func reason(e *valueset.Explanation, left *int) *Reason {
	*left--
	r := &Reason{Label: e.Label, Text: e.Reason, Holds: e.Verdict}
	element := e.Expression[strings.LastIndexByte(e.Expression, '.')+1:]
	r.Excludes = strings.HasPrefix(element, "exclude[")
	children := e.Children
	if len(children) > maxSiblings {
		children = slices.Clone(children)
		slices.SortStableFunc(children, func(a, b *valueset.Explanation) int {
			switch {
			case a.Verdict == b.Verdict:
				return 0
			case a.Verdict:
				return -1
			}
			return 1
		})
	}
	for _, child := range children {
		if *left <= 0 {
			r.Hidden++
			continue
		}
		r.Below = append(r.Below, reason(child, left))
	}
	return r
}
