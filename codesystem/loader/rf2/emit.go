package rf2

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// reportEvery is the number of concepts between two reports of progress.
const reportEvery = 8192

// builder adds everything that was read to a Builder: concepts in the order of their identifiers,
// then reference sets.
func (e *edition) builder() (*codesystem.Builder, error) {
	e.acceptability.finish()
	e.relationships.drop()
	n, err := newNames(e)
	if err != nil {
		return nil, err
	}
	a := newAttributes(e)
	header, err := e.header(n, a.types)
	if err != nil {
		return nil, err
	}
	b := codesystem.NewBuilder(header)
	w := &writer{
		e: e, names: n, attributes: a, builder: b,
		accepts: e.acceptability.lists(), uses: n.uses(&e.concepts), cases: idTexts(e.descriptions.cases.all),
		conceptModules: idTexts(e.concepts.modules.ids), descriptionModules: idTexts(e.descriptions.modules.ids),
		dates: dateTexts{},
	}
	for part := range slices.Chunk(e.concepts.inOrder(), reportEvery) {
		for _, slot := range part {
			if err := w.concept(slot); err != nil {
				return nil, err
			}
		}
		if err := context.Cause(e.reading.Context()); err != nil {
			return nil, err
		}
		e.reading.Count(len(part), 0, 0)
		e.reading.Report()
	}
	return b, e.refsets.emit(b, &e.concepts)
}

// inOrder lists the concepts in the order of their identifiers.
func (s *conceptStore) inOrder() []uint32 {
	order := make([]uint32, len(s.rows))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Compare(s.rows[a].id, s.rows[b].id) })
	return order
}

// A writer adds concepts to a builder.
type writer struct {
	e          *edition
	names      *names
	attributes *attributes
	builder    *codesystem.Builder

	accepts                                   [][]codesystem.Acceptability
	uses                                      []*r4.Coding // by type of description
	cases, conceptModules, descriptionModules []string
	dates                                     dateTexts

	c   codesystem.Concept
	ids []byte
}

// concept adds one concept.
func (w *writer) concept(slot uint32) error {
	s := &w.e.concepts
	row := &s.rows[slot]
	c := &w.c
	c.Parent, c.Code = -1, s.code(slot)
	if c.Display = w.names.display(slot); c.Display == "" {
		c.Display = c.Code
	}
	c.Definition = w.names.definitionOf(slot)
	w.designations(slot)
	c.Properties = c.Properties[:0]
	if !row.active {
		c.Properties = append(c.Properties, codesystem.Property{Code: "inactive", Value: r4.Value{Type: "Boolean", Text: "true"}})
	}
	c.Properties = append(c.Properties,
		codesystem.Property{Code: "sufficientlyDefined", Value: r4.Value{Type: "Boolean", Text: strconv.FormatBool(row.defined)}},
		codesystem.Property{Code: "moduleId", Value: r4.Value{Type: "Code", Text: w.conceptModules[row.module]}},
		codesystem.Property{Code: "effectiveTime", Value: r4.Value{Type: "String", Text: w.dates.of(s.times[slot])}},
	)
	c.Properties = w.attributes.append(c.Properties, slot)
	_, err := w.builder.Add(c)
	return err
}

// designations collects the descriptions of a concept, by identifier.
func (w *writer) designations(slot uint32) {
	d := w.names.store
	rows := w.names.by.of(slot)
	w.ids = w.ids[:0]
	for _, at := range rows {
		w.ids = strconv.AppendUint(w.ids, uint64(d.rows[at].id), 10)
	}
	ids := string(w.ids)
	c := &w.c
	c.Designations, c.Details = c.Designations[:0], c.Details[:0]
	for _, at := range rows {
		row := &d.rows[at]
		size := digits(row.id)
		c.Designations = append(c.Designations, r4.Designation{
			Language: d.languages.all[row.language], Use: w.uses[row.kind], Value: d.terms.at(row.term),
		})
		c.Details = append(c.Details, codesystem.DesignationDetail{
			ID: ids[:size], Inactive: !row.active, Module: w.descriptionModules[row.module], EffectiveTime: w.dates.of(d.times[at]),
			CaseSignificance: w.cases[row.cased], Acceptability: w.accepts[row.accepts],
		})
		ids = ids[size:]
	}
}

// digits counts the digits of an identifier.
func digits(id sctid) (n int) {
	for n = 1; id > 9; n++ {
		id /= 10
	}
	return n
}

// uses returns the types of descriptions as codings, by number.
func (n *names) uses(concepts *conceptStore) []*r4.Coding {
	var uses []*r4.Coding
	for _, id := range n.store.types.all {
		use := &r4.Coding{System: systemURL, Code: id.String()}
		if slot, ok := concepts.slots[id]; ok {
			use.Display = n.display(slot)
		}
		uses = append(uses, use)
	}
	return uses
}

// idTexts returns identifiers as texts.
func idTexts(ids []sctid) []string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = id.String()
	}
	return texts
}

// dateTexts caches dates as texts.
type dateTexts map[uint32]string

func (d dateTexts) of(date uint32) string {
	s, ok := d[date]
	if !ok {
		s = strconv.FormatUint(uint64(date), 10)
		d[date] = s
	}
	return s
}
