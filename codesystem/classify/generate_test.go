package classify_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A generated ontology has the shape of SNOMED CT: branches of findings, sites, morphologies and
// substances; findings with groups of attributes, many of them defined; a hierarchy of roles with
// chains. It is written in functional syntax, or in OBO, which has no nested groups.
type generated struct {
	b        strings.Builder
	r        *rand.Rand
	obo      bool
	branches [4][]string
}

// Roles lead from the branch of findings, or within a branch, to a branch.
var roles = []struct{ from, to int }{{0, 1}, {0, 1}, {0, 2}, {0, 3}, {1, 1}, {1, 1}, {3, 3}, {0, 0}}

func (g *generated) role(i int) string {
	if g.obo {
		return fmt.Sprint("r", i)
	}
	return fmt.Sprint(":9", i)
}

// pick returns a class of a branch, more often an early one, which is more general.
func (g *generated) pick(branch int) string {
	list := g.branches[branch]
	at := g.r.Float64()
	return list[int(at*at*float64(len(list)))]
}

// some returns a restriction for a class of a branch: a role and its filler.
func (g *generated) some(branch int) (role, filler string) {
	for {
		i := g.r.IntN(len(roles))
		if to := roles[i].to; roles[i].from == branch && len(g.branches[to]) > 0 {
			return g.role(i), g.pick(to)
		}
	}
}

// generate returns an ontology of n classes.
func generate(seed uint64, n int, obo bool) string {
	g := &generated{r: rand.New(rand.NewPCG(seed, 1)), obo: obo}
	line := func(format string, args ...any) { fmt.Fprintf(&g.b, format+"\n", args...) }
	if obo {
		line("format-version: 1.2\nontology: g\n")
	} else {
		line("Prefix(:=<http://snomed.info/id/>)\nOntology(<http://example.org/g>")
		for i := range roles {
			line("Declaration(ObjectProperty(%s))", g.role(i))
		}
		line("Declaration(DataProperty(:99))\nSubObjectPropertyOf(:91 :90)\nSubObjectPropertyOf(:92 :97)\nTransitiveObjectProperty(:94)\nReflexiveObjectProperty(:94)")
		line("SubObjectPropertyOf(:94 :95)\nSubObjectPropertyOf(ObjectPropertyChain(:90 :94) :90)\nSubObjectPropertyOf(ObjectPropertyChain(:93 :96) :93)")
		line("SubObjectPropertyOf(ObjectPropertyChain(:97 :93 :96) :93)\nObjectPropertyDomain(:96 :20)\nObjectPropertyRange(:90 :21)")
	}
	for i := range n {
		branch := 0
		if i%2 > 0 || i < 4 {
			branch = i % 4
		}
		c := fmt.Sprintf(":1%07d", i)
		if obo {
			c = fmt.Sprintf("G:%07d", i)
			line("[Term]\nid: %s", c)
		} else {
			line("Declaration(Class(%s))", c)
		}
		if len(g.branches[branch]) > 2 {
			g.class(line, c, branch)
		}
		g.branches[branch] = append(g.branches[branch], c)
		if obo {
			line("")
		}
	}
	if obo {
		for i := range roles {
			line("[Typedef]\nid: %s\nname: %s", g.role(i), g.role(i))
			switch i {
			case 1, 4:
				line("is_a: %s", g.role(i-1+2*(i/4)))
				if i == 4 {
					line("is_transitive: true\nis_reflexive: true")
				}
			case 0:
				line("transitive_over: r4")
			case 3:
				line("holds_over_chain: r7 r3\ndomain: G:0000000")
			}
			line("")
		}
	} else {
		line(")")
	}
	return g.b.String()
}

// class writes the axioms of a class.
func (g *generated) class(line func(string, ...any), c string, branch int) {
	parents := []string{g.pick(branch)}
	if g.r.IntN(4) == 0 {
		parents = append(parents, g.pick(branch))
	}
	var groups [][][2]string
	if branch == 0 || branch != 2 && g.r.IntN(3) == 0 {
		for range g.r.IntN(3) {
			var group [][2]string
			for range 1 + g.r.IntN(2) {
				role, filler := g.some(branch)
				group = append(group, [2]string{role, filler})
			}
			groups = append(groups, group)
		}
	}
	defined := g.r.IntN(5) < 2
	if g.obo {
		flat := slices.Concat(groups...)
		for i, tag := range [...]string{"is_a", "intersection_of"} {
			if i == 1 && (!defined || len(flat) == 0) || i == 0 && defined && len(flat) > 0 && g.r.IntN(2) == 0 {
				continue
			}
			for _, p := range parents {
				line("%s: %s ! it", tag, p)
			}
			for _, s := range flat {
				line("%s: %s %s", [...]string{"relationship", "intersection_of"}[i], s[0], s[1])
			}
		}
		switch g.r.IntN(400) {
		case 0:
			line("disjoint_from: %s", g.pick(branch))
		case 1:
			line("equivalent_to: %s", g.pick(branch))
		case 2:
			line("union_of: %s\nunion_of: %s", g.pick(2), g.pick(2))
		}
		return
	}
	all := slices.Clone(parents)
	for _, group := range groups {
		var parts []string
		for _, s := range group {
			parts = append(parts, fmt.Sprintf("ObjectSomeValuesFrom(%s %s)", s[0], s[1]))
		}
		if branch > 0 {
			all = append(all, parts...)
			continue
		}
		all = append(all, "ObjectSomeValuesFrom(:609096000 "+and(parts)+")")
	}
	if branch == 3 && g.r.IntN(4) == 0 {
		all = append(all, fmt.Sprintf(`DataHasValue(:99 "%d"^^<http://www.w3.org/2001/XMLSchema#integer>)`, g.r.IntN(9)))
	}
	if defined && len(all) > len(parents) {
		line("EquivalentClasses(%s %s)", c, and(all))
	} else {
		line("SubClassOf(%s %s)", c, and(all))
	}
	switch g.r.IntN(4000) {
	case 0:
		line("DisjointClasses(%s %s)", c, g.branches[branch][g.r.IntN(len(g.branches[branch]))])
	case 1:
		line("SubClassOf(%s %s)", and(all[max(0, len(all)-2):]), g.pick(branch)) // a general axiom
	}
}

func and(parts []string) string {
	if len(parts) == 1 {
		return parts[0]
	}
	return "ObjectIntersectionOf(" + strings.Join(parts, " ") + ")"
}
