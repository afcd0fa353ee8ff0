package uiadapter

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// mostEvents bounds the resources of a patient that are read, a page of which is everythingPage.
	mostEvents, everythingPage = 5000, 1000
	// eventsOfPage is the number of entries on a page of the timeline, and innerEvents the number of
	// resources that an encounter shows.
	eventsOfPage, innerEvents = 50, 40
)

// timelineData is what timeline.html shows.
type timelineData struct {
	Patient  Outline
	Only     string // the type that is shown, "" for all
	All      string // address with all types
	Types    []EventType
	Years    []EventYear // those of the page
	Jumps    []Jump
	Total    int
	Undated  int
	More     bool // the patient has more resources than were read
	Previous string
	Next     string
	Picture  *Lanes
	Charts   string
}

// An EventType is a type with the number of a patient's resources.
type EventType struct {
	Type   string
	Count  int
	Link   string
	Chosen bool
}

// An EventYear has the events of a year, latest first.
type EventYear struct {
	Year   string
	Events []*Event
}

// A Jump leads to the page of a year.
type Jump struct {
	Year  string
	Count int
	Link  string
}

// An Event is a resource with a date. Within are those of an encounter.
type Event struct {
	Outline
	Within []*Event
	// Left counts the resources within that are not shown.
	Left int

	at time.Time
}

// timeline shows the history of a patient.
func (p *Page) timeline() error {
	id := p.Query("patient")
	if id == "" {
		return errNotFound
	}
	d := &timelineData{Only: p.Query("only")}
	if d.Only != "" && !p.h.tables.IsResource(d.Only) {
		return unknownType(d.Only)
	}
	events, err := p.events(d, id)
	if err != nil {
		return err
	}
	self := func(pairs ...any) string {
		address, _ := link("timeline", append([]any{"patient", id}, pairs...)...)
		return address
	}
	d.All = self()
	for i := range d.Types {
		d.Types[i].Link, d.Types[i].Chosen = self("only", d.Types[i].Type), d.Types[i].Type == d.Only
	}
	if d.Only != "" {
		events = slices.DeleteFunc(events, func(e *Event) bool { return e.Type != d.Only })
	} else {
		d.Picture = p.lanes(events, d.Types)
		events = byEncounter(events)
	}
	d.Total = len(events)
	from := p.Number("from", 0, 0, max(len(events)-1, 0))
	for i := range events {
		year := events[i].When[:4]
		if last := len(d.Jumps) - 1; last < 0 || d.Jumps[last].Year != year {
			first := ""
			if i > 0 {
				first = strconv.Itoa(i)
			}
			d.Jumps = append(d.Jumps, Jump{Year: year, Link: self("only", d.Only, "from", first)})
		}
		d.Jumps[len(d.Jumps)-1].Count += 1 + len(events[i].Within) + events[i].Left
	}
	end := min(from+eventsOfPage, len(events))
	for _, e := range events[from:end] {
		if last := len(d.Years) - 1; last < 0 || d.Years[last].Year != e.When[:4] {
			d.Years = append(d.Years, EventYear{Year: e.When[:4]})
		}
		d.Years[len(d.Years)-1].Events = append(d.Years[len(d.Years)-1].Events, e)
	}
	if from > 0 {
		d.Previous = self("only", d.Only, "from", max(from-eventsOfPage, 0))
	}
	if end < len(events) {
		d.Next = self("only", d.Only, "from", end)
	}
	if p.Has("charts") {
		d.Charts, _ = link("charts", "patient", id)
	}
	return p.Show("timeline.html", "", d.Patient.Title.Text+" – "+p.T("data.timeline"), d)
}

// events reads the resources of a patient that have a date, latest first, and counts them by type.
func (p *Page) events(d *timelineData, id string) ([]*Event, error) {
	n := p.namer()
	counts := map[string]int{}
	var list []*Event
	read, cursor := 0, ""
	for {
		path := fmt.Sprintf("Patient/%s/$everything?_count=%d", url.PathEscape(id), everythingPage)
		if cursor != "" {
			path += "&_cursor=" + url.QueryEscape(cursor)
		}
		var b bundle
		if err := p.Get(path, &b); err != nil {
			return nil, err
		}
		for i := range b.Entry {
			o, err := readObject(b.Entry[i].Resource)
			if err != nil {
				return nil, err
			}
			e := &Event{Outline: n.outline(o)}
			if e.Type == "Patient" && e.ID == id {
				d.Patient = e.Outline
				continue
			}
			var dated bool
			if e.at, dated = moment(e.When); !dated || e.Type == "Patient" {
				d.Undated++
				continue
			}
			counts[e.Type]++
			list = append(list, e)
		}
		read += len(b.Entry)
		if cursor = b.cursor("next"); cursor == "" {
			break
		}
		if read >= mostEvents {
			d.More = true
			break
		}
	}
	for typ, count := range counts {
		d.Types = append(d.Types, EventType{Type: typ, Count: count})
	}
	sortBy(d.Types, func(a, b EventType) int {
		return cmp.Or(cmp.Compare(rankOfType(a.Type), rankOfType(b.Type)), strings.Compare(a.Type, b.Type))
	})
	sortBy(list, latestFirst)
	return list, nil
}

