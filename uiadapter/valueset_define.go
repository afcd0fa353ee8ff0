package uiadapter

import (
	"net/url"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// A Part is an include or exclude of a value set, as people read it.
type Part struct {
	Excludes bool
	// System is the name of the code system, "" for a part that only names value sets.
	System, URL, Version string
	// Tree is the address of the code system, "" if it is not loaded.
	Tree    string
	Listed  []Ref
	Codes   int // that are listed
	Filters []Condition
	Sets    []Resource
}

// A Condition is a filter. Operator is a key of a text, or a code.
type Condition struct {
	Property, Operator, Value string
	// Ref is the concept that the value names.
	Ref *Ref
	// Workbench is the address of the workbench for a value that is an expression.
	Workbench string
}

const (
	// maxParts, maxListed and maxConditions bound what is shown of a definition.
	maxParts, maxListed, maxConditions = 60, 30, 40
)

// operators are the filters that have a text.
var operators = map[string]string{
	"=": "valueset.op.equal", "is-a": "valueset.op.isa", "descendent-of": "valueset.op.below", "is-not-a": "valueset.op.isnota",
	"regex": "valueset.op.regex", "in": "valueset.op.in", "not-in": "valueset.op.notin", "generalizes": "valueset.op.above",
	"exists": "valueset.op.exists", "child-of": "valueset.op.child", "descendent-leaf": "valueset.op.leaf",
}

// define fills in what is shown of the definition of a value set.
func (p *Page) define(d *valueSetData, vs *r4.ValueSet) {
	d.Stored = vs.Compose == nil && vs.Expansion != nil
	if system, expression, found := strings.Cut(d.URL, implicitExpression); found {
		if text, err := url.PathUnescape(expression); err == nil {
			d.Expression, _ = p.workbench(systemOfImplicit(system), text)
		}
	}
	if vs.Compose == nil {
		return
	}
	for i, list := range [...][]r4.Include{vs.Compose.Include, vs.Compose.Exclude} {
		for j := range list {
			if len(d.Parts) == maxParts {
				d.Hidden++
				continue
			}
			d.Parts = append(d.Parts, p.part(&list[j], i == 1))
		}
	}
}

// part returns an include or exclude.
func (p *Page) part(inc *r4.Include, excludes bool) Part {
	part := Part{Excludes: excludes, System: inc.System, URL: inc.System, Version: releaseOf(inc.Version), Codes: len(inc.Concept)}
	var s *System
	if inc.System != "" {
		var err error
		if s, err = p.system(inc.System, inc.Version); err == nil {
			part.System = s.Name
			part.Tree, _ = link("tree", "system", s.URL, "version", s.Version)
		}
	}
	for _, c := range inc.Concept[:min(len(inc.Concept), maxListed)] {
		ref := Ref{Term: Term{Text: c.Code}, Code: c.Code}
		if o, found := s.lookUp(c.Code); found {
			ref = s.ref(o)
		}
		if c.Display != "" {
			ref.Term = Term{Text: c.Display}
		}
		part.Listed = append(part.Listed, ref)
	}
	for _, f := range inc.Filter[:min(len(inc.Filter), maxConditions)] {
		part.Filters = append(part.Filters, p.condition(s, inc, f))
	}
	for _, canonical := range inc.ValueSet[:min(len(inc.ValueSet), maxConditions)] {
		base, version, _ := strings.Cut(canonical, "|")
		set := Resource{Name: canonical, URL: canonical}
		if e := p.entryOf("ValueSet", base, version); e != nil {
			set.Name = nameOf(e)
			set.Link, _ = p.resourceLink("ValueSet", base, version)
		}
		part.Sets = append(part.Sets, set)
	}
	return part
}

// lookUp returns the concept of a code. s is nil for a code system that is not loaded.
func (s *System) lookUp(code string) (codesystem.Ord, bool) {
	if s == nil {
		return 0, false
	}
	return s.x.Find(code)
}

// condition returns a filter of an include.
func (p *Page) condition(s *System, inc *r4.Include, f r4.Filter) Condition {
	c := Condition{Property: f.Property, Operator: operators[f.Op], Value: f.Value}
	if c.Operator == "" {
		c.Operator = f.Op
	}
	if o, found := s.lookUp(f.Value); found && f.Op != "regex" && f.Op != "exists" {
		ref := s.ref(o)
		c.Ref = &ref
	}
	if s != nil {
		if o, found := s.x.Find(f.Property); found {
			c.Property = s.term(o).Text
		}
	}
	if f.Property == "constraint" && f.Op == "=" {
		c.Workbench, _ = p.workbench(inc.System, f.Value)
	}
	return c
}

// implicitExpression is between the code system and the expression in the URL of a value set that is
// an expression.
const implicitExpression = "?fhir_vs=ecl/"

// systemOfImplicit returns the code system in the URL of an implicit value set as the workbench has it:
// that of SNOMED CT may be an edition, perhaps with its version.
func systemOfImplicit(base string) string {
	if base != snomed && strings.HasPrefix(base, snomed+"/") && strings.Contains(base, "/version/") {
		return snomed + "|" + base
	}
	if strings.HasPrefix(base, snomed+"/") {
		return snomed
	}
	return base
}

// workbench returns the address of an expression in the workbench, "" if this server has none.
func (p *Page) workbench(system, expression string) (string, error) {
	if !p.Has("ecl") {
		return "", nil
	}
	return link("ecl", "system", system, "q", expression)
}
