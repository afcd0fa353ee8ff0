package valueset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// The naive reference: value sets as ordered lists of rows, derived directly from the
// definitions, without indexes or bitmaps.

// row is a member. sys is nil for a loose code.
type row struct {
	sys                    *system
	url, version, code     string
	display                string
	designations           []r4.Designation
	inactive, hasOwnLabels bool
}

func (r *row) name() string {
	if r.version != "" {
		return r.url + "|" + r.version + "#" + r.code
	}
	return r.url + "#" + r.code
}

type naive struct{ w *world }

func (n naive) valueSet(vs *r4.ValueSet) ([]row, error) {
	var rows []row
	merged := versionsAreOne(vs.Compose)
	for i := range vs.Compose.Include {
		more, err := n.include(&vs.Compose.Include[i])
		if err != nil {
			return nil, err
		}
		for _, r := range more {
			if !slices.ContainsFunc(rows, func(q row) bool {
				return q.name() == r.name() && (q.sys == nil) == (r.sys == nil) || merged && sameCode(q, r)
			}) {
				rows = append(rows, r)
			}
		}
	}
	used := slices.Clone(rows)
	for i := range vs.Compose.Exclude {
		var err error
		if rows, err = n.exclude(rows, used, &vs.Compose.Exclude[i], merged); err != nil {
			return nil, err
		}
	}
	if vs.Compose.Inactive != nil && !*vs.Compose.Inactive {
		rows = slices.DeleteFunc(rows, func(r row) bool { return r.inactive })
	}
	return rows, nil
}

func (n naive) imports(inc *r4.Include) (sets [][]row, err error) {
	for _, url := range inc.ValueSet {
		vs, err := n.w.ValueSetDefinition(context.Background(), url)
		if err != nil {
			return nil, err
		}
		rows, err := n.valueSet(vs)
		if err != nil {
			return nil, err
		}
		sets = append(sets, rows)
	}
	return sets, nil
}

func (n naive) include(inc *r4.Include) ([]row, error) {
	sets, err := n.imports(inc)
	if err != nil {
		return nil, err
	}
	if inc.System == "" {
		return both(sets[0], sets[1:]), nil
	}
	s, err := n.w.system(inc.System, inc.Version)
	switch {
	case err != nil && len(inc.Concept) > 0:
		return both(listLoose(inc), sets), nil
	case err != nil:
		return nil, err
	}
	rows, err := n.select_(s, inc)
	if err != nil {
		return nil, err
	}
	return both(rows, sets), nil
}

func listLoose(inc *r4.Include) []row {
	var rows []row
	for _, c := range inc.Concept {
		rows = append(rows, row{
			url: inc.System, version: inc.Version, code: c.Code, display: c.Display, designations: c.Designation,
			hasOwnLabels: c.Display != "" || len(c.Designation) > 0,
		})
	}
	return rows
}

func rowOf(s *system, c *concept) row {
	return row{sys: s, url: s.url, version: s.version, code: c.code, display: c.display, inactive: c.inactive}
}

// select_ evaluates the system, concepts and filters of an include on one version.
func (n naive) select_(s *system, inc *r4.Include) ([]row, error) {
	var rows []row
	if len(inc.Concept) > 0 {
		for _, ref := range inc.Concept {
			c := s.find(ref.Code)
			switch {
			case c != nil:
				r := rowOf(s, c)
				if ref.Display != "" {
					r.display = ref.Display
				}
				r.designations, r.hasOwnLabels = ref.Designation, ref.Display != "" || len(ref.Designation) > 0
				rows = append(rows, r)
			case s.content == "fragment":
				rows = append(rows, row{
					url: s.url, version: s.version, code: ref.Code, display: ref.Display, designations: ref.Designation,
					hasOwnLabels: ref.Display != "" || len(ref.Designation) > 0,
				})
			}
		}
		return rows, nil
	}
	for _, f := range inc.Filter {
		if hierarchical(f) && s.find(f.Value) == nil {
			return nil, codesystem.ErrUnknownCode
		}
	}
	for i := range s.concepts {
		c := &s.concepts[i]
		if !slices.ContainsFunc(inc.Filter, func(f r4.Filter) bool { return !passes(s, c, f) }) {
			rows = append(rows, rowOf(s, c))
		}
	}
	slices.SortFunc(rows, func(a, b row) int {
		x, _ := s.index.Find(a.code)
		y, _ := s.index.Find(b.code)
		return cmp.Compare(x, y)
	})
	return rows, nil
}

func passes(s *system, c *concept, f r4.Filter) bool {
	switch f.Property {
	case "color":
		has := false
		for _, v := range strings.Split(f.Value, ",") {
			has = has || v == c.color && v != ""
		}
		switch f.Op {
		case "=", "in":
			return has
		case "not-in":
			return !has
		}
		return (c.color != "") == (f.Value == "true")
	case "code":
		pattern := "^(?:" + f.Value + ")$"
		if s.insensitive {
			pattern = "(?i)" + pattern
		}
		return regexp.MustCompile(pattern).MatchString(c.code)
	}
	target := s.find(f.Value).code
	below := s.ancestors(c.code)[target]
	switch f.Op {
	case "is-a":
		return below || c.code == target
	case "descendent-of":
		return below
	case "is-not-a":
		return !below && c.code != target
	case "generalizes":
		return s.ancestors(target)[c.code] || c.code == target
	case "child-of":
		return slices.Contains(c.parents, target)
	case "descendent-leaf":
		return below && len(s.children(c.code)) == 0
	}
	panic(fmt.Sprint("no such filter ", f))
}

