package valueset

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// details explains the conditions of an include one by one.
func (e *explainer) details(ctx context.Context, inc *r4.Include, in string, visiting []string) []*Explanation {
	var nodes []*Explanation
	if inc.System != "" {
		nodes = e.systemDetails(ctx, inc, in)
	}
	for i, canonical := range inc.ValueSet {
		nodes = append(nodes, e.importDetail(ctx, canonical, elementOf(in+".valueSet", i, ""), visiting))
	}
	return nodes
}

func (e *explainer) systemDetails(ctx context.Context, inc *r4.Include, in string) []*Explanation {
	system := &Explanation{Label: "system " + r4.JoinCanonical(inc.System, inc.Version), Expression: in + ".system"}
	nodes := []*Explanation{system}
	if e.system != "" && e.system != inc.System {
		system.Reason = "the code belongs to another system, " + e.system
		return nodes
	}
	x, err := e.index(ctx, inc)
	if err != nil {
		system.Reason = err.Error()
		if len(inc.Concept) == 0 || !isAbsent(err) {
			return nodes
		}
		system.Verdict = sameVersion(inc.Version, e.version)
		system.Reason = "the code system is not loaded; its listed codes are accepted unchecked"
		return append(nodes, e.listDetail(nil, inc, in))
	}
	o, ok := e.find(x)
	switch {
	case ok:
		system.Verdict, system.Reason = true, "the code is in "+nameOf(x)
	case e.version != "" && e.version != x.Version():
		system.Reason = "version " + e.version + " of the code system was requested, but the value set uses " + nameOf(x)
	default:
		system.Reason = "the code is not in " + nameOf(x)
	}
	if len(inc.Concept) > 0 {
		if !ok && !closed(x) {
			system.Verdict, system.Reason = true, nameOf(x)+" is not complete; its listed codes are accepted unchecked"
		}
		nodes = append(nodes, e.listDetail(x, inc, in))
	}
	for i, f := range inc.Filter {
		nodes = append(nodes, e.filterDetail(ctx, x, f, o, ok, elementOf(in+".filter", i, "")))
	}
	return nodes
}

func nameOf(x *codesystem.Index) string { return r4.JoinCanonical(x.URL(), x.Version()) }

// listDetail explains whether the code is in a concept list, by the case sensitivity of its
// system.
func (e *explainer) listDetail(x *codesystem.Index, inc *r4.Include, in string) *Explanation {
	node := &Explanation{Label: count(len(inc.Concept), "listed code"), Expression: in + ".concept"}
	asked, known := codesystem.Ord(0), false
	if x != nil {
		asked, known = x.Find(e.code)
	}
	for i := range inc.Concept {
		same := inc.Concept[i].Code == e.code
		if known && !same {
			o, ok := x.Find(inc.Concept[i].Code)
			same = ok && o == asked
		}
		if same {
			node.Verdict, node.Reason = true, "the code is listed"
			node.Expression = elementOf(node.Expression, i, "")
			return node
		}
	}
	node.Reason = "the code is not among those listed"
	return node
}

func (e *explainer) importDetail(ctx context.Context, canonical, expression string, visiting []string) *Explanation {
	node := &Explanation{Label: "value set " + canonical, Expression: expression}
	s, err := e.importOne(ctx, canonical, visiting)
	if err != nil {
		node.Reason = err.Error()
	} else if node.Verdict = e.contains(s); node.Verdict {
		node.Reason = "the code is in the value set " + canonical
	} else {
		node.Reason = "the code is not in the value set " + canonical
	}
	if inner := e.explainImport(ctx, canonical, visiting); inner != nil {
		node.Children = inner.Children
		if err == nil && inner.Reason != "" {
			node.Reason += ": " + inner.Reason
		}
	}
	return node
}

// explainImport explains an imported value set itself, if its definition is available.
func (e *explainer) explainImport(ctx context.Context, canonical string, visiting []string) *Explanation {
	inner := explainer{
		compiler: compiler{src: e.src, root: e.root, contained: e.contained},
		system:   e.system, version: e.version, code: e.code, shown: e.shown,
	}
	if strings.HasPrefix(canonical, "#") {
		name := canonicalOf(&e.root.Header) + canonical
		if e.shown[name] {
			return shownAbove()
		}
		e.shown[name] = true
		vs, err := contained(e.root, canonical[1:])
		if err != nil {
			return nil
		}
		return inner.valueSet(ctx, vs, name, visiting)
	}
	d, ok := e.src.(DefinitionSource)
	if !ok {
		return nil
	}
	vs, err := d.ValueSetDefinition(ctx, canonical)
	if err != nil {
		return nil
	}
	name := canonicalOf(&vs.Header)
	if e.shown[name] {
		return shownAbove()
	}
	e.shown[name] = true
	inner.root, inner.contained = vs, make(containedSets)
	return inner.valueSet(ctx, vs, canonicalOf(&vs.Header), visiting)
}

