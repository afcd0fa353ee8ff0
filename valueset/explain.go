package valueset

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// Explanation explains why a code is or is not selected by one element of a value set.
type Explanation struct {
	// Label describes the element: "include[0]: codes of http://… with 2 filters".
	Label string `json:"label"`
	// Verdict reports whether the element selects the code. At the root it reports whether the
	// code is in the value set, for an exclude whether the exclude removes the code.
	Verdict bool `json:"verdict"`
	// Reason is a sentence without a full stop.
	Reason string `json:"reason,omitempty"`
	// Expression is the FHIRPath of the element in its value set.
	Expression string         `json:"expression,omitempty"`
	Children   []*Explanation `json:"children,omitempty"`
}

// Explain explains why a code is or is not in a value set, as a tree of includes, filters,
// imports and excludes. The verdict equals Contains on the compiled set. A value set that is
// imported several times is explained in full only the first time. An element that cannot be
// evaluated does not fail the explanation: its verdict is false and its reason contains the
// error. An empty system or version matches any. Explain fails only with the error of ctx.
func Explain(ctx context.Context, src Source, vs *r4.ValueSet, system, version, code string, visiting []string) (*Explanation, error) {
	e := explainer{
		compiler: compiler{src: src, root: vs, contained: make(containedSets)},
		system:   system, version: version, code: code, shown: make(map[string]bool),
	}
	canonical := canonicalOf(&vs.Header)
	label := canonical
	if label == "" {
		label = "value set"
	}
	root := e.valueSet(ctx, vs, canonical, visiting)
	root.Label = label
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return root, nil
}

// explainer evaluates each element with the compiler and narrows the result to one code.
type explainer struct {
	compiler
	system, version, code string
	shown                 map[string]bool // value sets that have been explained in full
	merged                bool            // codes of other versions count: see algebra.merge
}

func (e *explainer) valueSet(ctx context.Context, vs *r4.ValueSet, canonical string, visiting []string) *Explanation {
	root := &Explanation{Expression: "ValueSet"}
	if canonical != "" {
		if slices.Contains(visiting, canonical) {
			root.Reason = ErrImportCycle.Error() + ": " + strings.Join(visiting, " → ") + " → " + canonical
			return root
		}
		if len(visiting) > maxImportDepth {
			root.Reason = ErrImportDepth.Error()
			return root
		}
		visiting = append(visiting[:len(visiting):len(visiting)], canonical)
	}
	if vs.Compose == nil {
		return e.stored(ctx, vs, root)
	}
	hits := new(algebra)
	hits.merge = Merges(vs.Compose)
	defer func(was bool) { e.merged = was }(e.merged)
	e.merged = hits.merge
	var by, failed []string
	root.Children = make([]*Explanation, len(vs.Compose.Include))
	for i := range e.order(vs.Compose.Include) {
		node, parts, err := e.include(ctx, &vs.Compose.Include[i], "include", i, visiting)
		root.Children[i] = node
		for _, p := range parts {
			hits.add(p)
		}
		if node.Verdict {
			by = append(by, elementOf("include", i, ""))
		}
		if err != nil {
			failed = append(failed, elementOf("include", i, ""))
		}
	}
	found := e.countAskedFor(hits)
	before := slices.Clone(hits.parts)
	var out []string
	for i := range vs.Compose.Exclude {
		node, err := e.exclude(ctx, hits, before, &vs.Compose.Exclude[i], i, visiting)
		root.Children = append(root.Children, node)
		if node.Verdict {
			out = append(out, elementOf("exclude", i, ""))
		}
		if err != nil {
			failed = append(failed, elementOf("exclude", i, ""))
		}
	}
	left := e.countAskedFor(hits)
	if vs.Compose.Inactive != nil && !*vs.Compose.Inactive {
		hits.dropInactive()
	}
	root.Verdict = e.countAskedFor(hits) > 0
	root.Reason = reasonOf(root.Verdict, found, left, by, out)
	if len(failed) > 0 {
		root.Reason += "; could not be evaluated: " + strings.Join(failed, ", ")
	}
	return root
}

func reasonOf(verdict bool, found, left int, by, out []string) string {
	switch {
	case verdict:
		return "selected by " + strings.Join(by, ", ")
	case found == 0:
		return "no include selects it"
	case left == 0:
		return "selected by " + strings.Join(by, ", ") + " and removed by " + strings.Join(out, ", ")
	}
	return "it is inactive, and the value set includes only active codes"
}

// stored explains a value set that has only an expansion.
func (e *explainer) stored(ctx context.Context, vs *r4.ValueSet, root *Explanation) *Explanation {
	root.Expression = "ValueSet.expansion"
	inner := compiler{src: e.src, root: vs, contained: make(containedSets)}
	s, err := inner.valueSet(ctx, vs, "", nil)
	if err != nil {
		root.Reason = err.Error()
		return root
	}
	if root.Verdict = e.contains(s); root.Verdict {
		root.Reason = "it is in the stored expansion"
	} else {
		root.Reason = "it is not in the stored expansion"
	}
	return root
}

