package ecl

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"pgregory.net/rapid"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// world is a small terminology as plain lists.
type world struct {
	concepts []*worldConcept
	refsets  []*worldRefset
	names    []string // codes of the attributes
	detailed bool     // descriptions have details
}

type worldConcept struct {
	code         string
	inactive     bool
	parents      []*worldConcept
	module, time string
	defined      bool
	rels         []worldRel
	display      string
	descriptions []worldDescription
}

type worldRel struct {
	name, typ, value string
	group            int
}

type worldDescription struct {
	id, text, language, use, module, time string
	inactive                              bool
	accept                                map[string]bool // by refset: preferred
}

type worldRefset struct {
	code    string
	columns []codesystem.RefsetColumn
	rows    []worldRow
}

type worldRow struct {
	component    *worldConcept
	active       bool
	module, time string
	values       []string
}

func (w *world) find(code string) *worldConcept {
	for _, c := range w.concepts {
		if c.code == code {
			return c
		}
	}
	return nil
}

var (
	worldModules = []string{"900001", "900002"}
	worldTimes   = []string{"20200101", "20210131", "20220731"}
	worldWords   = []string{"heart", "heat", "attack", "card", "cardio", "site", "of", "left"}
	worldTypes   = []string{fullNameType, synonymType, definitionType}
	worldTexts   = []string{"J45.9", "J45", "K20", "heart site"}
	worldDialect = []string{"900000000000509007", "900000000000508004"}
)

// drawWorld makes a random world. Its concepts are 100000 and so on; 100001 to 100004 are attributes.
func drawWorld(t *rapid.T) *world {
	w := &world{detailed: rapid.Bool().Draw(t, "detailed")}
	bit := func(one int) bool { return rapid.IntRange(1, one).Draw(t, "chance") == 1 }
	pick := func(from []string) string { return rapid.SampledFrom(from).Draw(t, "pick") }
	mess := bit(3) // inactive concepts have a place in the hierarchy
	n := rapid.IntRange(6, 24).Draw(t, "concepts")
	for i := range n {
		c := &worldConcept{code: strconv.Itoa(100000 + i), module: pick(worldModules), defined: bit(2)}
		if !bit(4) {
			c.time = pick(worldTimes)
		}
		c.inactive = i > 4 && bit(5)
		if i > 0 && (!c.inactive || mess) {
			for range rapid.IntRange(0, 3).Draw(t, "parents") {
				p := w.concepts[rapid.IntRange(0, i-1).Draw(t, "parent")]
				if !slices.Contains(c.parents, p) && (mess || !p.inactive) {
					c.parents = append(c.parents, p)
				}
			}
		}
		w.concepts = append(w.concepts, c)
	}
	w.names = []string{"100001", "100002", "100003", "100004"}
	anyCode := func() string { return w.concepts[rapid.IntRange(0, n-1).Draw(t, "concept")].code }
	for _, c := range w.concepts {
		for range rapid.IntRange(0, 5).Draw(t, "relationships") {
			r := worldRel{name: pick(w.names), typ: "Code", group: rapid.IntRange(0, 2).Draw(t, "group")}
			switch {
			case r.name != "100004":
				r.value = anyCode()
			case bit(3):
				r.typ, r.value = "Integer", strconv.Itoa(rapid.IntRange(-2, 3).Draw(t, "number"))
			case bit(2):
				r.typ, r.value = "String", pick(worldTexts)
			default:
				r.typ, r.value = "Boolean", strconv.FormatBool(bit(2))
			}
			if !slices.Contains(c.rels, r) {
				c.rels = append(c.rels, r)
			}
		}
		w.describe(t, c, bit, pick)
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "refsets") {
		r := &worldRefset{code: []string{"900000000000527005", "100005", "900000000000526001"}[i]}
		r.columns = []codesystem.RefsetColumn{{Name: "targetComponentId", Type: codesystem.RefsetConcept}}
		if i == 1 {
			r.columns = []codesystem.RefsetColumn{{Name: "mapTarget", Type: codesystem.RefsetString}, {Name: "mapGroup", Type: codesystem.RefsetInteger}}
		}
		for range rapid.IntRange(0, 8).Draw(t, "rows") {
			row := worldRow{component: w.find(anyCode()), active: !bit(4), module: pick(worldModules), time: pick(worldTimes)}
			if i == 1 {
				row.values = []string{pick(worldTexts), strconv.Itoa(rapid.IntRange(0, 3).Draw(t, "number"))}
			} else {
				row.values = []string{anyCode()}
			}
			r.rows = append(r.rows, row)
		}
		w.refsets = append(w.refsets, r)
	}
	return w
}