func latestFirst(a, b *Event) int { return cmp.Or(b.at.Compare(a.at), strings.Compare(a.ID, b.ID)) }

// byEncounter puts events into the encounters that they refer to.
func byEncounter(events []*Event) []*Event {
	at := map[string]int{}
	var list []*Event
	for _, e := range events {
		if e.Type == "Encounter" {
			at["Encounter/"+e.ID] = len(list)
			list = append(list, e)
		}
	}
	for _, e := range events {
		if e.Type == "Encounter" {
			continue
		}
		i, found := at[e.Encounter]
		if !found {
			list = append(list, e)
			continue
		}
		list[i].Within = append(list[i].Within, e)
	}
	for i := range list {
		within := list[i].Within
		sortBy(within, func(a, b *Event) int { return officeRank(a.Type) - officeRank(b.Type) })
		list[i].Left = max(len(within)-innerEvents, 0)
		list[i].Within = within[:min(len(within), innerEvents)]
	}
	sortBy(list, latestFirst)
	return list
}

// officeRank is 1 for types that are about paperwork, which come after what was done, else 0.
func officeRank(typ string) int {
	switch typ {
	case "Claim", "ClaimResponse", "ExplanationOfBenefit", "Provenance", "DocumentReference":
		return 1
	}
	return 0
}

// Lanes are a picture of a history: a lane for each type, with marks where something was.
type Lanes struct {
	Width, Height int
	Lanes         []Lane
	Marks         []Mark
	From, To      string
	// Sentences say the same for people who do not see it.
	Sentences []string
}

// A Lane is a row of the picture. Y is that of its name.
type Lane struct {
	Type string
	Y    int
	Bars []LaneBar
}

// A LaneBar is a resource in a lane, as long as it lasted.
type LaneBar struct {
	X, Y, Width int
	Title       string
}

const (
	laneNames, laneWidth, laneHeight = 150, 790, 26
	// mostBars bounds the marks of the picture. What is in the same place has one.
	mostBars = 4000
)

// lanes draws a history, nil if it has less than two days.
func (p *Page) lanes(events []*Event, types []EventType) *Lanes {
	if len(events) < 2 {
		return nil
	}
	s := scale{from: events[len(events)-1].at, to: events[0].at, width: laneWidth}
	if s.to.Sub(s.from) < 48*time.Hour {
		return nil
	}
	l := &Lanes{Width: laneNames + laneWidth + 20, From: day(events[len(events)-1].When), To: day(events[0].When)}
	row := map[string]int{}
	for i, t := range types {
		row[t.Type] = i
		l.Lanes = append(l.Lanes, Lane{Type: t.Type, Y: i*laneHeight + 17})
		l.Sentences = append(l.Sentences, fmt.Sprintf("%s: %d", t.Type, t.Count))
	}
	type place struct{ lane, x, width int }
	drawn := map[place]bool{}
	for _, e := range events {
		i := row[e.Type]
		x, width := s.x(e.at), 0.0
		if until, ok := moment(e.Until); ok && until.After(e.at) {
			width = s.x(until) - x
		}
		at := place{i, laneNames + int(x) - 2, max(int(width), 4)}
		if drawn[at] || len(drawn) == mostBars {
			continue
		}
		drawn[at] = true
		l.Lanes[i].Bars = append(l.Lanes[i].Bars, LaneBar{X: at.x, Y: i*laneHeight + 6, Width: at.width, Title: day(e.When) + " " + plain(e.Title.Text)})
	}
	l.Height = len(types)*laneHeight + 26
	for _, m := range s.marks(12) {
		l.Marks = append(l.Marks, Mark{X: laneNames + m.X, Y: l.Height - 6, Text: m.Text})
	}
	return l
}
