package rf2

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/roget-health/roget/codesystem/loader/rf2/rf2test"
)

// dates are the dates of the releases in random histories.
var dates = []string{"20230131", "20230731", "20240131", "20240731"}

// drawHistory draws the history of some components. What a row refers to is in effect
// from the same date or an earlier one, as in a release.
func drawHistory(t *rapid.T) release {
	var h release
	modules := []string{core, model, rf2test.Concept(150)}
	module := rapid.SampledFrom(modules)
	item := 0
	// chain adds the rows of a component, the first at dates[first] or later.
	chain := func(file, id string, first int, more func() []string) int {
		start := rapid.IntRange(first, len(dates)-1).Draw(t, "start")
		for d := start; d < len(dates); d++ {
			if d == start || rapid.IntRange(0, 2).Draw(t, "changes") == 0 {
				h.Add(file, id, dates[d], rapid.IntRange(0, 3).Draw(t, "inactive") > 0, module.Draw(t, "module"), more()...)
			}
		}
		return start
	}
	codes, starts := []string{root, isA.String()}, []int{0, 0}
	for _, code := range codes {
		h.Add("concept", code, dates[0], true, core, primitive)
	}
	for i := range rapid.IntRange(0, 5).Draw(t, "concepts") {
		code := rf2test.Concept(200 + i)
		codes = append(codes, code)
		starts = append(starts, chain("concept", code, 0, func() []string {
			return []string{rapid.SampledFrom([]string{primitive, defined}).Draw(t, "status")}
		}))
	}
	any := rapid.IntRange(0, len(codes)-1)
	next := func() int { item++; return item }
	descriptions := 0
	for range rapid.IntRange(0, 8).Draw(t, "descriptions") {
		c := any.Draw(t, "concept")
		file := "description"
		kinds := []string{typeFull, typeName, typeName, typeName}
		if rapid.IntRange(0, 5).Draw(t, "definition") == 0 {
			file, kinds = "definition", []string{typeText}
		}
		kind := rapid.SampledFrom(kinds).Draw(t, "type")
		id := rf2test.Description(next())
		descriptions++
		start := chain(file, id, starts[c], func() []string {
			return []string{codes[c], "en", kind, fmt.Sprintf("Term %d", next()), noCase}
		})
		for _, refset := range []string{enUS, enGB} {
			if rapid.Bool().Draw(t, "in language") {
				chain("language", rf2test.Member(next()), start, func() []string {
					return []string{refset, id, rapid.SampledFrom([]string{prefer, accepted}).Draw(t, "acceptability")}
				})
			}
		}
	}
	for range rapid.IntRange(0, 8).Draw(t, "relationships") {
		kind, target := any.Draw(t, "type"), any.Draw(t, "target")
		source := any.Draw(t, "source")
		if kind == 1 {
			if source == target {
				continue
			}
			source, target = max(source, target), min(source, target) // no cycle
		}
		first := max(starts[kind], starts[target], starts[source])
		chain("relationship", rf2test.Relationship(next()), first, func() []string {
			return []string{
				codes[source], codes[target], fmt.Sprint(rapid.IntRange(0, 2).Draw(t, "group")), codes[kind],
				rapid.SampledFrom([]string{inferred, inferred, stated}).Draw(t, "characteristic"), some,
			}
		})
	}
	for range rapid.IntRange(0, 3).Draw(t, "values") {
		source, kind := any.Draw(t, "source"), 0
		chain("value", rf2test.Relationship(next()), starts[source], func() []string {
			return []string{
				codes[source], rapid.SampledFrom([]string{"#1", "#20"}).Draw(t, "value"),
				fmt.Sprint(rapid.IntRange(0, 2).Draw(t, "group")), codes[kind], inferred, some,
			}
		})
	}
	for range rapid.IntRange(0, 4).Draw(t, "members") {
		c, target := any.Draw(t, "component"), any.Draw(t, "target")
		chain("association", rf2test.Member(next()), starts[c], func() []string { return []string{replacedBy, codes[c], codes[target]} })
	}
	return h
}

