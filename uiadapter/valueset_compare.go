package uiadapter

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// comparison is what compare.html shows: two value sets, or one with two versions of a code system.
type comparison struct {
	// Title is that of the page, a key of a text, and Page its name.
	Title, Page string
	This, Other Side
	// Known are value sets to choose from.
	Known []*engine.Entry
	// Of is the value set whose versions are compared, nil for two value sets.
	Of     *Resource
	System string
	// Versions can be chosen for either side.
	Versions []Choice
	Done     bool
	Common   int
	// Relation is a key of a text.
	Relation string
	// Parts are the three lists, Part the chosen one.
	Parts []Third
	Part  string
	Codes CodeList
}

// A Side is one of the value sets that are compared. Only is the number of codes that only it has.
type Side struct {
	Resource
	Value string
	Only  int
	Total int
}

// A Third is one of the three lists of a comparison. Name is that in addresses, Text a key of a text.
type Third struct {
	Name, Text, Link string
	Count            int
	Chosen           bool
}

// Names of the lists in addresses.
const (
	partThis, partCommon, partOther = "this", "common", "other"
	// ofComparison begins the URLs of the three lists, in the engine that compares.
	ofComparison = "urn:roget:page:comparison:"
	// maxKnown is the number of value sets that a comparison offers.
	maxKnown = 200
)

// compare shows how two value sets relate.
func (p *Page) compare() error {
	d := &comparison{Title: "valueset.compare", Page: "compare", Part: p.Query("part")}
	d.This.Value, d.Other.Value = p.Query("this"), p.Query("other")
	for _, e := range p.loaded("ValueSet", "", false) {
		if e.Header.URL != "" && len(d.Known) < maxKnown {
			d.Known = append(d.Known, e)
		}
	}
	if d.This.Value != "" && d.Other.Value != "" {
		d.This.Resource, d.Other.Resource = p.valueSetNamed(d.This.Value), p.valueSetNamed(d.Other.Value)
		if err := p.fillComparison(p.h.Engine, d, d.This.Value, d.Other.Value, "this", d.This.Value, "other", d.Other.Value); err != nil {
			return err
		}
	}
	return p.Show("compare.html", "compared", p.T(d.Title), d)
}

// fillComparison fills in the counts of two value sets and the list that the address asks for. pairs are
// the parameters of the page.
func (p *Page) fillComparison(e *engine.Engine, d *comparison, this, other string, pairs ...any) error {
	whole := func(canonical string) []r4.Include { return []r4.Include{{ValueSet: []string{canonical}}} }
	made := func(url string, include, exclude []r4.Include) *engine.Entry {
		return engine.ValueSetEntry(&r4.ValueSet{Header: r4.Header{ResourceType: "ValueSet", URL: url, Status: "active"}, Compose: &r4.Compose{
			Include: include, Exclude: exclude, Extension: r4.Extensions{valueset.VersionsMatch(true)},
		}}, "page")
	}
	// What both have is what the one has without what only it has: codes of several versions are in both
	// if their code is. The three are published, so that each is compiled once.
	lists := [...]struct {
		name, text, url string
		count           *int
	}{
		{partThis, "valueset.onlythis", ofComparison + partThis, &d.This.Only},
		{partCommon, "valueset.common", ofComparison + partCommon, &d.Common},
		{partOther, "valueset.onlyother", ofComparison + partOther, &d.Other.Only},
	}
	e, err := e.With(
		made(lists[0].url, whole(this), whole(other)),
		made(lists[1].url, whole(this), whole(lists[0].url)),
		made(lists[2].url, whole(other), whole(this)),
	)
	if err != nil {
		return err
	}
	request := func(i int) *engine.ExpandRequest { return &engine.ExpandRequest{URL: lists[i].url} }
	for i := range lists {
		none, req := 0, request(i)
		req.Count = &none
		r, err := e.Expand(p.Context(), req)
		if err != nil {
			return err
		}
		*lists[i].count = r.Total
	}
	d.Done = true
	d.This.Total, d.Other.Total = d.This.Only+d.Common, d.Other.Only+d.Common
	d.Relation = relation(d.This.Only, d.Common, d.Other.Only)
	if !slices.Contains([]string{partThis, partCommon, partOther}, d.Part) {
		d.Part = partCommon
		for i := range lists { // the first difference is what one looks for
			if i != 1 && *lists[i].count > 0 {
				d.Part = lists[i].name
				break
			}
		}
	}
	for i := range lists {
		own := append(slices.Clone(pairs), "part", lists[i].name)
		address, err := link(d.Page, own...)
		if err != nil {
			return err
		}
		chosen := lists[i].name == d.Part
		d.Parts = append(d.Parts, Third{lists[i].name, lists[i].text, address, *lists[i].count, chosen})
		if !chosen {
			continue
		}
		if _, err := p.listWith(e, &d.Codes, request(i)); err != nil {
			return err
		}
		if err := p.pages(&d.Codes, d.Page, own...); err != nil {
			return err
		}
	}
	return nil
}

// relation returns the key of the text for how two sets relate.
func relation(this, common, other int) string {
	switch {
	case this == 0 && other == 0:
		return "valueset.rel.same"
	case common == 0:
		return "valueset.rel.apart"
	case this == 0:
		return "valueset.rel.within"
	case other == 0:
		return "valueset.rel.around"
	}
	return "valueset.rel.overlap"
}

