package uiadapter

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
)

// shelfData is what shelf.html shows: the code systems to browse.
type shelfData struct {
	Text  string
	Basic bool // those of FHIR
	// Systems are a page of the code systems, Total counts them, and Other those on the other shelf.
	Systems        []Loaded
	Total, Other   int
	First, Last    int
	Previous, Next string
}

// systemsOfPage is the number of code systems on a page.
const systemsOfPage = 60

// shelf shows the code systems that were loaded, or those of FHIR.
func (p *Page) shelf() error {
	d := &shelfData{Text: p.Query("q"), Basic: p.Query("in") == inBasic}
	if len(d.Text) > maxSought {
		return fmt.Errorf("%w: the text to find has more than %d bytes", engine.ErrInvalidParameter, maxSought)
	}
	loaded, basic := apart(p.systems())
	if len(loaded) == 0 {
		d.Basic = true
	}
	list, other := loaded, basic
	if d.Basic {
		list, other = basic, loaded
	}
	d.Other = len(other)
	q := codesystem.CompileQuery(d.Text)
	from := p.Number("from", 0, 0, len(list))
	for _, e := range list {
		h := &e.Header
		_, called := q.Match(h.ID, cmp.Or(h.Title, h.Name, h.ID))
		_, named := q.Match(h.URL, h.Name)
		if !called && !named {
			continue
		}
		if d.Total >= from && d.Total < from+systemsOfPage {
			d.Systems = append(d.Systems, loadedOf(e, ""))
		}
		d.Total++
	}
	d.First, d.Last = from+1, from+len(d.Systems)
	page := func(from int) (string, error) {
		in, first := "", ""
		if d.Basic {
			in = inBasic
		}
		if from > 0 {
			first = strconv.Itoa(from)
		}
		return link("tree", "in", in, "q", d.Text, "from", first)
	}
	var err error
	if from > 0 {
		if d.Previous, err = page(max(from-systemsOfPage, 0)); err != nil {
			return err
		}
	}
	if d.Last < d.Total {
		if d.Next, err = page(from + systemsOfPage); err != nil {
			return err
		}
	}
	return p.Show("shelf.html", "systems", p.T("tree.title"), d)
}