func (w *world) describe(t *rapid.T, c *worldConcept, bit func(int) bool, pick func([]string) string) {
	text := func() string {
		s := pick(worldWords)
		for bit(2) {
			s += []string{" ", "-", " ("}[rapid.IntRange(0, 2).Draw(t, "separator")] + pick(worldWords)
		}
		return s
	}
	c.display = text()
	for i := range rapid.IntRange(0, 3).Draw(t, "descriptions") {
		d := worldDescription{text: text(), language: pick([]string{"en", "sv"}), use: pick(worldTypes)}
		if w.detailed {
			d.id = fmt.Sprintf("%s%d", c.code, i)
			d.inactive = bit(4)
			d.module, d.time = pick(worldModules), pick(worldTimes)
			d.accept = map[string]bool{}
			for _, dialect := range worldDialect {
				if bit(2) {
					d.accept[dialect] = bit(2)
				}
			}
		}
		c.descriptions = append(c.descriptions, d)
	}
}

// index builds the index of a world.
func (w *world) index(t interface{ Fatal(...any) }) *codesystem.Index {
	b := codesystem.NewBuilder(&r4.CodeSystem{Header: r4.Header{URL: "http://example.org/cs", Name: "Example", Language: "en"}, Content: "complete"})
	fail := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range w.concepts {
		concept := codesystem.Concept{Code: c.code, Display: c.display, Parent: -1}
		add := func(name, typ, value string, group int) {
			concept.Properties = append(concept.Properties, codesystem.Property{Code: name, Value: r4.Value{Type: typ, Text: value}, Group: group})
		}
		for _, p := range c.parents {
			add("parent", "Code", p.code, 0)
		}
		if c.inactive {
			add("inactive", "Boolean", "true", 0)
		}
		add("moduleId", "Code", c.module, 0)
		add("sufficientlyDefined", "Boolean", strconv.FormatBool(c.defined), 0)
		if c.time != "" {
			add("effectiveTime", "String", c.time, 0)
		}
		for _, r := range c.rels {
			add(r.name, r.typ, r.value, r.group)
		}
		for _, d := range c.descriptions {
			concept.Designations = append(concept.Designations, r4.Designation{Language: d.language, Value: d.text, Use: &r4.Coding{System: "http://snomed.info/sct", Code: d.use}})
			if w.detailed {
				detail := codesystem.DesignationDetail{ID: d.id, Inactive: d.inactive, Module: d.module, EffectiveTime: d.time}
				for refset, preferred := range d.accept {
					detail.Acceptability = append(detail.Acceptability, codesystem.Acceptability{Refset: refset, Preferred: preferred})
				}
				concept.Details = append(concept.Details, detail)
			}
		}
		_, err := b.Add(&concept)
		fail(err)
	}
	for _, r := range w.refsets {
		fail(b.AddRefset(r.code, r.columns))
		for _, row := range r.rows {
			fail(b.AddMember(&codesystem.RefsetMember{Refset: r.code, Component: row.component.code, Active: row.active, Module: row.module, EffectiveTime: row.time, Values: row.values}))
		}
	}
	x, err := b.Build(context.Background())
	fail(err)
	return x
}
