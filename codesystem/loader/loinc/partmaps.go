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

// readPartMaps reads the corresponding codes of parts in other systems, and makes a concept map
// for each of these systems.
func (l *load) readPartMaps(f *loader.File) error {
	var maps []*r4.ConceptMap
	bySystem := map[string]*r4.ConceptMap{}
	places := map[string]map[string]int{} // index of a part in the map of a system
	err := l.file(f, func(rows *loader.Rows) error {
		at, err := columns(rows, "PartNumber", "PartName", "ExtCodeId", "ExtCodeDisplayName", "ExtCodeSystem", "Equivalence")
		if err != nil {
			return err
		}
		version := rows.Column("ExtCodeSystemVersion")
		for rows.Next() {
			system := l.facts.word(rows.Text(at[4]))
			equivalence := cmp.Or(equivalences[strings.ToLower(rows.Text(at[5]))], "relatedto")
			if system == "" || rows.Text(at[2]) == "" {
				return fmt.Errorf("%s: %w: ExtCodeId or ExtCodeSystem is missing", rows.Where(), loader.ErrFormat)
			}
			m := bySystem[system]
			if m == nil {
				slug := slugOf(system)
				m = &r4.ConceptMap{Header: l.documentHeader("ConceptMap", "loinc-parts-to-"+slug, System+"/cm/loinc-parts-to-"+slug,
					"LOINCPartsTo"+loader.NameOf(slug), "LOINC parts to "+system, "Correspondences of LOINC parts with codes of "+system)}
				m.Group = []r4.ConceptMapGroup{{Source: System, Target: system, TargetVersion: strings.Clone(rows.Text(version))}}
				bySystem[system], places[system] = m, map[string]int{}
				maps = append(maps, m)
			}
			g := &m.Group[0]
			if v := rows.Text(version); v != g.TargetVersion {
				g.TargetVersion = "" // rows differ
			}
			code := l.facts.word(rows.Text(at[0]))
			place, met := places[system][code]
			if !met {
				place = len(g.Element)
				places[system][code] = place
				g.Element = append(g.Element, r4.ConceptMapElement{Code: code, Display: l.facts.word(rows.Text(at[1]))})
			}
			e := &g.Element[place]
			e.Target = append(e.Target, r4.ConceptMapTarget{
				Code: strings.Clone(rows.Text(at[2])), Display: strings.Clone(rows.Text(at[3])), Equivalence: equivalence,
			})
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, m := range maps {
		if err := l.document(&m.Header, m, f.Origin); err != nil {
			return err
		}
	}
	return nil
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
