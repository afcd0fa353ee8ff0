package rxnorm

import (
	"cmp"
	"maps"
	"slices"
	"sort"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources/r4"
)

// lastNames are the term types that are only displays when there is no normalised name:
// prescribable names, tall man synonyms, synonyms, entry terms.
var lastNames = []string{"ET", "PSN", "TMSY", "SY"}

// rank orders names: the name with the lowest rank is the display.
func (a *atom) rank() int { return slices.Index(lastNames, a.tty) }

// better reports whether a name is a better display than another.
func better(a, b *atom) int {
	return cmp.Or(boolRank(suppressed(a.suppress))-boolRank(suppressed(b.suppress)), cmp.Compare(a.rank(), b.rank()))
}

func boolRank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// add adds the concepts to the index.
func (l *load) add() error {
	var c codesystem.Concept
	var names []atom
	var links []relation
	for n, had := range l.concepts {
		if !had.own {
			continue
		}
		names = slices.AppendSeq(names[:0], l.atoms.Of(uint32(n)))
		c = codesystem.Concept{Code: had.cui, Parent: -1, Where: had.where, Designations: c.Designations[:0], Properties: c.Properties[:0]}
		l.nameConcept(&c, names)
		if s := names[0].suppress; suppressed(s) { // the best name
			c.Properties = append(c.Properties, inactive(), codesystem.Property{Code: "SUPPRESS", Value: r4.Code(s)})
		}
		for f := range l.facts.Of(uint32(n)) {
			c.Properties = append(c.Properties, f.stated())
		}
		links = slices.AppendSeq(links[:0], l.links.Of(uint32(n)))
		sort.Slice(links, func(i, j int) bool {
			a, b := &links[i], &links[j]
			return cmp.Or(cmp.Compare(a.property, b.property), cmp.Compare(a.other, b.other)) < 0
		})
		for _, k := range slices.Compact(links) {
			c.Properties = append(c.Properties, codesystem.Property{Code: k.property, Value: r4.Code(l.concepts[k.other].cui)})
		}
		if err := l.addConcept(&c); err != nil {
			return err
		}
	}
	for _, cui := range l.old {
		old := l.retired[cui]
		c = codesystem.Concept{Code: cui, Parent: -1, Where: old.where, Designations: c.Designations[:0], Properties: c.Properties[:0]}
		l.nameConcept(&c, old.names)
		c.Properties = append(c.Properties, inactive())
		for _, successor := range old.merged {
			c.Properties = append(c.Properties, codesystem.Property{Code: "MERGED_TO_RXCUI", Value: r4.Code(successor)})
		}
		if err := l.addConcept(&c); err != nil {
			return err
		}
	}
	return nil
}

func (l *load) addConcept(c *codesystem.Concept) error {
	_, err := l.builder.Add(c)
	if err == nil {
		l.reading.Count(1, 0, 0)
	}
	return err
}

// stated returns a fact as a property.
func (f fact) stated() codesystem.Property {
	p := codesystem.Property{Code: f.property, Value: r4.String(f.value)}
	switch valueKinds[f.property] {
	case "code":
		p.Value = r4.Code(f.value)
	case "Coding":
		p.Value = r4.Value{Type: "Coding", Coding: &r4.Coding{Code: f.value, Display: f.display}}
	}
	return p
}

func inactive() codesystem.Property {
	return codesystem.Property{Code: "inactive", Value: r4.Boolean(true)}
}

// nameConcept sets display and designations, and the term types as properties.
func (l *load) nameConcept(c *codesystem.Concept, names []atom) {
	slices.SortStableFunc(names, func(a, b atom) int { return better(&a, &b) })
	for i, a := range names {
		if !slices.ContainsFunc(names[:i], func(b atom) bool { return b.tty == a.tty }) && a.tty != "" {
			c.Properties = append(c.Properties, codesystem.Property{Code: "TTY", Value: r4.Code(a.tty)})
		}
		switch {
		case i == 0:
			c.Display = a.text
		case a.text != c.Display && !slices.ContainsFunc(names[1:i], func(b atom) bool { return b.text == a.text && b.tty == a.tty }):
			c.Designations = append(c.Designations, r4.Designation{Language: "en", Use: &r4.Coding{System: System, Code: a.tty}, Value: a.text})
		}
	}
}

// newHeader returns the header of the code system, without version and properties.
func newHeader() *r4.CodeSystem {
	h := loader.Header()
	h.HierarchyMeaning = "" // RxNorm defines no subsumption
	h.ID, h.URL, h.Name, h.Title = "rxnorm", System, "RxNorm", "RxNorm"
	h.Language = "en"
	h.Publisher = "U.S. National Library of Medicine"
	h.ValueSet = System + "/vs"
	return h
}

// declare declares the properties that concepts have.
func (l *load) declare(h *r4.CodeSystem) {
	types := maps.Clone(valueKinds)
	for _, f := range l.facts.Items() {
		types[f.property] = cmp.Or(valueKinds[f.property], "string")
	}
	for _, k := range l.links.Items() {
		types[k.property] = "code"
	}
	for _, code := range slices.Sorted(maps.Keys(types)) {
		p := r4.CodeSystemProperty{Code: code, Type: types[code]}
		if code == "inactive" {
			p.URI = "http://hl7.org/fhir/concept-properties#inactive"
		}
		h.Property = append(h.Property, p)
	}
}

// valueKinds are the types of the properties that are neither strings nor relationships.
var valueKinds = map[string]string{
	"TTY": "code", "SAB": "code", "STY": "Coding", "SUPPRESS": "code", "MERGED_TO_RXCUI": "code", "inactive": "boolean",
}