// impact shows what another version of a code system changes in a value set.
func (p *Page) impact() error {
	d := &comparison{Title: "valueset.impact", Page: "impact", Part: p.Query("part"), System: p.Query("system")}
	canonical, version := p.Query("url"), p.Query("version")
	if canonical == "" || d.System == "" {
		return fmt.Errorf("%w: url and system, the value set and the code system whose versions differ", engine.ErrMissingParameter)
	}
	of := p.valueSetNamed(r4.JoinCanonical(canonical, version))
	of.Link, _ = link("valueset", "url", canonical, "version", version)
	d.Of = &of
	versions := p.versionsOf(d.System)
	if len(versions) < 2 {
		return fmt.Errorf("%w: system: only one version of %s is loaded", engine.ErrInvalidParameter, d.System)
	}
	d.This.Value, d.Other.Value = p.Query("from"), p.Query("to")
	if d.This.Value == "" {
		d.This.Value = versions[len(versions)-2]
	}
	if d.Other.Value == "" {
		d.Other.Value = versions[len(versions)-1]
	}
	for _, v := range versions {
		d.Versions = append(d.Versions, Choice{Value: v, Name: releaseOf(v)})
	}
	d.This.Name, d.Other.Name = releaseOf(d.This.Value), releaseOf(d.Other.Value)
	pins := pinning{p: p, system: d.System, made: map[string]bool{}}
	for _, to := range [...]string{d.This.Value, d.Other.Value} {
		if err := pins.pin(canonical, version, to, 0); err != nil {
			return err
		}
	}
	e, err := p.h.Engine.With(pins.entries...)
	if err != nil {
		return err
	}
	from, to := pinned(r4.JoinCanonical(canonical, version), d.This.Value), pinned(r4.JoinCanonical(canonical, version), d.Other.Value)
	if err := p.fillComparison(e, d, from, to, "url", canonical, "version", version, "system", d.System, "from", d.This.Value, "to", d.Other.Value); err != nil {
		return err
	}
	return p.Show("compare.html", "compared", p.T(d.Title), d)
}

// versionsOf returns the loaded versions of a code system, from low to high.
func (p *Page) versionsOf(system string) []string {
	var list []string
	for _, e := range p.entries("CodeSystem") {
		if e.Header.URL == system && e.HasCodes(false) {
			list = append(list, e.Header.Version)
		}
	}
	return list
}

// pinned returns the URL of a value set that uses one version of the code system.
func pinned(canonical, version string) string {
	return "urn:roget:page:" + strconv.Quote(version) + ":" + strings.ReplaceAll(canonical, "|", "%7C")
}

// A pinning makes value sets that use one version of a code system, from others and what they import.
type pinning struct {
	p       *Page
	system  string
	made    map[string]bool
	entries []*engine.Entry
}

// maxPinned and maxPinnedDepth bound the value sets that are made.
const maxPinned, maxPinnedDepth = 100, 20

// pin makes a value set of another one that uses a version.
func (n *pinning) pin(canonical, of, version string, depth int) error {
	name := pinned(r4.JoinCanonical(canonical, of), version)
	if n.made[name] {
		return nil
	}
	n.made[name] = true
	if depth > maxPinnedDepth || len(n.entries) >= maxPinned {
		return fmt.Errorf("%w: url: the value set imports too many others", engine.ErrInvalidParameter)
	}
	none := 0
	r, err := n.p.h.Engine.Expand(n.p.Context(), &engine.ExpandRequest{URL: canonical, ValueSetVersion: of, Count: &none})
	if err != nil {
		return err
	}
	vs := *r.ValueSet
	vs.Header = r4.Header{ResourceType: "ValueSet", URL: name, Status: cmp.Or(vs.Status, "active")}
	if vs.Compose != nil {
		compose := *vs.Compose
		for _, list := range [...]*[]r4.Include{&compose.Include, &compose.Exclude} {
			*list = slices.Clone(*list)
			for i := range *list {
				inc := &(*list)[i]
				if inc.System == n.system {
					inc.Version = version
				}
				inc.ValueSet = slices.Clone(inc.ValueSet)
				for j, imported := range inc.ValueSet {
					if strings.HasPrefix(imported, "#") {
						continue // contained, which keeps its versions
					}
					base, own, _ := strings.Cut(imported, "|")
					if err := n.pin(base, own, version, depth+1); err != nil {
						return err
					}
					inc.ValueSet[j] = pinned(r4.JoinCanonical(base, own), version)
				}
			}
		}
		vs.Compose = &compose
	}
	n.entries = append(n.entries, engine.ValueSetEntry(&vs, "page"))
	return nil
}

// impacts returns the addresses that show what another version of a code system changes in a value set.
func (p *Page) impacts(d *valueSetData) []Resource {
	var list []Resource
	for i := range d.Parts {
		system := d.Parts[i].URL
		if system == "" || len(list) == maxConditions || slices.ContainsFunc(list, func(r Resource) bool { return r.URL == system }) || len(p.versionsOf(system)) < 2 {
			continue
		}
		address, err := link("impact", "url", d.URL, "version", d.Version, "system", system)
		if err == nil {
			list = append(list, Resource{Name: d.Parts[i].System, URL: system, Link: address})
		}
	}
	return list
}

// Third returns the name of a list of the comparison.
func (p *Page) Third(t Third) string {
	if d, is := p.Data.(*comparison); is && d.Of != nil {
		switch t.Text {
		case "valueset.onlythis":
			return p.T("valueset.lost")
		case "valueset.onlyother":
			return p.T("valueset.gained")
		}
		return p.T("valueset.kept")
	}
	return p.T(t.Text)
}