// both returns the rows that all sets contain.
func both(rows []row, sets [][]row) []row {
	var out []row
	for _, r := range rows {
		for _, set := range sets {
			i := slices.IndexFunc(set, func(q row) bool { return same(r, q) })
			if i < 0 {
				r.url = ""
				break
			}
			if r.sys != nil && !r.hasOwnLabels && set[i].hasOwnLabels {
				r.display, r.designations, r.hasOwnLabels = set[i].display, set[i].designations, true
			}
		}
		if r.url != "" {
			out = append(out, r)
		}
	}
	return out
}

// same compares a row with one of a value set. Versions of loose codes are optional.
func same(r, q row) bool {
	if r.sys != nil {
		return r.sys == q.sys && r.code == q.code
	}
	if r.url != q.url || !sameVersion(r.version, q.version) {
		return false
	}
	if q.sys != nil {
		return q.sys.key(r.code) == q.sys.key(q.code)
	}
	return r.code == q.code
}

// versionsAreOne reports whether a compose merges versions: by its parameter, or by excluding one
// version of its only system from another.
func versionsAreOne(c *r4.Compose) bool {
	for _, x := range c.Extension {
		return x.Extension.Text("value") == "true"
	}
	if len(c.Exclude) == 0 {
		return false
	}
	for _, inc := range append(slices.Clone(c.Include), c.Exclude...) {
		if inc.System == "" || inc.System != c.Include[0].System || inc.Version == "" {
			return false
		}
	}
	return !slices.ContainsFunc(c.Include, func(inc r4.Include) bool {
		return slices.ContainsFunc(c.Exclude, func(exc r4.Include) bool { return exc.Version == inc.Version })
	})
}

// sameCode compares codes of loaded systems in any version.
func sameCode(r, g row) bool {
	if r.sys == nil || g.sys == nil || r.url != g.url {
		return false
	}
	c := r.sys.find(g.code)
	return c != nil && c.code == r.code
}

func (n naive) exclude(rows, used []row, exc *r4.Include, merged bool) ([]row, error) {
	sets, err := n.imports(exc)
	if err != nil {
		return nil, err
	}
	drop := func(gone []row) {
		rows = slices.DeleteFunc(rows, func(r row) bool {
			return slices.ContainsFunc(gone, func(g row) bool {
				if (r.sys == nil) != (g.sys == nil) {
					return false
				}
				return merged && sameCode(r, g) || r.sys == g.sys && r.url == g.url && r.code == g.code && sameVersion(r.version, g.version)
			})
		})
	}
	if exc.System == "" {
		drop(both(sets[0], sets[1:]))
		return rows, nil
	}
	var systems []*system
	for _, r := range used {
		if r.sys != nil && r.url == exc.System && exc.Version == "" && !slices.Contains(systems, r.sys) {
			systems = append(systems, r.sys)
		}
	}
	if len(systems) == 0 {
		s, err := n.w.system(exc.System, exc.Version)
		loose := slices.ContainsFunc(used, func(r row) bool { return r.sys == nil && r.url == exc.System })
		switch {
		case err == nil:
			systems = append(systems, s)
		case len(exc.Filter) > 0, len(exc.Concept) == 0 && !loose:
			return nil, err
		}
	}
	for _, s := range systems {
		closed := *s
		closed.content = "complete"
		gone, err := n.select_(&closed, exc)
		if err != nil {
			return nil, err
		}
		for i := range gone {
			gone[i].sys = s
		}
		drop(both(gone, sets))
	}
	if len(exc.Filter) > 0 {
		return rows, nil
	}
	rows = slices.DeleteFunc(rows, func(r row) bool {
		if r.sys != nil || r.url != exc.System || !sameVersion(r.version, exc.Version) {
			return false
		}
		if len(exc.Concept) > 0 && !slices.ContainsFunc(exc.Concept, func(c r4.ConceptReference) bool { return c.Code == r.code }) {
			return false
		}
		return len(both([]row{r}, sets)) == 1
	})
	return rows, nil
}

// search ranks rows for a query as documented for Page.
func (n naive) search(rows []row, q *codesystem.Query) []string {
	type ranked struct {
		name  string
		score codesystem.Score
		group int
		at    int
	}
	var systems []*system
	for _, r := range rows {
		if r.sys != nil && !slices.Contains(systems, r.sys) {
			systems = append(systems, r.sys)
		}
	}
	var out []ranked
	for i, r := range rows {
		texts := []string{r.display}
		one := ranked{name: r.name(), group: len(systems), at: i}
		if r.sys != nil {
			o, _ := r.sys.index.Find(r.code)
			one.group, one.at = slices.Index(systems, r.sys), int(o)
			texts = append(texts, r.sys.find(r.code).display)
		}
		found := false
		for _, text := range texts {
			if score, ok := q.Match(r.code, text); ok && (!found || score < one.score) {
				one.score, found = score, true
			}
		}
		for _, d := range r.designations {
			if score, ok := q.MatchDesignation(d.Language, d.Value); ok && (!found || score < one.score) {
				one.score, found = score, true
			}
		}
		if found {
			out = append(out, one)
		}
	}
	slices.SortFunc(out, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.group, b.group), cmp.Compare(a.at, b.at))
	})
	names := []string{}
	for _, r := range out {
		names = append(names, r.name)
	}
	return names
}

// sameFailure reports whether both failed, for the same reason if it has a sentinel.
func sameFailure(a, b error) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	for _, known := range []error{ErrUnknownSystem, ErrUnknownVersion, ErrUnknownValueSet, codesystem.ErrUnknownCode} {
		if errors.Is(a, known) != errors.Is(b, known) {
			return false
		}
	}
	return true
}