// naive returns the expected facts of an index of the state at a date, in the form of dump.
func naive(h release, date string) string {
	state := h.At(rf2test.Snapshot, date, "")
	var lines []string
	newest, sizes, modules := "", map[string]int{}, map[string]bool{}
	accepts := map[string]map[string]bool{} // description, reference set: preferred
	for _, r := range state {
		f := r.Fields
		newest = max(newest, r.Time)
		modules[f[3]] = true
		if r.File == "language" && f[2] == "1" {
			if accepts[f[5]] == nil {
				accepts[f[5]] = map[string]bool{}
			}
			accepts[f[5]][f[4]] = accepts[f[5]][f[4]] || f[6] == prefer
		}
	}
	for _, r := range state {
		f := r.Fields
		switch r.File {
		case "concept":
			sizes[f[3]]++
			display, _ := best(state, f[0], typeName, accepts)
			if display == "" {
				if display, _ = best(state, f[0], typeFull, accepts); display == "" {
					display = f[0]
				}
			}
			definition, _ := best(state, f[0], typeText, accepts)
			lines = append(lines,
				fmt.Sprintf("%s %q %q", f[0], display, definition),
				fmt.Sprintf("%s sufficientlyDefined=Boolean %v group 0", f[0], f[4] == defined),
				fmt.Sprintf("%s moduleId=Code %s group 0", f[0], f[3]),
				fmt.Sprintf("%s effectiveTime=String %s group 0", f[0], f[1]))
			if f[2] == "0" {
				lines = append(lines, f[0]+" inactive=Boolean true group 0")
			}
		case "description", "definition":
			var list []string
			for _, refset := range []string{enGB, enUS} {
				if preferred, ok := accepts[f[0]][refset]; ok {
					list = append(list, fmt.Sprintf("{%s %v}", refset, preferred))
				}
			}
			lines = append(lines, fmt.Sprintf("%s description %s %s %s %q inactive=%v %s %s %s %v",
				f[4], f[0], f[5], f[6], f[7], f[2] == "0", f[3], f[1], f[8], list))
		case "relationship":
			switch line := fmt.Sprintf("%s %s=Code %s group %s", f[4], f[7], f[5], f[6]); {
			case f[2] == "0" || f[8] != inferred:
			case f[7] == isA.String():
				lines = append(lines, f[4]+" < "+f[5])
			default:
				lines = append(lines, line)
			}
		case "value":
			if f[2] == "1" {
				lines = append(lines, fmt.Sprintf("%s %s=Integer %s group %s", f[4], f[7], f[5][1:], f[6]))
			}
		case "association":
			lines = append(lines, "refset "+f[4]+" [{targetComponentId c}]",
				fmt.Sprintf("refset %s %s active=%v %s %s %q", f[4], f[5], f[2] == "1", f[3], f[1], f[6]))
		}
	}
	edition := ""
	for m := range modules {
		if edition == "" || sizes[m] > sizes[edition] || sizes[m] == sizes[edition] && (len(m) < len(edition) || len(m) == len(edition) && m < edition) {
			edition = m
		}
	}
	lines = append(lines, fmt.Sprintf("%s|%s/%s/version/%s", systemURL, systemURL, edition, newest))
	return sortedOnce(lines)
}

// best returns the term of the active description of a type that American English prefers,
// or else British English, or else the first one.
func best(h release, concept, kind string, accepts map[string]map[string]bool) (term, id string) {
	rank := 9
	for _, r := range h {
		f := r.Fields
		if r.File != "description" && r.File != "definition" || f[4] != concept || f[6] != kind || f[2] == "0" {
			continue
		}
		mine := 2
		if accepts[f[0]][enUS] {
			mine = 0
		} else if accepts[f[0]][enGB] {
			mine = 1
		}
		if mine < rank || mine == rank && (len(f[0]) < len(id) || len(f[0]) == len(id) && f[0] < id) {
			term, id, rank = f[7], f[0], mine
		}
	}
	return term, id
}

// sortedOnce sorts lines. Relationships that are there twice count once; members of
// reference sets are not merged.
func sortedOnce(lines []string) string {
	slices.Sort(lines)
	return strings.Join(slices.CompactFunc(lines, func(a, b string) bool {
		return a == b && (!strings.HasPrefix(a, "refset ") || strings.HasSuffix(a, "]"))
	}), "\n")
}

// TestLaw: for every date, the Snapshot, the Full files up to it, all Full files as of it,
// the Snapshot before it with the Delta, and a package for each part of the rows hold the
// same, which is what the history says.
func TestLaw(t *testing.T) {
	dir := t
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t)
		at := rapid.IntRange(0, len(dates)-1).Draw(t, "date")
		date := dates[at]
		want := naive(h, date)
		check := func(name string, opts Options, paths ...string) {
			t.Helper()
			c := &collector{}
			if err := Load(dir.Context(), paths, opts, c); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if got := dump(c.indexes[0]); got != want {
				t.Fatalf("%s at %s: got\n%s\nwant\n%s", name, date, got, want)
			}
		}
		check("snapshot", Options{}, h.Folder(dir, rf2test.Snapshot, date, ""))
		check("full", Options{}, h.Folder(dir, rf2test.Full, date, ""))
		check("as of", Options{AsOf: date}, h.Folder(dir, rf2test.Full, dates[len(dates)-1], ""))
		if at > 0 {
			since := dates[rapid.IntRange(0, at-1).Draw(t, "since")]
			check("delta", Options{}, h.Folder(dir, rf2test.Delta, date, since), h.Folder(dir, rf2test.Snapshot, since, ""))
			check("delta of full", Options{AsOf: date}, h.Folder(dir, rf2test.Full, since, ""), h.Folder(dir, rf2test.Delta, date, since))
		}
		var parts [2]release
		for _, r := range h {
			part := 0
			if r.File != "concept" && rapid.Bool().Draw(t, "part") {
				part = 1
			}
			parts[part] = append(parts[part], r)
		}
		check("two packages", Options{}, parts[0].Folder(dir, rf2test.Snapshot, date, ""), parts[1].Folder(dir, rf2test.Snapshot, date, ""))
	})
}
