package uiadapter

import (
	"fmt"
	"strings"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
)

const (
	// mostCounted bounds the resources that are counted, a page of which is countedPage, and
	// timeForTally the time that reading them takes.
	mostCounted, countedPage = 50_000, 1000
	timeForTally             = 8 * time.Second
)

// A tally counts the resources of a search, and the patients that they are about, by code.
type tally struct {
	systems map[string]*systemTally
	// read counts the resources that were read, uncoded those without a code. more is true if there are
	// others.
	read, uncoded int
	more          bool
	warnings      []string
}

// A systemTally has the codes of a code system. resources are those with a code of it.
type systemTally struct {
	codes     map[string]*codeTally
	resources *roaring.Bitmap
}

// A codeTally has the resources with a code and their patients, by numbers in order of appearance.
type codeTally struct {
	display             string // what the first resource calls it
	resources, patients *roaring.Bitmap
}

// tallyOf reads the resources of a search and counts them by the codes of an element.
func (p *Page) tallyOf(s *searching, path []string) (*tally, error) {
	started := time.Now()
	t := &tally{systems: map[string]*systemTally{}}
	patients := map[string]uint32{}
	elements := path[0]
	for _, who := range [...]string{"subject", "patient"} {
		if p.h.tables.Type(s.Type).Element(who) != nil {
			elements += "," + who
		}
	}
	cursor := ""
	for {
		more := []criterion{{"_count", fmt.Sprint(countedPage)}, {"_elements", elements}}
		if cursor != "" {
			more = append(more, criterion{"_cursor", cursor})
		}
		var b bundle
		if err := p.Get(s.query(more...), &b); err != nil {
			return nil, err
		}
		if cursor == "" {
			t.warnings = b.warnings()
		}
		for i := range b.Entry {
			if b.Entry[i].Search.Mode != "match" {
				continue
			}
			o, err := readObject(b.Entry[i].Resource)
			if err != nil {
				return nil, err
			}
			who := patientOf(o)
			number, known := patients[who]
			if !known {
				number = uint32(len(patients))
				patients[who] = number
			}
			if !t.add(uint32(t.read), number, who != "", o, path) {
				t.uncoded++
			}
			t.read++
		}
		cursor = b.cursor("next")
		if t.more = cursor != ""; !t.more || t.read >= mostCounted || time.Since(started) > timeForTally {
			return t, nil
		}
	}
}

// patientOf returns whom a resource is about, "" if that is no patient.
func patientOf(o object) string {
	for _, reference := range [...]string{o.text("subject", "reference"), o.text("patient", "reference")} {
		if at := strings.LastIndex(reference, "Patient/"); at == 0 || at > 0 && reference[at-1] == '/' {
			return reference[at:]
		}
	}
	if o.text("resourceType") == "Patient" {
		return "Patient/" + o.text("id")
	}
	return ""
}

// add counts a resource. It reports whether it has a code.
func (t *tally) add(resource, patient uint32, about bool, o object, path []string) bool {
	owners := []object{o}
	for _, name := range path[:len(path)-1] {
		var next []object
		for _, owner := range owners {
			next = append(next, owner.all(name)...)
		}
		owners = next
	}
	coded := false
	for _, owner := range owners {
		for _, e := range owner.all(path[len(path)-1]) {
			codings := e.all("coding")
			if e["coding"] == nil && e["code"] != nil {
				codings = []object{e}
			}
			for _, c := range codings {
				code := c.text("code")
				if code == "" {
					continue
				}
				coded = true
				s := t.systems[c.text("system")]
				if s == nil {
					s = &systemTally{codes: map[string]*codeTally{}, resources: roaring.New()}
					t.systems[c.text("system")] = s
				}
				n := s.codes[code]
				if n == nil {
					n = &codeTally{c.text("display"), roaring.New(), roaring.New()}
					s.codes[code] = n
				}
				s.resources.Add(resource)
				n.resources.Add(resource)
				if about {
					n.patients.Add(patient)
				}
			}
		}
	}
	return coded
}

// A rollUp counts by concept: a concept has the resources with its code or one below it.
type rollUp struct {
	s     *System
	codes []*codeTally
	// within are the codes of a concept and those below it, by their numbers in codes.
	within map[codesystem.Ord][]int
	// own is the number of the code of a concept itself.
	own     map[codesystem.Ord]int
	counted map[codesystem.Ord]counts
	// unknown counts the resources that only have codes that the code system lacks.
	unknown int
}

// counts are the resources of a concept, their patients, and the resources with its own code.
type counts struct{ resources, patients, own int }

// rollUp counts the codes of a code system up its hierarchy.
func (t *systemTally) rollUp(s *System) *rollUp {
	r := &rollUp{s: s, within: map[codesystem.Ord][]int{}, own: map[codesystem.Ord]int{}, counted: map[codesystem.Ord]counts{}}
	known := roaring.New()
	for code, n := range t.codes {
		o, found := s.x.Find(code)
		if !found {
			continue
		}
		known.Or(n.resources)
		i := len(r.codes)
		r.codes = append(r.codes, n)
		r.own[o] = i
		r.within[o] = append(r.within[o], i)
		for _, above := range s.x.Ancestors(o) {
			r.within[above] = append(r.within[above], i)
		}
	}
	r.unknown = int(t.resources.GetCardinality() - known.GetCardinality())
	return r
}

// of returns the counts of a concept. A resource with several codes below it counts once.
func (r *rollUp) of(o codesystem.Ord) counts {
	c, done := r.counted[o]
	if done {
		return c
	}
	c = r.sum(r.within[o])
	if own, has := r.own[o]; has {
		c.own = int(r.codes[own].resources.GetCardinality())
	}
	r.counted[o] = c
	return c
}

// sum returns the counts of several codes together.
func (r *rollUp) sum(codes []int) counts {
	var resources, patients []*roaring.Bitmap
	for _, i := range codes {
		resources, patients = append(resources, r.codes[i].resources), append(patients, r.codes[i].patients)
	}
	return counts{resources: int(roaring.FastOr(resources...).GetCardinality()), patients: int(roaring.FastOr(patients...).GetCardinality())}
}

// tops returns the concepts that have no concept above them, and below those directly below one that
// have a count; those with the highest come first.
func (r *rollUp) tops(byPatients bool) []codesystem.Ord {
	var list []codesystem.Ord
	for o := range r.within {
		if len(r.s.x.Parents(o)) == 0 {
			list = append(list, o)
		}
	}
	return r.sort(list, byPatients)
}

func (r *rollUp) below(o codesystem.Ord, byPatients bool) []codesystem.Ord {
	var list []codesystem.Ord
	for _, child := range r.s.x.Children(o) {
		if r.within[child] != nil {
			list = append(list, child)
		}
	}
	return r.sort(list, byPatients)
}

func (r *rollUp) sort(list []codesystem.Ord, byPatients bool) []codesystem.Ord {
	sortBy(list, func(a, b codesystem.Ord) int {
		x, y := r.of(a).by(byPatients), r.of(b).by(byPatients)
		if x != y {
			return y - x
		}
		return int(a) - int(b)
	})
	return list
}

func (c counts) by(patients bool) int {
	if patients {
		return c.patients
	}
	return c.resources
}
