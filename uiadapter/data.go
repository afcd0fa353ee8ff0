package uiadapter

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// dataRoom is what the server stores: searches, resources, the history of a patient and counts.
func dataRoom() *room {
	return &room{name: "data", link: "data", stored: true, routes: map[string]func(*Page) error{
		"GET /ui/data": (*Page).data,
		"GET /ui/pick": (*Page).pickConcept, "GET /ui/resource": (*Page).stored, "GET /ui/timeline": (*Page).timeline, "GET /ui/charts": (*Page).charts,
		"GET /ui/counts": (*Page).counts,
	}}
}

// resultsOfPage is the number of matches on a page.
const resultsOfPage = "50"

// dataData is what data.html shows.
type dataData struct {
	// Types have resources, Empty have none, for the choice of a type.
	Types, Empty []StoredType
	// Late is true if there was no time to count all types.
	Late bool
	// Search is the search of a chosen type.
	Search *searching
	Results
}

// A StoredType is a resource type with the number of its resources, -1 if that is not known.
type StoredType struct {
	Type  string
	Count int
	Link  string // of its search
}

// Results are a page of what was found.
type Results struct {
	Found []Outline
	// Values is true if some have a value.
	Values   bool
	Warnings []string
	// Shown is true if the search was run, and Request its address for programs.
	Shown          bool
	Request        string
	Previous, Next string
	Counts         string // address of the counts by concept, "" for types without codes
	Summary        string
}

// data shows the types, or the search of one with what was found.
func (p *Page) data() error {
	d := &dataData{}
	typ := p.Query("type")
	if typ == "" {
		p.countTypes(d)
		return p.Show("data.html", "", p.T("data.title"), d)
	}
	if !p.h.tables.IsResource(typ) {
		return unknownType(typ)
	}
	if slices.Contains(loadedTypes[:], typ) {
		redirect(p.w, p.r, storedType(typ, 0).Link)
		return nil
	}
	d.Search = p.searching(typ)
	if err := p.runSearch(d); err != nil {
		return err
	}
	return p.Show("data.html", "", typ+" – "+p.T("data.title"), d)
}

// madeTypes are the types of which a server makes most resources itself. They are not counted.
var madeTypes = [...]string{"CompartmentDefinition", "OperationDefinition", "SearchParameter", "StructureDefinition"}

// countTypes counts the resources of all types that the request may search.
func (p *Page) countTypes(d *dataData) {
	started := time.Now()
	for _, typ := range p.h.tables.Resources() {
		if !p.may(typ) {
			continue
		}
		if d.Late = d.Late || time.Since(started) > p.h.timeForCounts; d.Late {
			d.Empty = append(d.Empty, storedType(typ, -1))
			continue
		}
		var b bundle
		if err := p.Get(typ+"?_summary=count", &b); err != nil {
			continue // a type that this server does not store
		}
		switch {
		case slices.Contains(madeTypes[:], typ):
			d.Empty = append(d.Empty, storedType(typ, -1))
		case b.Total != nil && *b.Total > 0:
			d.Types = append(d.Types, storedType(typ, *b.Total))
		default:
			d.Empty = append(d.Empty, storedType(typ, 0))
		}
	}
	sortBy(d.Types, func(a, b StoredType) int {
		return cmp.Or(cmp.Compare(rankOfType(a.Type), rankOfType(b.Type)), strings.Compare(a.Type, b.Type))
	})
}

// storedType returns a type. Those of terminology have a page of their own.
func storedType(typ string, count int) StoredType {
	t := StoredType{Type: typ, Count: count}
	page := "data"
	if slices.Contains(loadedTypes[:], typ) {
		page = "server"
	}
	t.Link, _ = link(page, "type", typ) // it fails for an odd number of arguments only
	return t
}

// firstTypes are those that people look for first.
var firstTypes = [...]string{"Patient", "Condition", "Encounter", "Observation", "Procedure", "MedicationRequest", "Immunization", "DiagnosticReport", "AllergyIntolerance"}

func rankOfType(typ string) int {
	if i := slices.Index(firstTypes[:], typ); i >= 0 {
		return i
	}
	return len(firstTypes)
}