// contains reports whether a compiled set contains the code, in any system if none was given.
func (e *explainer) contains(s *Set) bool {
	if e.system == "" {
		return slices.ContainsFunc(s.Infer(e.code), func(x Entry) bool { return x.fits(e.version) })
	}
	var found Entry
	return s.find(&found, e.system, e.version, e.code)
}

// include explains one include and returns the parts with the code that it selects.
func (e *explainer) include(ctx context.Context, inc *r4.Include, list string, i int, visiting []string) (*Explanation, []part, error) {
	node := &Explanation{
		Label:      elementOf(list, i, "") + ": " + describe(inc),
		Expression: elementOf("ValueSet.compose."+list, i, ""),
	}
	parts, inner, err := e.compiler.include(ctx, inc, visiting)
	if err != nil {
		node.Reason = err.Error()
		if inner != "" {
			node.Reason = inner + ": " + node.Reason
		}
	} else {
		parts = e.narrow(parts)
		node.Verdict = e.countAskedFor(&algebra{parts: parts}) > 0
	}
	if _, bad := checkInclude(inc); bad == nil {
		node.Children = e.details(ctx, inc, node.Expression, visiting)
	}
	if err == nil {
		node.Reason = summary(node)
	}
	return node, parts, err
}

// exclude explains one exclude and applies it to hits. before is the result of the includes. The
// exclude is judged on that, independently of other excludes.
func (e *explainer) exclude(ctx context.Context, hits *algebra, before []part, exc *r4.Include, i int, visiting []string) (*Explanation, error) {
	node, _, err := e.include(ctx, exc, "exclude", i, visiting)
	found := e.countAskedFor(&algebra{parts: before})
	if found == 0 {
		return node, err
	}
	alone := &algebra{parts: slices.Clone(before), indexes: hits.indexes, seen: hits.seen, loose: hits.loose, versions: hits.versions, systems: hits.systems, merge: hits.merge}
	if inner, failed := e.compiler.exclude(ctx, alone, exc, visiting); failed != nil {
		node.Verdict, node.Reason = false, failed.Error()
		if inner != "" {
			node.Reason = inner + ": " + node.Reason
		}
		return node, failed
	}
	alone.sweep()
	node.Verdict = e.countAskedFor(alone) < found
	node.Reason = summary(node)
	_, err = e.compiler.exclude(ctx, hits, exc, visiting)
	hits.sweep()
	return node, err
}

// narrow restricts parts to the requested code. If versions count as one it leaves concepts whole, because
// what one version spells otherwise is the same code in another that ignores case.
func (e *explainer) narrow(parts []part) []part {
	var out []part
	for _, p := range parts {
		if p.index == nil {
			p.keepLoose(func(c *looseCode) bool {
				return (e.system == "" || c.system == e.system) && sameVersion(c.version, e.version) && c.code == e.code
			})
			if len(p.loose) > 0 {
				out = append(out, p)
			}
			continue
		}
		if e.merged && (e.system == "" || p.index.URL() == e.system) {
			out = append(out, p)
		} else if o, ok := e.find(p.index); ok && p.members.Contains(o) {
			out = append(out, part{index: p.index, members: roaring.BitmapOf(o), ownership: fresh})
		}
	}
	return out
}

// find returns the code in an index that matches the requested system and version.
func (e *explainer) find(x *codesystem.Index) (codesystem.Ord, bool) {
	if e.system != "" && x.URL() != e.system || !e.merged && !e.versioned(x) {
		return 0, false
	}
	return x.Find(e.code)
}

// versioned reports whether an index has the requested version.
func (e *explainer) versioned(x *codesystem.Index) bool {
	return e.version == "" || x.Version() == e.version
}

// countAskedFor returns how often the algebra has the code in the requested version.
func (e *explainer) countAskedFor(a *algebra) int {
	n := 0
	for i := range a.parts {
		switch x := a.parts[i].index; {
		case x == nil:
			n += len(a.parts[i].loose)
		case e.versioned(x):
			if o, ok := x.Find(e.code); ok && a.parts[i].members.Contains(o) {
				n++
			}
		}
	}
	return n
}

// describe describes the selection of an include.
func describe(inc *r4.Include) string {
	var b strings.Builder
	system := r4.JoinCanonical(inc.System, inc.Version)
	switch {
	case inc.System == "":
	case len(inc.Concept) > 0:
		fmt.Fprintf(&b, "%s listed of %s", count(len(inc.Concept), "code"), system)
	case len(inc.Filter) > 0:
		fmt.Fprintf(&b, "codes of %s that pass %s", system, count(len(inc.Filter), "filter"))
	default:
		b.WriteString("all codes of " + system)
	}
	if n := len(inc.ValueSet); n > 0 {
		if b.Len() > 0 {
			b.WriteString(", restricted to ")
		}
		b.WriteString("codes in " + count(n, "value set"))
	}
	return b.String()
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// summary returns the reason for the verdict on an element, from those of its conditions.
func summary(node *Explanation) string {
	if node.Verdict {
		return "all conditions hold"
	}
	var no []string
	for _, c := range node.Children {
		if !c.Verdict {
			no = append(no, c.Reason)
		}
	}
	if len(no) == 0 {
		return "it does not select the code"
	}
	return strings.Join(no, "; ")
}
