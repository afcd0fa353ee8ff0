package loinc

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources/r4"
)

// equivalences maps the words of the file, in lower case, to those of R4
// (concept-map-equivalence). Any other word becomes relatedto, the weakest one. The words of older
// releases relate LOINC to the target, those of R4 relate the target to LOINC.
var equivalences = map[string]string{
	"equivalent": "equivalent", "equal": "equal", "exact": "equal", "wider": "wider", "broader": "wider",
	"narrower": "narrower", "inexact": "inexact", "subsumes": "subsumes", "specializes": "specializes",
	"disjoint": "disjoint", "unmatched": "unmatched", "loinc broader": "narrower", "loinc narrower": "wider",
}

// crosswalk collects codes that correspond to codes of LOINC of one kind: a concept map for each
// other system.
type crosswalk struct {
	kind     string // parts, answers
	maps     []*r4.ConceptMap
	bySystem map[string]*r4.ConceptMap
	places   map[string]map[string]int // index of a code in the map of a system
}

func newCrosswalk(kind string) *crosswalk {
	return &crosswalk{kind: kind, bySystem: map[string]*r4.ConceptMap{}, places: map[string]map[string]int{}}
}

// correspond adds a correspondence to a crosswalk.
func (l *load) correspond(c *crosswalk, code, display string, target *r4.Coding, equivalence string) {
	m := c.bySystem[target.System]
	if m == nil {
		slug := slugOf(target.System)
		id := "loinc-" + c.kind + "-to-" + slug
		m = &r4.ConceptMap{Header: l.documentHeader("ConceptMap", id, System+"/cm/"+id,
			"LOINC"+loader.NameOf(c.kind)+"To"+loader.NameOf(slug), "LOINC "+c.kind+" to "+target.System,
			"Correspondences of LOINC "+c.kind+" with codes of "+target.System)}
		m.Group = []r4.ConceptMapGroup{{Source: System, Target: target.System, TargetVersion: target.Version}}
		c.bySystem[target.System], c.places[target.System] = m, map[string]int{}
		c.maps = append(c.maps, m)
	}
	g := &m.Group[0]
	if target.Version != g.TargetVersion {
		g.TargetVersion = "" // rows differ
	}
	place, met := c.places[target.System][code]
	if !met {
		place = len(g.Element)
		c.places[target.System][code] = place
		g.Element = append(g.Element, r4.ConceptMapElement{Code: code, Display: display})
	}
	e := &g.Element[place]
	e.Target = append(e.Target, r4.ConceptMapTarget{Code: target.Code, Display: target.Display, Equivalence: equivalence})
}

// deliver hands on the concept maps.
func (l *load) deliver(c *crosswalk, origin loader.Origin) error {
	for _, m := range c.maps {
		if err := l.document(&m.Header, m, origin); err != nil {
			return err
		}
	}
	return nil
}

// externalColumns finds the columns with a code of another system.
func externalColumns(rows *loader.Rows) [4]int {
	return [4]int{rows.Column("ExtCodeId"), rows.Column("ExtCodeSystem"), rows.Column("ExtCodeSystemVersion"), rows.Column("ExtCodeDisplayName")}
}

// external returns the code of another system in a row.
func (l *load) external(rows *loader.Rows, at [4]int) r4.Coding {
	return r4.Coding{
		Code: l.text(rows, at[0]), System: l.text(rows, at[1]),
		Version: l.text(rows, at[2]), Display: l.text(rows, at[3]),
	}
}

// readPartMaps reads the corresponding codes of parts in other systems, and makes a concept map
// for each of these systems.
func (l *load) readPartMaps(f *loader.File) error {
	c := newCrosswalk("parts")
	err := l.file(f, func(rows *loader.Rows) error {
		at, err := columns(rows, "PartNumber", "PartName", "ExtCodeId", "ExtCodeDisplayName", "ExtCodeSystem", "Equivalence")
		if err != nil {
			return err
		}
		other := externalColumns(rows)
		for rows.Next() {
			target := l.external(rows, other)
			if target.System == "" || target.Code == "" {
				return fmt.Errorf("%s: %w: ExtCodeId or ExtCodeSystem is missing", rows.Where(), loader.ErrFormat)
			}
			equivalence := cmp.Or(equivalences[strings.ToLower(rows.Text(at[5]))], "relatedto")
			l.correspond(c, l.text(rows, at[0]), l.text(rows, at[1]), &target, equivalence)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return l.deliver(c, f.Origin)
}

// mapAnswers makes concept maps of the codes of answers in other systems. The release does not say
// how close they are.
func (l *load) mapAnswers() error {
	c := newCrosswalk("answers")
	for i := range l.lists.all {
		a := &l.lists.all[i]
		for k := range a.external {
			if a.external[k].System != "" {
				l.correspond(c, a.code, a.display(), &a.external[k], "relatedto")
			}
		}
	}
	if len(c.maps) == 0 {
		return nil
	}
	return l.deliver(c, l.release[answerFile][0].Origin)
}

// slugOf derives a part of an id from the canonical of a code system. The systems that LOINC maps
// to most often have the names in common use for these maps.
func slugOf(system string) string {
	switch system {
	case "http://snomed.info/sct":
		return "snomed-ct"
	case "http://www.nlm.nih.gov/research/umls/rxnorm":
		return "rxnorm"
	case "http://www.radlex.org":
		return "radlex"
	}
	_, rest, found := strings.Cut(system, "://")
	if !found {
		rest = system
	}
	slug := strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			return c
		case 'A' <= c && c <= 'Z':
			return c + 'a' - 'A'
		}
		return '-'
	}, rest)
	return strings.Trim(slug[:min(len(slug), 40)], "-")
}
