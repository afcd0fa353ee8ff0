package uiadapter

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// mostObservations bounds the Observations that charts read, newest first, a page of which is
	// observationsPage; shownCharts and shownValues bound what the page shows.
	mostObservations, observationsPage = 5000, 1000
	shownCharts, shownValues           = 24, 500
)

// chartsData is what charts.html shows.
type chartsData struct {
	Patient, PatientLink string
	Timeline             string
	Series               []Series
	// One is the chosen series.
	One   *Series
	All   string // address of all charts
	Total int    // series
	Read  int    // Observations that were read
	More  bool   // there are older ones
}

// A Series has the values of a code with a unit, by time.
type Series struct {
	Code   Coded
	Unit   string
	Key    string // system|code|unit
	Link   string
	Values []*Measured
	Chart  *Chart
	ID     string
	// Left counts the values that the table leaves out.
	Left int
}

// Latest returns the last value.
func (s *Series) Latest() *Measured { return s.Values[len(s.Values)-1] }

// A Measured is a value of a series.
type Measured struct {
	When, Text, Link string
	// Flag is its interpretation.
	Flag string

	at        time.Time
	value     float64
	low, high float64 // of the reference range
	hasRange  bool
}

// charts shows the measurements of a patient as lines.
func (p *Page) charts() error {
	id, chosen := p.Query("patient"), p.Query("series")
	if id == "" {
		return errNotFound
	}
	d := &chartsData{Patient: id}
	d.PatientLink, _ = link("resource", "type", "Patient", "id", id)
	d.All, _ = link("charts", "patient", id)
	if p.Has("timeline") {
		d.Timeline, _ = link("timeline", "patient", id)
	}
	body, err := p.FHIR(http.MethodGet, "Patient/"+url.PathEscape(id), nil)
	if err != nil {
		return err
	}
	o, err := readObject(body)
	if err != nil {
		return err
	}
	n := p.namer()
	d.Patient = n.titleOf(o).Text
	list, err := p.series(d, n, id)
	if err != nil {
		return err
	}
	d.Total = len(list)
	title := d.Patient + " – " + p.T("data.charts")
	for i, s := range list {
		s.ID = strconv.Itoa(i)
		s.Link, _ = link("charts", "patient", id, "series", s.Key)
		sortBy(s.Values, func(a, b *Measured) int { return a.at.Compare(b.at) })
		switch {
		case chosen == s.Key:
			s.Chart = drawChart(s.Values, 920, 320)
			s.Left = max(len(s.Values)-shownValues, 0)
			d.One = s
			title = s.Code.Text + " – " + title
		case chosen == "" && i < shownCharts:
			s.Chart = drawChart(s.Values, 440, 170)
			d.Series = append(d.Series, *s)
		}
	}
	if chosen != "" && d.One == nil {
		return errNotFound
	}
	return p.Show("charts.html", "", title, d)
}

// Newest returns the values for a table, latest first.
func (s *Series) Newest() []*Measured {
	list := slices.Clone(s.Values[s.Left:])
	slices.Reverse(list)
	return list
}

// series reads the Observations of a patient and returns their values by code and unit, those with the
// most values first.
func (p *Page) series(d *chartsData, n *namer, id string) ([]*Series, error) {
	byKey := map[string]*Series{}
	var list []*Series
	add := func(part object, when, address string) {
		q := part.first("valueQuantity")
		value, err := strconv.ParseFloat(q.text("value"), 64)
		at, dated := moment(when)
		if err != nil || !dated || value != value || value > 1e15 || value < -1e15 {
			return
		}
		coding := part.first("code").first("coding")
		unit := cmp.Or(q.text("unit"), q.text("code"))
		key := coding.text("system") + "|" + cmp.Or(coding.text("code"), part.first("code").text("text")) + "|" + unit
		s := byKey[key]
		if s == nil {
			s = &Series{Code: n.named(part.first("code")), Unit: unit, Key: key}
			byKey[key] = s
			list = append(list, s)
		}
		m := &Measured{When: when, Text: quantity(q), Link: address, at: at, value: value}
		if flag := part.first("interpretation"); flag != nil {
			m.Flag = n.named(flag).Text
		}
		if r := part.first("referenceRange"); r != nil {
			low, lowErr := strconv.ParseFloat(r.text("low", "value"), 64)
			high, highErr := strconv.ParseFloat(r.text("high", "value"), 64)
			if lowErr == nil && highErr == nil {
				m.low, m.high, m.hasRange = low, high, true
			}
		}
		s.Values = append(s.Values, m)
	}
	cursor := ""
	for {
		path := fmt.Sprintf("Observation?patient=%s&_sort=-date&_count=%d", url.QueryEscape("Patient/"+id), observationsPage)
		if cursor != "" {
			path += "&_cursor=" + url.QueryEscape(cursor)
		}
		var b bundle
		if err := p.Get(path, &b); err != nil {
			return nil, err
		}
		for i := range b.Entry {
			if b.Entry[i].Search.Mode != "match" {
				continue
			}
			o, err := readObject(b.Entry[i].Resource)
			if err != nil {
				return nil, err
			}
			d.Read++
			if status := o.text("status"); status == "entered-in-error" || status == "cancelled" {
				continue
			}
			when := cmp.Or(o.text("effectiveDateTime"), o.text("effectivePeriod", "start"), o.text("effectiveInstant"))
			address, _ := link("resource", "type", "Observation", "id", o.text("id"))
			add(o, when, address)
			for _, part := range o.all("component") {
				add(part, when, address)
			}
		}
		if cursor = b.cursor("next"); cursor == "" {
			break
		}
		if d.Read >= mostObservations {
			d.More = true
			break
		}
	}
	sortBy(list, func(a, b *Series) int {
		return cmp.Or(cmp.Compare(len(b.Values), len(a.Values)), strings.Compare(a.Code.Text, b.Code.Text))
	})
	return list, nil
}