// shownAbove replaces an explanation that has been given before.
func shownAbove() *Explanation { return &Explanation{Reason: "explained above"} }

// filterDetail explains the result of a filter on the concept o.
func (e *explainer) filterDetail(ctx context.Context, x *codesystem.Index, f r4.Filter, o codesystem.Ord, known bool, expression string) *Explanation {
	node := &Explanation{
		Label:      "filter " + beginning(f.Property) + " " + beginning(f.Op) + " " + strconv.Quote(beginning(f.Value)),
		Expression: expression,
	}
	supplements, err := supplementsFor(e.src, e.root, x)
	var c *Filter
	if err == nil {
		c, err = CompileFilter(x, f, supplements...)
	}
	if err == nil && !known {
		node.Reason = "the code does not exist, so the filter was not applied"
		return node
	}
	if err == nil {
		node.Verdict, err = c.Contains(ctx, o)
	}
	if err != nil {
		node.Reason = err.Error()
		return node
	}
	if c.constraint != nil {
		node.Reason = "the concept does not match the expression"
		if node.Verdict {
			node.Reason = "the concept matches the expression"
		}
	} else if target, ok := x.Find(f.Value); ok && hierarchical(f) {
		node.Reason = lineage(x, f.Op, o, target)
	} else {
		node.Reason = valuesOf(x, f.Property, o)
		for _, s := range supplements {
			_, has := s.PropertyNumber(f.Property)
			if own, ok := s.Find(x.Code(o)); ok && (has || f.Property == "display") {
				node.Reason += "; by " + nameOf(s) + " " + valuesOf(s, f.Property, own)
			}
		}
	}
	return node
}

// hierarchical reports whether a filter follows the hierarchy from the code in its value.
func hierarchical(f r4.Filter) bool {
	if f.Property != "concept" && f.Property != "code" {
		return false
	}
	switch f.Op {
	case "is-a", "descendent-of", "is-not-a", "generalizes", "child-of", "descendent-leaf":
		return true
	}
	return false
}

// lineage relates a concept to the one in a filter and shows the path between them.
func lineage(x *codesystem.Index, op string, o, target codesystem.Ord) string {
	from, to := o, target
	if op == "generalizes" {
		from, to = target, o
	}
	switch {
	case from == to:
		return x.Code(o) + " is that code itself"
	case !x.IsAncestor(to, from):
		return x.Code(to) + " is not an ancestor of " + x.Code(from)
	}
	path := pathUp(x, from, to)
	reason := "path " + strings.Join(path, " → ")
	if op == "child-of" && len(path) > 2 {
		reason += fmt.Sprintf("; %s is not a parent of %s", x.Code(to), x.Code(from))
	}
	if op == "descendent-leaf" && len(x.Children(o)) > 0 {
		reason += fmt.Sprintf("; %s has children", x.Code(o))
	}
	return reason
}

// pathUp returns the codes on a path from a concept up to one of its ancestors.
func pathUp(x *codesystem.Index, from, to codesystem.Ord) []string {
	path := []string{x.Code(from)}
	for from != to {
		parents := x.Parents(from)
		next := to
		if !slices.Contains(parents, to) {
			for _, p := range parents {
				if x.IsAncestor(to, p) {
					next = p
					break
				}
			}
		}
		from = next
		path = append(path, x.Code(from))
	}
	return path
}

// valuesOf describes the values of a concept for the property of a filter.
func valuesOf(x *codesystem.Index, property string, o codesystem.Ord) string {
	switch property {
	case "concept", "code":
		return "the code is " + strconv.Quote(x.Code(o))
	case "display":
		return "the display is " + strconv.Quote(x.Display(o))
	case "definition":
		return "the definition is " + strconv.Quote(x.Definition(o))
	case "parent":
		return relatives("parent", x, x.Parents(o))
	case "child":
		return relatives("child", x, x.Children(o))
	}
	var values []string
	for p := range x.Properties(o) {
		if p.Code == property {
			values = append(values, strconv.Quote(valueText(p.Value)))
		}
	}
	if len(values) == 0 {
		return "the concept has no property " + property
	}
	return "the concept has " + property + " " + strings.Join(values, ", ")
}

func relatives(property string, x *codesystem.Index, list []codesystem.Ord) string {
	if len(list) == 0 {
		return "the concept has no property " + property
	}
	values := make([]string, len(list))
	for i, o := range list {
		values[i] = strconv.Quote(x.Code(o))
	}
	return "the concept has " + property + " " + strings.Join(values, ", ")
}

func valueText(v r4.Value) string {
	if v.Coding != nil {
		return v.Coding.Code
	}
	return v.Text
}

// maxShown is the largest part of each text of a filter that an explanation shows, in bytes.
const maxShown = 1000

// beginning returns text, cut if it is longer than maxShown.
func beginning(text string) string {
	if len(text) <= maxShown {
		return text
	}
	return strings.ToValidUTF8(text[:maxShown], "") + "…"
}
